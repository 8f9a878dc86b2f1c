# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch on several GPUs of one process: copies, streams and events, peers, DataParallel, collectives of torch.cuda.nccl, and a
tensor-parallel layer by hand. Answers are compared with those on the processor. Arguments: names of parts; none: all of them."""
import sys

import torch
from torch import nn

count, failed = torch.cuda.device_count(), []
devices = [torch.device("cuda", i) for i in range(count)]


def check(name, got, wanted, tolerance=0.0):
    good = torch.allclose(got.detach().cpu(), wanted.detach().cpu(), tolerance, tolerance)
    if not good:
        failed.append(name)
    print(f"{name}: {'right' if good else 'wrong'}", flush=True)


def copies():
    host = torch.arange(5000.0)
    for one in devices:
        for other in devices:
            check(f"from {one} to {other}", (host.to(one) + 1).to(other) * 2, (host + 1) * 2)
    pinned = host.pin_memory().to(devices[-1], non_blocking=True)
    check("from pinned memory", pinned, host)
    assert all(torch.cuda.can_device_access_peer(a, b) for a in range(count) for b in range(count) if a != b)


def streams():
    first, last = devices[0], devices[-1]
    one, other, event = torch.cuda.Stream(first), torch.cuda.Stream(last), torch.cuda.Event()
    x = torch.ones(4096, device=first)
    torch.cuda.synchronize(first)
    with torch.cuda.stream(one):
        x.mul_(3).add_(1)
        event.record(one)
    other.wait_event(event)
    with torch.cuda.stream(other):
        y = x.to(last, non_blocking=True) * 2
    other.synchronize()
    check("behind the event of another GPU", y, torch.full((4096,), 8.0))
    with torch.cuda.stream(torch.cuda.ExternalStream(other.cuda_stream, device=last)):
        y = y + 1
    other.synchronize()
    check("a stream by its handle", y, torch.full((4096,), 9.0))


def data_parallel():
    torch.manual_seed(1)
    model, x = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 8)), torch.randn(8 * count, 32)
    wanted = model(x)
    wanted.square().sum().backward()
    gradients = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    model = model.to(devices[0])
    got = nn.DataParallel(model, device_ids=list(range(count)))(x.to(devices[0]))
    got.square().sum().backward()
    check("DataParallel", got, wanted, 1e-5)
    for p, q in zip(model.parameters(), gradients):
        check("DataParallel: gradients", p.grad, q, 1e-4)


def collectives():
    parts = [torch.arange(1000.0) * (i + 1) for i in range(count)]
    whole = torch.stack(parts).sum(0)
    sums = [x.to(d) for x, d in zip(parts, devices)]
    torch.cuda.nccl.all_reduce(sums)
    for x in sums:
        check("all-reduce", x, whole)
    given = [x.to(d) for x, d in zip(parts, devices)]
    all_of = [torch.empty(count, 1000, device=d) for d in devices]
    torch.cuda.nccl.all_gather(given, all_of)
    for x in all_of:
        check("all-gather", x, torch.stack(parts))


def tensor_parallel():
    """A layer of LLaMA's form: columns of the first two products on each GPU, rows of the third, and a sum."""
    torch.manual_seed(2)
    x, gate, up, down = torch.randn(16, 64), torch.randn(64, 128), torch.randn(64, 128), torch.randn(128, 64)
    wanted = (nn.functional.silu(x @ gate) * (x @ up)) @ down
    sums = []
    for i, d in enumerate(devices):
        own = slice(128 // count * i, 128 // count * (i + 1))
        here = x.to(d)
        sums.append((nn.functional.silu(here @ gate[:, own].to(d)) * (here @ up[:, own].to(d))) @ down[own].to(d))
    torch.cuda.nccl.all_reduce(sums)
    for y in sums:
        check("tensor parallel", y, wanted, 1e-3)


for part in copies, streams, data_parallel, collectives, tensor_parallel:
    if len(sys.argv) < 2 or part.__name__ in sys.argv[1:]:
        part()
print("wrong" if failed else "right")
sys.exit(bool(failed))
