#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The programs apps/python/torch_*.py with PyTorch's wheel from PyPI, which runs its own kernels as machine code. Each is right,
# with time and without, and its results do not depend on threads. The wheel and NVIDIA's libraries, which it names, take
# 5.4 GB. Usage: torch.sh MANIPLE
set -u
maniple=$(realpath "$1")
source tests/long/venv.sh
packages torch requirements-torch.txt
export TRITON_CACHE_DIR=$work/cache TORCHINDUCTOR_CACHE_DIR=$work/inductor PYTHONWARNINGS=ignore

for machine in h100-sxm a100 rtx3080ti rtx2060; do
    for program in operations functions training compiled; do
        right torch_$program -- --machine $machine --functional
    done
done
right torch_products -- --machine h100-sxm --functional
right torch_linalg -- --machine h100-sxm --functional
right torch_convolutions -- --machine h100-sxm --functional
export MANIPLE_CUDNN=1
for machine in h100-sxm rtx2060; do
    right torch_convolutions -- --machine $machine --functional
done
unset MANIPLE_CUDNN
right torch_profiled -- --machine h100-sxm --functional
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True # memory that PyTorch maps itself
right torch_training -- --machine h100-sxm --functional
unset PYTORCH_CUDA_ALLOC_CONF
same torch_operations -- --machine h100-sxm
same torch_products -- --machine h100-sxm
same torch_training -- --machine a100
same torch_layers -- --machine a100
same torch_gpt2 1 16 -- --machine h100-sxm
exit $failed
