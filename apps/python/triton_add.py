# SPDX-License-Identifier: BSD-3-Clause
"""A Triton kernel: the sum of two vectors. The lines that differ from a program with PyTorch are those with `arrays`."""

import numpy
import triton
import triton.language as tl
from maniple import arrays


@triton.jit
def add(x, y, out, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


x, y = numpy.random.default_rng(1).random((2, 98432), dtype=numpy.float32)
out = arrays.empty(x.shape)
add[(triton.cdiv(x.size, 1024),)](arrays.array(x), arrays.array(y), out, x.size, BLOCK=1024)
print("right" if (out.numpy() == x + y).all() else "wrong")
