# SPDX-License-Identifier: BSD-3-Clause
"""Sines and cosines in Triton, of small and of large arguments, whose slow way has an array in local memory; random numbers; and a
line that the kernel prints."""

import numpy
import triton
import triton.language as tl
from maniple import arrays


@triton.jit
def waves(x, sines, cosines, randoms, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    values = tl.load(x + at, mask=inside)
    tl.store(sines + at, tl.sin(values), mask=inside)
    tl.store(cosines + at, tl.cos(values), mask=inside)
    tl.store(randoms + at, tl.randn(7, at), mask=inside)
    if tl.program_id(0) == 0:
        tl.device_print("the grid's programs", tl.num_programs(0))


count = 2000
x = numpy.random.default_rng(3).uniform(-10, 10, count).astype("float32")
x[::2] *= 1e6
there = arrays.array(x)
sines, cosines, randoms = arrays.empty(count), arrays.empty(count), arrays.empty(count)
waves[(triton.cdiv(count, 128),)](there, sines, cosines, randoms, count, BLOCK=128)
error = max(abs(sines.numpy() - numpy.sin(x.astype("float64"))).max(), abs(cosines.numpy() - numpy.cos(x.astype("float64"))).max())
normal = randoms.numpy()
right = error < 1e-6 and abs(normal.mean()) < 0.1 and abs(normal.std() - 1) < 0.1
print("right" if right else f"wrong by {error}, {normal.mean()}, {normal.std()}")
