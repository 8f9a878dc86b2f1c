# SPDX-License-Identifier: BSD-3-Clause
"""Time by layer: a small recurrent model, whose layers mark themselves with ranges of NVTX, and a step of training.
Usage: maniple run --machine a100 -q -o layers -- python3 torch_layers.py; maniple report layers"""
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 64)
        self.gru = nn.GRU(64, 96, batch_first=True)
        self.norm = nn.LayerNorm(96)
        self.out = nn.Linear(96, 100)

    def forward(self, words):
        return self.out(self.norm(self.gru(self.embed(words))[0]))


def mark(model):
    """Each layer in a range of its name. Hooks that return something would change the layer's input or output."""
    for name, layer in model.named_children():
        layer.register_forward_pre_hook(lambda *_, name=name: (torch.cuda.nvtx.range_push(name), None)[1])
        layer.register_forward_hook(lambda *_: (torch.cuda.nvtx.range_pop(), None)[1])


def step(model, words):
    loss = nn.functional.cross_entropy(model(words).flatten(0, 1), words.flatten())
    with torch.cuda.nvtx.range("backward"):
        loss.backward()
    return loss.item()


def main():
    torch.manual_seed(0)
    model, words = Model(), torch.randint(100, (4, 6))
    wanted = step(model, words)
    model.zero_grad()
    model.to("cuda")
    mark(model)
    with torch.cuda.nvtx.range("step"):
        got = step(model, words.to("cuda"))
    print(f"loss {got:.4f}:", "right" if abs(got - wanted) < 1e-4 else f"wrong, {wanted:.4f} on the processor")


main()
