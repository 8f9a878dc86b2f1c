# SPDX-License-Identifier: BSD-3-Clause
"""torch.compile: the compiler of PyTorch makes Triton kernels of a function, which run on the simulated GPU."""

import torch


def work(x, weight):
    return torch.nn.functional.gelu(x @ weight + 1).sum(-1)


torch.manual_seed(2)
x, weight = torch.randn(64, 128), torch.randn(128, 256)
here, there = work(x, weight), torch.compile(work)(x.cuda(), weight.cuda()).cpu()
error = ((here - there).abs().max() / here.abs().max()).item()
print("right" if error < 1e-5 else f"wrong by {error}")
