# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch's own kernels beside PyTorch on the processor: what models are made of, each on a few numbers."""

import torch
from torch.nn import functional as F

torch.manual_seed(1)
x = torch.randn(8, 128)
image = torch.randn(2, 3, 16, 16)
half = torch.randn(1, 2, 64, 64).half()

cases = {
    "arithmetic": (lambda x: torch.where(x > 0, x * 2 + 1, -x).exp().log1p(), x),
    "sums": (lambda x: torch.stack([x.sum(1), x.amax(1), x.var(1), x.norm(dim=1)]), x),
    "softmax": (lambda x: torch.softmax(x, -1), x),
    "layer norm": (lambda x: F.layer_norm(x, (128,)), x),
    "sort": (lambda x: x.sort(1).values, x),
    "top five": (lambda x: x.topk(5, 1).values, x),
    "running sums": (lambda x: x.cumsum(1), x),
    "gather": (lambda x: x.gather(1, x.argsort(1).flip(1)), x),
    "scatter": (lambda x: torch.zeros_like(x).index_add_(0, torch.arange(8, device=x.device).flip(0), x), x),
    "transpose": (lambda x: torch.cat([x.t().contiguous(), x.t()], 1), x),
    "product": (lambda a, b: a @ b, torch.randn(48, 80), torch.randn(80, 32)),
    "product of halves": (lambda a, b: (a @ b).float(), torch.randn(64, 96).half(), torch.randn(96, 48).half()),
    "batch of products": (torch.bmm, torch.randn(4, 16, 24), torch.randn(4, 24, 8)),
    "convolution": (lambda i, w: F.conv2d(i, w, padding=1), image, torch.randn(8, 3, 3, 3)),
    "pooling": (lambda i: F.max_pool2d(i, 2), image),
    "batch norm": (lambda i: F.batch_norm(i, None, None, training=True), image),
    "bilinear": (lambda i: F.interpolate(i, scale_factor=2, mode="bilinear"), image),
    "attention": (lambda q: F.scaled_dot_product_attention(q, q, q, is_causal=True).float(), half),
    "Fourier": (lambda x: torch.view_as_real(torch.fft.rfft(x)), x),
    "Fourier of halves": (lambda h: torch.view_as_real(torch.fft.rfft(h if h.is_cuda else h.float()).to(torch.complex64)), half),
    "sparse": (lambda x: torch.sparse.mm(x.to_sparse(), x.t()), x),
    "sparse by sparse": (lambda x: torch.sparse.mm((x * (x > 0.5)).to_sparse(), (x * (x < 0)).t().to_sparse()).to_dense(), x),
}

wrong = 0
for name, (work, *inputs) in cases.items():
    here = work(*inputs).float()
    there = work(*(value.cuda() for value in inputs)).cpu().float()
    error = ((here - there).abs().max() / here.abs().max()).item()
    if not error < (2e-3 if inputs[0].dtype == torch.half else 2e-5):
        print(f"{name}: wrong by {error}")
        wrong += 1

graph, value = torch.cuda.CUDAGraph(), torch.ones(16, device="cuda")
with torch.cuda.graph(graph):
    out = value * 3 + 1
value.fill_(2)
graph.replay()
if out.sum().item() != 16 * 7:
    print("a graph's replay is wrong")
    wrong += 1
print("right" if not wrong else f"{wrong} of {len(cases) + 1} are wrong")
