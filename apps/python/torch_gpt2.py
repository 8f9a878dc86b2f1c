# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch: a forward pass in the shapes of GPT-2 124M, in half precision, beside single precision on the processor. The
weights are random. Usage: torch_gpt2.py [LAYERS [TOKENS]]; 12 layers and 64 tokens without."""

import sys

import torch
from torch import nn
from torch.nn import functional as F

WIDTH, HEADS, WORDS, LONGEST = 768, 12, 50257, 1024


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.heads, self.join = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wider, self.narrower = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        batch, tokens, _ = x.shape
        q, k, v = (part.view(batch, tokens, HEADS, -1).transpose(1, 2) for part in self.heads(self.before(x)).chunk(3, -1))
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.join(seen.transpose(1, 2).reshape(batch, tokens, WIDTH))
        return x + self.narrower(F.gelu(self.wider(self.between(x)), approximate="tanh"))


class Model(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LONGEST, WIDTH)
        self.blocks, self.last = nn.Sequential(*(Block() for _ in range(layers))), nn.LayerNorm(WIDTH)

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        return self.last(self.blocks(x)) @ self.words.weight.t()


layers, count = (int(word) for word in (sys.argv[1:] + ["12", "64"][len(sys.argv) - 1:]))
torch.manual_seed(5)
model = Model(layers).eval()
for weight in model.parameters():
    weight.data.mul_(0.02) if weight.dim() == 2 and weight.shape[0] in (WORDS, LONGEST) else None
tokens = torch.randint(0, WORDS, (1, count))
with torch.no_grad():
    here = model(tokens)
    there = model.half().cuda()(tokens.cuda()).float().cpu()
error = ((here - there).abs().max() / here.abs().max()).item()
print("right" if error < 0.02 else f"wrong by {error}")
