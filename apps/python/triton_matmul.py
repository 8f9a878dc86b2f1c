# SPDX-License-Identifier: BSD-3-Clause
"""A Triton kernel: a product of matrices of halves on tensor cores, its tiles chosen by simulated time."""

import numpy
import triton
import triton.language as tl
from maniple import arrays

CONFIGURATIONS = [
    triton.Config({"M": 64, "N": 64, "K": 32}, num_stages=3, num_warps=4),
    triton.Config({"M": 32, "N": 64, "K": 64}, num_stages=2, num_warps=4),
    triton.Config({"M": 128, "N": 64, "K": 32}, num_stages=3, num_warps=8),
]


@triton.autotune(configs=CONFIGURATIONS, key=["rows", "columns", "depth"], do_bench=arrays.do_bench)
@triton.jit
def matmul(a, b, c, rows, columns, depth, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    across = tl.cdiv(columns, N)
    row = tl.program_id(0) // across * M + tl.arange(0, M)
    column = tl.program_id(0) % across * N + tl.arange(0, N)
    k = tl.arange(0, K)
    from_a = a + (row % rows)[:, None] * depth + k[None, :]
    from_b = b + k[:, None] * columns + (column % columns)[None, :]
    sums = tl.zeros((M, N), dtype=tl.float32)
    for done in range(0, depth, K):
        left = tl.load(from_a, mask=k[None, :] < depth - done, other=0.0)
        right = tl.load(from_b, mask=k[:, None] < depth - done, other=0.0)
        sums = tl.dot(left, right, sums)
        from_a += K
        from_b += K * columns
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    tl.store(c + row[:, None] * columns + column[None, :], sums.to(tl.float16), mask=inside)


random = numpy.random.default_rng(3)
a = random.standard_normal((200, 96)).astype(numpy.float16)
b = random.standard_normal((96, 136)).astype(numpy.float16)
c = arrays.empty((a.shape[0], b.shape[1]), "float16")
grid = lambda tiles: (triton.cdiv(a.shape[0], tiles["M"]) * triton.cdiv(b.shape[1], tiles["N"]),)
matmul[grid](arrays.array(a), arrays.array(b), c, a.shape[0], b.shape[1], a.shape[1])
error = numpy.abs(c.numpy().astype(numpy.float64) - a.astype(numpy.float64) @ b.astype(numpy.float64)).max()
print("right" if error < 0.03 else f"wrong by {error}")
print("chosen:", matmul.best_config)
