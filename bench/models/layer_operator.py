# SPDX-License-Identifier: BSD-3-Clause
"""One operator of a transformer layer as PyTorch computes it, kernel by kernel: layer_operator.py NAME KIND NUMBER... CALLS.

bench/models.py runs it where PyTorch's own kernels were measured. The host waits between two calls. Inputs are not written: times do not depend on them.
"""
import sys

import torch
import torch.nn.functional as F


def empty(kind, *shape):
    return torch.empty(*shape, dtype=kind, device="cuda")


def norm(kind, calls, tokens, width):
    """The root of the mean square in single precision, as models of Hugging Face have it: eight kernels."""
    x, weight = empty(kind, 1, tokens, width), empty(kind, width)

    def call(_):
        wide = x.to(torch.float32)
        mean = wide.pow(2).mean(-1, keepdim=True)
        wide = wide * torch.rsqrt(mean + 1e-5)
        return weight * wide.to(kind)
    return call


def activation(kind, calls, tokens, width):
    gate, up = empty(kind, tokens, width), empty(kind, tokens, width)
    return lambda _: F.silu(gate) * up


def add(kind, calls, tokens, width):
    x, y = empty(kind, tokens, width), empty(kind, tokens, width)
    return lambda _: x + y


def embedding(kind, calls, tokens, width, words):
    """Every call looks up other words, which lie far from one another: gigabytes of weights go through the caches in between."""
    table = empty(kind, words, width)
    ids = torch.tensor([[(i * 2654435761 + 12345) % words for i in range(j * tokens, (j + 1) * tokens)] for j in range(calls)]).cuda()
    return lambda i: F.embedding(ids[i], table)


def turned(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def rotary(kind, calls, tokens, heads, kv_heads, width):
    """Queries and keys with cosines and sines that are there already: five kernels for each, as models of Hugging Face have them."""
    queries, keys = (empty(kind, 1, tokens, count, width).transpose(1, 2) for count in (heads, kv_heads))
    cosine, sine = empty(kind, 1, 1, tokens, width), empty(kind, 1, 1, tokens, width)
    return lambda _: [x * cosine + turned(x) * sine for x in (queries, keys)]


def main():
    name, kind, *numbers, calls = sys.argv[1:]
    call = {"norm": norm, "activation": activation, "add": add, "embedding": embedding,
            "rotary": rotary}[name](getattr(torch, kind), int(calls), *map(int, numbers))
    with torch.no_grad():
        for i in range(int(calls)):
            call(i)
            torch.cuda.synchronize()


main()
