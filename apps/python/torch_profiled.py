# SPDX-License-Identifier: BSD-3-Clause
"""torch.profiler with all activities: the host's are recorded, the device's are in Maniple's results."""

import torch
from torch.profiler import ProfilerActivity, profile, record_function

x = torch.randn(64, 64)
there = x.cuda()
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as first:
    with record_function("product"):
        result = (there @ there).cpu()
with profile() as second:
    there.sum().item()
names = {event.key for event in first.key_averages()} | {event.key for event in second.key_averages()}
right = torch.allclose(result, x @ x, atol=1e-3) and {"product", "aten::mm", "aten::sum"} <= names
print("right" if right else f"wrong: {sorted(names)}")
