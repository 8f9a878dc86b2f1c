#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The programs apps/python/jax_*.py with JAX's wheels from PyPI: XLA translates each function to machine code, which is executed.
# Each is right, with time and without, on one thread and on two; that of several GPUs, without time. The wheels and NVIDIA's libraries, which they name, take
# 4 GB. Usage: jax.sh MANIPLE
set -u
maniple=$(realpath "$1")
source tests/long/venv.sh
packages jax requirements-jax.txt
export TF_CPP_MIN_LOG_LEVEL=3 PYTHONWARNINGS=ignore

for program in functions training; do
    for machine in h100-sxm a100 rtx3080ti; do
        right jax_$program -- --machine $machine --functional
    done
    for threads in 1 2; do
        right jax_$program -- --machine h100-sxm --threads $threads
    done
done
for machine in h100-sxm rtx3080ti; do
    right jax_convolutions -- --machine $machine --functional
done
right jax_linalg -- --machine h100-sxm --functional
right jax_devices -- --machine dgx-h100 --gpus 2 --functional
exit $failed
