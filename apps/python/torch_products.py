# SPDX-License-Identifier: BSD-3-Clause
"""Products of PyTorch that a GPU of compute capability 9.0 has, by cuBLASLt or CUTLASS in its wheel, beside double precision."""

import torch

torch.manual_seed(1)
eight, short = torch.float8_e4m3fn, torch.bfloat16
offsets = torch.tensor([16, 16, 80, 88], dtype=torch.int32)  # of four groups, one of which is empty
ends = [0, *offsets.tolist()]
rows, columns = torch.rand(88, 1) + 0.5, torch.rand(1, 64) + 0.5
a, b = torch.randn(88, 64), torch.randn(4, 64, 64)


def grouped(left, right):  # each group's rows by its own matrix, of which rows are columns
    return torch.cat([left[ends[i]:ends[i + 1]].double() @ right[i].double().t() for i in range(4)])


def there(value):
    return value.cuda()


fast = {"use_fast_accum": True, "out_dtype": short}
slow = {"use_fast_accum": False, "out_dtype": short}
a8, b8, a16, b16 = a.to(eight), b.to(eight), a.to(short), b.to(short)
one, other = torch.tensor(0.75), torch.tensor(1.25)
many = torch.rand(4, 64) + 0.5
halves = torch.randn(2, 64, 64).to(short)

cases = {
    "FP8": (lambda: torch._scaled_mm(there(a8[:80]), there(b8[0]).t(), there(one), there(other), **slow),
            0.75 * 1.25 * (a8[:80].double() @ b8[0].double().t())),
    "FP8, scales of rows": (lambda: torch._scaled_mm(there(a8[:80]), there(b8[0]).t(), there(rows[:80]), there(columns), **fast),
                            (a8[:80].double() * rows[:80]) @ (b8[0].double().t() * columns)),
    "groups": (lambda: torch._grouped_mm(there(a16), there(b16).transpose(1, 2), offs=there(offsets), out_dtype=short),
               grouped(a16, b16)),
    "groups of equal size": (lambda: torch._grouped_mm(there(halves), there(halves).transpose(1, 2), out_dtype=short),
                             halves.double() @ halves.double().transpose(1, 2)),
    "groups of FP8": (lambda: torch._scaled_grouped_mm(there(a8), there(b8).transpose(1, 2), there(rows[:, 0]), there(many),
                                                       offs=there(offsets), **slow),
                      grouped(a8.double() * rows, b8.double() * many[:, :, None])),
    "bytes": (lambda: torch._int_mm(there((a * 40).to(torch.int8)), there((b[0] * 40).to(torch.int8))),
              (a * 40).to(torch.int8).double() @ (b[0] * 40).to(torch.int8).double()),
}

wrong = 0
for name, (work, right) in cases.items():
    error = ((work().cpu().double() - right).abs().max() / right.abs().max()).item()
    if not error < (4e-3 if name != "bytes" else 1e-12):
        print(f"{name}: wrong by {error}")
        wrong += 1
print("right" if not wrong else f"{wrong} of {len(cases)} are wrong")
