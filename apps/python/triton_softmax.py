# SPDX-License-Identifier: BSD-3-Clause
"""A Triton kernel: softmax of the rows of a matrix, each row held whole; programs take rows in turns."""

import numpy
import triton
import triton.language as tl
from maniple import arrays


@triton.jit
def softmax(out, matrix, stride, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        at = tl.arange(0, BLOCK)
        values = tl.load(matrix + row * stride + at, mask=at < columns, other=-float("inf"))
        powers = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * stride + at, powers / tl.sum(powers, axis=0), mask=at < columns)


matrix = numpy.random.default_rng(2).standard_normal((183, 781)).astype(numpy.float32)
out = arrays.empty(matrix.shape)
rows, columns = matrix.shape
softmax[(64,)](out, arrays.array(matrix), out.stride(0), rows, columns, BLOCK=triton.next_power_of_2(columns), STAGES=2,
               num_warps=8)
powers = numpy.exp(matrix.astype(numpy.float64) - matrix.max(1, keepdims=True))
error = numpy.abs(out.numpy() - powers / powers.sum(1, keepdims=True)).max()
print("right" if error < 1e-6 else f"wrong by {error}")
