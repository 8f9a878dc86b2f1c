# SPDX-License-Identifier: BSD-3-Clause
"""Data-parallel training over all GPUs of the machine: a process for each GPU, which this program starts. Each rank takes its part of
every batch; losses, and the weights after three steps, are compared with training on the whole batches on the processor.

    maniple run --machine dgx-h100 -- python3 apps/python/ddp.py
"""
import os
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as processes
from torch.nn.parallel import DistributedDataParallel

STEPS, EACH, INPUTS, OUTPUTS = 3, 4, 16, 4


def model():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(INPUTS, 32), torch.nn.ReLU(), torch.nn.Linear(32, OUTPUTS))


def batches(count):
    torch.manual_seed(2)
    return [(torch.randn(count, INPUTS), torch.randn(count, OUTPUTS)) for _ in range(STEPS)]


def train(net, data):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in data:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()


def work(rank, ranks):
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29500")
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=ranks)
    whole = batches(ranks * EACH)
    part = slice(rank * EACH, (rank + 1) * EACH)
    net = DistributedDataParallel(model().cuda(), device_ids=[rank])
    train(net, [(x[part].cuda(), y[part].cuda()) for x, y in whole])
    alone = model()
    train(alone, whole)
    pairs = zip(net.module.parameters(), alone.parameters())
    difference = max((a.detach().cpu() - b.detach()).abs().max().item() for a, b in pairs)
    print(f"rank {rank} of {ranks}: {'right' if difference < 1e-5 else f'wrong by {difference}'}", flush=True)
    dist.destroy_process_group()
    if difference >= 1e-5:
        sys.exit(1)


if __name__ == "__main__":
    RANKS = torch.cuda.device_count()
    processes.spawn(work, args=(RANKS,), nprocs=RANKS)
