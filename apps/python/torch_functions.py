# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch: 127 functions, layers, losses and optimizers on the simulated GPU beside the processor."""

import torch
from torch.nn import functional as F

torch.manual_seed(0)
signed, positive, image = torch.randn(8, 128), torch.rand(8, 128), torch.randn(2, 4, 12, 12)
cases = []  # name, work, inputs, tolerance


def case(name, work, *inputs, tolerance=2e-4):
    cases.append((name, work, inputs, tolerance))


def first(result):
    return result[0] if isinstance(result, tuple) else result


def layer(make):
    """A module of the same weights on both sides."""
    def work(*inputs):
        torch.manual_seed(1)
        return first(make().to(inputs[0].device).eval()(*inputs)).detach()
    return work


def trained(name):
    """Weights after two steps of an optimizer."""
    def work(x):
        torch.manual_seed(1)
        model = torch.nn.Linear(16, 4).to(x.device)
        optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.01)
        for _ in range(2):
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()
        return model.weight.detach()
    return work


def convolution_backwards(x):
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Conv2d(4, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Conv2d(8, 2, 3))
    model.to(x.device)(x).square().mean().backward()
    return model[0].weight.grad


def attention_backwards(x):
    q = x.clone().requires_grad_()
    F.scaled_dot_product_attention(q, q, q, is_causal=True).float().square().sum().backward()
    return q.grad


def connectionist(x):
    return F.ctc_loss(F.log_softmax(x, -1), torch.ones(2, 3, dtype=torch.long, device=x.device), torch.tensor([10, 10]),
                      torch.tensor([3, 3]))


for name in """abs acos asin atan ceil cos cosh digamma erf erfc erfinv exp exp2 expm1 floor frac lgamma log log10 log1p log2 neg
               reciprocal round rsqrt sigmoid sign sin sinh sqrt square tan tanh trunc i0 sinc logit""".split():
    case(name, getattr(torch, name), positive * 0.9 + 0.05, tolerance=1e-3)
for name in """relu elu celu selu silu gelu mish softplus softsign hardtanh hardswish leaky_relu glu logsigmoid
               tanhshrink""".split():
    case(name, getattr(F, name), signed)
for name in "mean median mode prod std var cumprod cummax argmax argmin any all norm".split():
    case(name, lambda x, name=name: first(getattr(torch, name)(x, dim=1)), positive)

case("log of sums", lambda x: x.logsumexp(1), signed)
case("differences", torch.diff, signed)
case("roll", lambda x: x.roll(3, 1).flip(0), signed)
case("triangle", torch.tril, signed)
case("linspace", lambda x: torch.linspace(0, 1, 77, device=x.device), signed)
case("bincount", lambda x: torch.bincount((x * 9).long().flatten()), positive)
case("histogram", lambda x: torch.histc(x, 10, 0, 1), positive)
case("search", lambda x: torch.searchsorted(x[0].sort().values, x[1]), positive)
case("unique", lambda x: (x * 9).long().unique(), positive)
case("nonzero", lambda x: (x > 0).nonzero(), signed)
case("k-th value", lambda x: x.kthvalue(5, 1).values, signed)
case("membership", lambda x: torch.isin((x * 9).long(), torch.arange(4, device=x.device)), positive)
case("distances", lambda x: torch.cdist(x, x + 1), signed, tolerance=1e-3)
case("outer product", lambda x: torch.outer(x[0], x[1]), signed)
case("matrix by vector", lambda x: x @ x[0], signed)
case("dot product", lambda x: x[0] @ x[1], signed)
case("einsum", lambda a, b: torch.einsum("bij,bjk->bik", a, b), torch.randn(2, 8, 16), torch.randn(2, 16, 8))
case("sum of products", lambda a, b: torch.baddbmm(torch.ones(4, 8, 8, device=a.device), a, b), torch.randn(4, 8, 16),
     torch.randn(4, 16, 8))
case("doubles", lambda x: x.double() @ x.double().t(), signed)
case("complex numbers", lambda x: (torch.complex(x, x) * torch.complex(x, -x)).abs(), signed)
case("integers", lambda x: (x * 100).int() // 7, signed)
case("bytes", lambda x: (x * 10).to(torch.int8), signed)
case("eight-bit floats", lambda x: x.to(torch.float8_e4m3fn).float(), signed)
case("sums of bfloat16", lambda x: x.bfloat16().sum(1), signed, tolerance=1e-2)
case("convolution, 1-D", F.conv1d, torch.randn(2, 4, 30), torch.randn(6, 4, 5))
case("convolution, 3-D", F.conv3d, torch.randn(1, 2, 6, 6, 6), torch.randn(3, 2, 3, 3, 3))
case("dilated convolution", lambda x, w: F.conv2d(x, w, dilation=2), image, torch.randn(6, 4, 3, 3))
case("grouped convolution", lambda x, w: F.conv2d(x, w, groups=2), image, torch.randn(6, 2, 3, 3))
case("depthwise convolution", lambda x, w: F.conv2d(x, w, groups=4), image, torch.randn(4, 1, 3, 3))
case("transposed convolution", F.conv_transpose2d, image, torch.randn(4, 3, 3, 3))
case("convolution of halves", F.conv2d, image.half(), torch.randn(6, 4, 3, 3).half(), tolerance=3e-3)
case("mean pooling", lambda x: F.avg_pool2d(x, 3), image)
case("adaptive pooling", lambda x: F.adaptive_avg_pool2d(x, 5), image)
case("group norm", lambda x: F.group_norm(x, 2), image)
case("instance norm", F.instance_norm, image)
case("bicubic", lambda x: F.interpolate(x, scale_factor=2, mode="bicubic"), image, tolerance=1e-3)
case("nearest", lambda x: F.interpolate(x, scale_factor=2), image)
case("grid sample", lambda x: F.grid_sample(x, torch.full((2, 5, 5, 2), 0.3, device=x.device), align_corners=False), image)
case("pixel shuffle", lambda x: F.pixel_shuffle(x, 2), image)
case("reflecting border", lambda x: F.pad(x, (1, 2, 3, 1), mode="reflect"), image)
case("unfold", lambda x: F.unfold(x, 3), image)
case("bag of embeddings", lambda w: F.embedding_bag(torch.arange(12, device=w.device).view(3, 4) % 8, w), signed)
case("LSTM", layer(lambda: torch.nn.LSTM(16, 8)), torch.randn(5, 2, 16))
case("GRU", layer(lambda: torch.nn.GRU(16, 8)), torch.randn(5, 2, 16))
case("heads", layer(lambda: torch.nn.MultiheadAttention(32, 4)), *[torch.randn(6, 2, 32)] * 3)
case("encoder", layer(lambda: torch.nn.TransformerEncoderLayer(32, 4, 64, dropout=0)), torch.randn(6, 2, 32))
case("attention of bfloat16", lambda q: F.scaled_dot_product_attention(q, q, q), torch.randn(1, 2, 64, 128).bfloat16(),
     tolerance=2e-2)
case("attention with a mask", lambda q: F.scaled_dot_product_attention(
    q, q, q, attn_mask=torch.ones(64, 64, device=q.device).tril().bool()), torch.randn(1, 2, 64, 32))
case("squares' loss", lambda x: F.mse_loss(x, x + 0.5), signed)
case("entropy's loss", lambda x: F.binary_cross_entropy(x, 1 - x), positive * 0.9 + 0.05)
case("divergence", lambda x: F.kl_div(x.log(), x.flip(0), reduction="sum"), positive + 0.1)
case("connectionist loss", connectionist, torch.randn(10, 2, 6))
for name in "SGD Adam AdamW RMSprop Adagrad Adadelta NAdam".split():
    case(name, trained(name), torch.randn(8, 16))
case("convolution backwards", convolution_backwards, image, tolerance=1e-3)
case("attention backwards", attention_backwards, torch.randn(1, 2, 64, 32), tolerance=1e-3)
case("attention of halves backwards", attention_backwards, torch.randn(1, 2, 64, 64).half(), tolerance=2e-2)

wrong = 0
for name, work, inputs, tolerance in cases:
    here, there = work(*inputs).double(), work(*(value.cuda() for value in inputs)).cpu().double()
    error = ((here - there).abs().max() / (here.abs().max() + 1e-30)).item()
    if not error < tolerance:
        print(f"{name}: wrong by {error}")
        wrong += 1
print("right" if not wrong else f"{wrong} of {len(cases)} are wrong")
