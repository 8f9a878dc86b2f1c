#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The programs apps/python/torch_*.py with PyTorch's wheel from PyPI, which runs its own kernels as machine code. Each is right,
# with time and without, and its results do not depend on threads. The wheel and NVIDIA's libraries, which it names, take
# 5.4 GB. Usage: torch.sh MANIPLE
set -u
maniple=$(realpath "$1")
venv=build-long/torch
python=$venv/bin/python
[ -x $python ] || python3 -m venv $venv || exit 1
if ! $venv/bin/pip install -q -r apps/python/requirements-torch.txt; then
    echo "skipped: the packages of apps/python/requirements-torch.txt cannot be fetched"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TRITON_CACHE_DIR=$work/cache TORCHINDUCTOR_CACHE_DIR=$work/inductor PYTHONWARNINGS=ignore
failed=0

right() { # PROGRAM [ARGUMENT…] -- OPTION…: the program says so, and nothing is refused
    local program=()
    while [ "$1" != -- ]; do
        program+=("$1")
        shift
    done
    shift
    if "$maniple" run -q "$@" -- $python "apps/python/${program[0]}.py" "${program[@]:1}" >"$work/out" 2>&1 &&
        grep -q '^right$' "$work/out"; then
        echo "right: ${program[*]} $*"
    else
        echo "wrong: ${program[*]} $*"
        head -20 "$work/out"
        failed=1
    fi
}

same() { # PROGRAM… -- OPTION…: with one thread and with two
    right "$@" --threads 1 -o "$work/one"
    right "$@" --threads 2 -o "$work/two"
    if "$maniple" compare "$work/one" "$work/two" >"$work/out" 2>&1; then
        echo "the same on 1 and 2 threads: $1"
    else
        echo "not the same on 1 and 2 threads: $1"
        head -5 "$work/out"
        failed=1
    fi
}

for machine in h100-sxm a100 rtx3080ti rtx2060; do
    for program in operations functions training compiled; do
        right torch_$program -- --machine $machine --functional
    done
done
same torch_operations -- --machine h100-sxm
same torch_training -- --machine a100
same torch_gpt2 1 16 -- --machine h100-sxm
exit $failed
