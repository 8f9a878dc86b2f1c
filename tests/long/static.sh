#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Wheels from PyPI that hold CUDA's static runtime, unchanged: CuPy, NCCL with one rank, cuda.bindings.runtime and Warp, the last
# two without symbols. Each program of apps/python is right on two machines, by value, and some with time. Usage: static.sh MANIPLE
set -u
maniple=$(realpath "$1")
source tests/long/venv.sh
packages static requirements-static.txt
export NCCL_SOCKET_IFNAME=lo WARP_CACHE_PATH=$work/warp CUPY_CACHE_DIR=$work/cupy PYTHONWARNINGS=ignore

for machine in h100-sxm a100; do
    for group in arrays kernels reductions sorting products transforms sparse conversions linear solver device; do
        right cupy_functions $group -- --machine $machine --functional
    done
    right nccl_collectives -- --machine $machine --functional
    right warp_functions -- --machine $machine --functional
    right runtime_bindings -- --machine $machine --functional
done
right cupy_functions random -- --machine rtx2060 --functional # its generators are made by a thread each, and more on larger machines
same cupy_functions kernels products -- --machine a100
right nccl_collectives -- --machine h100-sxm
# Two GPUs, by value and with time
links="--machine h100-sxm --gpus 2 --set fabric.kind=nvlink --set fabric.switches=[5,4,4,5]"
right nccl_devices -- $links --functional
export NCCL_MAX_CTAS=2
right nccl_devices "1000 float32" -- $links
exit $failed
