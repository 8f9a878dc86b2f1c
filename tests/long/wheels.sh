#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The programs of apps/python with the packages that they name, from PyPI: Triton, numba-cuda, cuda-python, tinygrad. Each is
# right, on two machines, with time and without, and its results do not depend on threads. Usage: wheels.sh MANIPLE
set -u
maniple=$(realpath "$1")
venv=build-long/wheels
python=$venv/bin/python
[ -x $python ] || python3 -m venv $venv || exit 1
if ! $venv/bin/pip install -q -r apps/python/requirements.txt; then
    echo "skipped: the packages of apps/python/requirements.txt cannot be fetched"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONPATH=$PWD/python TRITON_CACHE_DIR=$work/cache PYTHONWARNINGS=ignore
failed=0

right() { # NAME OPTION…: the program says so, and nothing is refused
    local name=$1
    shift
    if "$maniple" run -q "$@" -- $python "apps/python/$name.py" >"$work/out" 2>&1 && grep -q '^right$' "$work/out"; then
        echo "right: $name $*"
    else
        echo "wrong: $name $*"
        head -20 "$work/out"
        failed=1
    fi
}

for name in triton_add triton_softmax triton_matmul triton_llama numba_sum cuda_python tinygrad_train; do
    for machine in a100 h100-sxm; do
        right $name --machine $machine --functional
        right $name --machine $machine --threads 1 -o "$work/one"
        right $name --machine $machine --threads 2 -o "$work/two"
        if "$maniple" compare "$work/one" "$work/two" >"$work/out" 2>&1; then
            echo "the same on 1 and 2 threads: $name on $machine"
        else
            echo "not the same on 1 and 2 threads: $name on $machine"
            head -5 "$work/out"
            failed=1
        fi
    done
done
right triton_matmul --machine a100 --code sass # NVIDIA's ptxas makes machine code, which is executed
right numba_sum --machine a100 --set ptx.select=false
exit $failed
