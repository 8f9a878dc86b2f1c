# SPDX-License-Identifier: BSD-3-Clause
"""torch.compile: the compiler of PyTorch makes Triton kernels of a function, which run on the simulated GPU."""

import torch


def work(x, weight):
    return torch.nn.functional.gelu(x @ weight + 1).sum(-1)


def rotate(x):
    """Rotary embedding, whose sines and cosines have an array in local memory."""
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[0], device=x.device)[:, None] * 10000.0 ** (-torch.arange(half, device=x.device) / half)
    left, right = x[:, :half], x[:, half:]
    return torch.cat((left * angles.cos() - right * angles.sin(), right * angles.cos() + left * angles.sin()), -1)


def error_of(here, there):
    return ((here - there.cpu()).abs().max() / here.abs().max()).item()


torch.manual_seed(2)
x, weight = torch.randn(64, 128), torch.randn(128, 256)
error = error_of(work(x, weight), torch.compile(work)(x.cuda(), weight.cuda()))
error = max(error, error_of(rotate(x), torch.compile(rotate)(x.cuda())))
print("right" if error < 1e-5 else f"wrong by {error}")
