# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch over several processes with a GPU each (torchrun, backend nccl): collectives, and a small model in the ways in which
models are spread: data parallel (DDP), sharded (FSDP2), tensor parallel, as a pipeline, and a mixture of experts. Answers are
compared with those of one process on the processor. Arguments: names of parts; none: all of them."""
import os
import sys

import torch
import torch.distributed as dist
from torch import nn

rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
failed = []


def check(name, got, wanted, tolerance=0.0):
    good = got.shape == wanted.shape and torch.allclose(got.detach().cpu().double(), wanted.detach().cpu().double(), tolerance, tolerance)
    if not good:
        failed.append(name)
    if not good or rank == 0:
        print(f"rank {rank}: {name}: {'right' if good else 'wrong'}", flush=True)


def numbers(of, *shape, kind=torch.float32):
    return torch.randint(-9, 10, shape, generator=torch.Generator().manual_seed(of)).to(kind)


def collectives():
    for kind in torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.uint8:
        parts = [numbers(i, 1000, kind=kind) for i in range(ranks)]
        x = parts[rank].to(device)
        dist.all_reduce(x)
        check(f"all-reduce of {kind}", x, torch.stack(parts).sum(0).to(kind))
    parts = [numbers(7 + i, 6 * ranks) for i in range(ranks)]
    stack = torch.stack(parts)
    for operation, wanted in (dist.ReduceOp.MAX, stack.max(0)[0]), (dist.ReduceOp.AVG, stack.mean(0)):
        x = parts[rank].to(device)
        dist.all_reduce(x, operation)
        check(f"all-reduce, {operation}", x, wanted, 1e-6)
    large = [numbers(i, 100000) for i in range(ranks)]
    x = large[rank].to(device)
    dist.all_reduce(x)
    check("all-reduce of 400,000 bytes", x, torch.stack(large).sum(0))
    x = parts[rank].to(device)
    dist.broadcast(x, ranks - 1)
    check("broadcast", x, parts[-1])
    x = parts[rank].to(device)
    dist.reduce(x, 0)
    if rank == 0:
        check("reduce", x, stack.sum(0))
    x, to = parts[rank].to(device), torch.empty(6 * ranks * ranks, device=device)
    dist.all_gather_into_tensor(to, x)
    check("all-gather", to, stack.flatten())
    to = torch.empty(6, device=device)
    dist.reduce_scatter_tensor(to, x)
    check("reduce-scatter", to, stack.sum(0)[6 * rank:6 * rank + 6])
    to = torch.empty(6 * ranks, device=device)
    dist.all_to_all_single(to, x)
    check("all-to-all", to, torch.cat([p[6 * rank:6 * rank + 6] for p in parts]))
    to = [torch.empty(6 * ranks, device=device) for _ in range(ranks)] if rank == 0 else None
    dist.gather(x, to, 0)
    if rank == 0:
        check("gather", torch.cat(to), stack.flatten())
    to = torch.empty(6 * ranks, device=device)
    operations = [dist.P2POp(dist.isend, x, (rank + 1) % ranks), dist.P2POp(dist.irecv, to, (rank - 1) % ranks)]
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    check("send and receive", to, parts[rank - 1])
    objects = [None] * ranks
    dist.all_gather_object(objects, {"rank": rank})
    check("objects", torch.tensor([each["rank"] for each in objects]), torch.arange(ranks))
    dist.barrier()


def model():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 8))


inputs, targets = numbers(3, 4 * ranks, 16) / 9, numbers(4, 4 * ranks, 8) / 9
own = slice(4 * rank, 4 * rank + 4)


def steps(model, x, y, count=3):
    """Losses of some steps of training."""
    optimizer, losses = torch.optim.AdamW(model.parameters(), 0.01), []
    for _ in range(count):
        optimizer.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


def mean_of_ranks(losses):
    dist.all_reduce(losses, dist.ReduceOp.AVG)
    return losses


def data_parallel():
    alone = model()
    wanted = steps(alone, inputs, targets)
    spread = nn.parallel.DistributedDataParallel(model().to(device), device_ids=[device.index])
    got = mean_of_ranks(steps(spread, inputs[own].to(device), targets[own].to(device)))
    check("data parallel: losses", got, wanted, 1e-5)
    for p, q in zip(spread.parameters(), alone.parameters()):
        check("data parallel: weights", p, q, 1e-4)
    for p, q in zip(spread.parameters(), alone.parameters()):
        check("data parallel: gradients", p.grad, q.grad, 1e-4)


def sharded():
    from torch.distributed.fsdp import fully_shard
    alone = model()
    wanted = steps(alone, inputs, targets)
    spread = model().to(device)
    for layer in spread:
        if isinstance(layer, nn.Linear):
            fully_shard(layer)
    fully_shard(spread)
    got = mean_of_ranks(steps(spread, inputs[own].to(device), targets[own].to(device)))
    check("sharded: losses", got, wanted, 1e-5)
    for p, q in zip(spread.parameters(), alone.parameters()):
        check("sharded: weights", p.full_tensor(), q, 1e-4)


def tensor_parallel():
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
    alone = model()[:3]
    wanted = alone(inputs)
    wanted.square().sum().backward()
    mesh = init_device_mesh("cuda", (ranks,))
    spread = parallelize_module(model()[:3].to(device), mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    got = spread(inputs.to(device))
    got.square().sum().backward()
    check("tensor parallel", got, wanted, 1e-5)
    for p, q in zip(spread.parameters(), alone.parameters()):
        check("tensor parallel: gradients", p.grad.full_tensor(), q.grad, 1e-4)


def pipeline():
    """A stage for each rank; the batch in four parts, forward and then backward (GPipe)."""
    from torch.distributed.pipelining import PipelineStage, ScheduleGPipe
    if ranks != 2:
        return
    alone = model()
    loss = (alone(inputs) - targets).square().mean()
    loss.backward()
    stage = (model()[:3] if rank == 0 else model()[3:]).to(device)
    schedule = ScheduleGPipe(PipelineStage(stage, rank, ranks, device), 4, loss_fn=lambda x, y: (x - y).square().mean())
    losses = []
    if rank == 0:
        schedule.step(inputs.to(device))
    else:
        schedule.step(target=targets.to(device), losses=losses)
        check("pipeline: loss", torch.stack(losses).mean(), loss, 1e-5)
    for p, q in zip(stage.parameters(), (alone[:3] if rank == 0 else alone[3:]).parameters()):
        check("pipeline: gradients", p.grad, q.grad, 1e-4)


def experts():
    """An expert on each rank; each token goes to one of them and comes back."""
    torch.manual_seed(2)
    all_experts = [nn.Linear(16, 16) for _ in range(ranks)]
    choice = torch.randint(0, ranks, (4 * ranks,))
    wanted = torch.stack([all_experts[e](x) for e, x in zip(choice.tolist(), inputs)])[own]
    mine, expert = choice[own], all_experts[rank].to(device)
    order = mine.argsort(stable=True)
    tokens = inputs[own][order].to(device)
    give = torch.bincount(mine, minlength=ranks).to(device)
    take = torch.empty_like(give)
    dist.all_to_all_single(take, give)
    give, take = give.tolist(), take.tolist()
    here = torch.empty(sum(take), 16, device=device)
    dist.all_to_all_single(here, tokens, take, give)
    back = torch.empty_like(tokens)
    dist.all_to_all_single(back, expert(here).detach(), give, take)
    got = torch.empty_like(back)
    got[order.to(device)] = back
    check("mixture of experts", got, wanted, 1e-5)


parts = [collectives, data_parallel, sharded, tensor_parallel, pipeline, experts]
torch.cuda.set_device(device)
dist.init_process_group("nccl", device_id=device)
for part in parts:
    if len(sys.argv) < 2 or part.__name__ in sys.argv[1:]:
        part()
failures = torch.tensor(len(failed), device=device)
dist.all_reduce(failures)
dist.destroy_process_group()
if rank == 0:
    print("right" if not failures.item() else "wrong", flush=True)
sys.exit(bool(failures.item()))
