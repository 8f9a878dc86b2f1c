#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The programs of apps/python with the packages that they name, from PyPI: Triton, numba-cuda, cuda-python, tinygrad, Taichi. Each is
# right, on two machines, with time and without, and its results do not depend on threads. Usage: wheels.sh MANIPLE
set -u
maniple=$(realpath "$1")
source tests/long/venv.sh
packages wheels requirements.txt
export PYTHONPATH=$PWD/python TRITON_CACHE_DIR=$work/cache PYTHONWARNINGS=ignore

for name in triton_add triton_softmax triton_matmul triton_llama triton_sine numba_sum numba_grid cuda_python tinygrad_train; do
    for machine in a100 h100-sxm; do
        right $name -- --machine $machine --functional
        same $name -- --machine $machine
    done
done
for machine in a100 h100-sxm; do
    right taichi_stencil -- --machine $machine --functional
    alike taichi_stencil -- --machine $machine # it keeps addresses of the host's in device memory, which the state's hash covers
done
right triton_matmul -- --machine a100 --code sass # NVIDIA's ptxas makes machine code, which is executed
right triton_sine -- --machine a100 --code sass
right numba_grid -- --machine b200 --functional
right numba_sum -- --machine a100 --set ptx.select=false
exit $failed
