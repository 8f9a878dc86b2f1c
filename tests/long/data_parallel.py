# SPDX-License-Identifier: BSD-3-Clause
"""One step of DistributedDataParallel over the processes of torchrun, in simulated time: the gradient beside that of the whole
batch on the processor."""
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("nccl")
rank = dist.get_rank()
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))


def model():
    torch.manual_seed(1)
    return torch.nn.Linear(16, 4)


torch.manual_seed(2)
x, y = torch.randn(8, 16), torch.randn(8, 4)
spread = DistributedDataParallel(model().cuda(), device_ids=[rank])
part = slice(rank * 4, rank * 4 + 4)
torch.nn.functional.mse_loss(spread(x[part].cuda()), y[part].cuda()).backward()
torch.cuda.synchronize()
whole = model()
torch.nn.functional.mse_loss(whole(x), y).backward()
difference = (spread.module.weight.grad.cpu() - whole.weight.grad).abs().max().item()
print(f"rank {rank}: {'right' if difference < 1e-6 else 'wrong'}", flush=True)
dist.destroy_process_group()
