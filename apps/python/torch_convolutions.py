# SPDX-License-Identifier: BSD-3-Clause
"""Convolutions of PyTorch and their gradients on the simulated GPU beside the same on the processor. With MANIPLE_CUDNN=1 they
go through the drop-in libcudnn, and otherwise by PyTorch's own kernels."""
import torch
import torch.nn.functional as F

torch.manual_seed(5)
torch.set_num_threads(1)
BOUNDS = {torch.float32: 2e-5, torch.float64: 1e-12, torch.float16: 4e-3, torch.bfloat16: 3e-2}
CASES = {  # name: function, shape of x, shape of w, options
    "plain": (F.conv2d, (2, 3, 12, 10), (8, 3, 3, 3), dict(padding=1)),
    "strides": (F.conv2d, (2, 4, 13, 11), (6, 4, 3, 5), dict(stride=(2, 3), padding=(1, 2))),
    "dilation": (F.conv2d, (1, 4, 14, 15), (4, 4, 3, 3), dict(dilation=(2, 3))),
    "groups": (F.conv2d, (2, 8, 9, 9), (12, 2, 3, 3), dict(groups=4, padding=1)),
    "a channel each": (F.conv2d, (2, 10, 9, 9), (10, 1, 3, 3), dict(groups=10)),
    "one dimension": (F.conv1d, (3, 5, 40), (7, 5, 4), dict(stride=3)),
    "three dimensions": (F.conv3d, (1, 2, 5, 6, 7), (4, 2, 2, 3, 3), dict(padding=1)),
    "many channels": (F.conv2d, (2, 72, 8, 8), (64, 72, 3, 3), dict(padding=1)),
    "transposed": (F.conv_transpose2d, (2, 6, 5, 7), (6, 4, 3, 3), dict(stride=2, padding=1, output_padding=1)),
}


def answers(device, type, last, function, shapes, options):
    random = torch.Generator().manual_seed(3)
    channels = shapes[1][1] if function is F.conv_transpose2d else shapes[1][0]
    form = torch.channels_last if last else torch.contiguous_format
    x, w, b = (torch.randn(shape, generator=random).to(device, type) for shape in (*shapes, (channels,)))
    if last:
        x, w = x.to(memory_format=form), w.to(memory_format=form)
    for each in x, w, b:
        each.requires_grad_()
    y = function(x, w, b, **options)
    slope = torch.randn(y.shape, generator=random).to(device, type)
    return [each.detach().cpu().double() for each in (y, *torch.autograd.grad(y, (x, w, b), slope))]


wrong = []
for name, (function, *shapes, options) in CASES.items():
    for type, bound in BOUNDS.items():
        for last in (False, True):
            if last and len(shapes[0]) != 4:
                continue
            ours = answers("cuda", type, last, function, shapes, options)
            theirs = answers("cpu", type, last, function, shapes, options)
            for what, a, b in zip(("y", "gradient of x", "of w", "of the bias"), ours, theirs):
                off = ((a - b).abs().max() / b.abs().max()).item()
                if not off <= bound:
                    wrong.append(f"{name}, {type}, {'channels last, ' if last else ''}{what}: off by {off:.2g} of the largest value")
print("\n".join(wrong) if wrong else "right")
