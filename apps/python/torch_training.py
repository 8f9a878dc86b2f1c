# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch: some steps of training on the simulated GPU, backward passes and AdamW included, beside the processor's."""

import torch
from torch.nn import functional as F


def train(device, steps=4):
    torch.manual_seed(3)
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.GELU(), torch.nn.MaxPool2d(2),
                                torch.nn.Flatten(), torch.nn.Linear(8 * 7 * 7, 32), torch.nn.ReLU(), torch.nn.Linear(32, 10))
    images, labels = torch.randn(16, 1, 14, 14), torch.arange(16) % 10
    model, images, labels = model.to(device), images.to(device), labels.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


here, there = train("cpu"), train("cuda")
error = max(abs(a - b) for a, b in zip(here, there))
print("right" if error < 1e-4 and there[-1] < there[0] else f"wrong by {error}: {here} and {there}")
