# SPDX-License-Identifier: BSD-3-Clause
"""One operator of PyTorch in single precision on BATCH x WIDTH numbers, as bench/pytorch.py runs it: pytorch_row.py OPERATOR BATCH WIDTH BEFORE.
The call that counts is the last one. In a measurement it follows others like it, whose last lines are in the L2, dirty in part: here it follows
a call on as many of the last rows as have BEFORE numbers, which fill the L2. A `u` behind an operator's name: its second operand is a scalar."""
import sys

import torch


def operators(width):
    scalar = 0.7
    return {
        "add": torch.add, "mul": torch.mul, "div": torch.div, "pow": torch.pow,
        "addu": lambda a: torch.add(a, scalar), "mulu": lambda a: torch.mul(a, scalar),
        "divu": lambda a: torch.div(a, scalar), "powu": lambda a: torch.pow(a, scalar),
        "relu": torch.nn.ReLU(), "gelu": torch.nn.GELU(), "ln": torch.nn.LayerNorm(width, device="cuda"),
    }


def main():
    name, batch, width, before = sys.argv[1], *map(int, sys.argv[2:5])
    operands = [torch.empty(batch, width, device="cuda") for _ in range(2 if name in ("add", "mul", "div", "pow") else 1)]
    operator = operators(width)[name]
    rows = min(batch, -(-before // width))
    with torch.no_grad():
        for last in (rows, batch):
            out = operator(*(operand[batch - last:] for operand in operands))
            torch.cuda.synchronize()
            del out # where the whole batch fits, the second call's result takes the place of the first one's


main()
