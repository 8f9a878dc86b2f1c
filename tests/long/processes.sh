#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# PyTorch's wheel from PyPI over two GPUs: of one process, and of two that torchrun starts and that share them. Usage:
# processes.sh MANIPLE
set -u
maniple=$(realpath "$1")
source tests/long/venv.sh
packages torch requirements-torch.txt
export PYTHONWARNINGS=ignore NCCL_SOCKET_IFNAME=lo GLOO_SOCKET_IFNAME=lo OMP_NUM_THREADS=1

right torch_devices -- --machine dgx-h100 --gpus 2 --functional
if "$maniple" run -q --machine dgx-h100 --gpus 2 --functional -- build-long/torch/bin/torchrun --standalone \
    --nproc-per-node 2 apps/python/torch_distributed.py >"$work/out" 2>&1 && grep -q '^right$' "$work/out"; then
    echo "right: torch_distributed"
else
    echo "wrong: torch_distributed"
    grep -v ': right$' "$work/out" | head -40
    failed=1
fi
for gpus in 2 3; do
    "$maniple" run -q --machine dgx-h100 --gpus $gpus --functional -- build-long/torch/bin/python apps/python/ddp.py >"$work/out" 2>&1
    if [ "$(grep -c "^rank [0-9] of $gpus: right$" "$work/out")" -eq $gpus ]; then
        echo "right: ddp on $gpus GPUs"
    else
        echo "wrong: ddp on $gpus GPUs"
        grep -v '^$' "$work/out" | head -40
        failed=1
    fi
done
"$maniple" run -q --machine dgx-h100 --gpus 2 -- build-long/torch/bin/python apps/python/ddp.py >"$work/out" 2>&1
if [ $? -eq 0 ] && [ "$(grep -c '^rank [01] of 2: right$' "$work/out")" -eq 2 ]; then
    echo "right: ddp in simulated time"
else
    echo "wrong: ddp in simulated time"
    grep -v '^$' "$work/out" | head -40
    failed=1
fi
"$maniple" run -q --machine dgx-h100 --gpus 2 -o "$work/timed" -- build-long/torch/bin/torchrun --standalone \
    --nproc-per-node 2 tests/long/data_parallel.py >"$work/out" 2>&1
if [ "$(grep -c '^rank [01]: right$' "$work/out")" -eq 2 ] && grep -q AllReduce "$work/timed/gpu1/stats.txt"; then
    echo "right: data_parallel in simulated time"
else
    echo "wrong: data_parallel in simulated time"
    grep -v '^$' "$work/out" | head -40
    failed=1
fi
exit $failed
