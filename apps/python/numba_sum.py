# SPDX-License-Identifier: BSD-3-Clause
"""A program of numba-cuda as it is written for silicon: a sum with shared memory and an atomic, and a product of matrices
in tiles."""

import numpy
from numba import cuda, float32

TILE = 16


@cuda.jit
def total(values, out):
    shared = cuda.shared.array(128, float32)
    thread, at = cuda.threadIdx.x, cuda.grid(1)
    shared[thread] = values[at] if at < values.size else 0
    cuda.syncthreads()
    step = 64
    while step:
        if thread < step:
            shared[thread] += shared[thread + step]
        cuda.syncthreads()
        step //= 2
    if thread == 0:
        cuda.atomic.add(out, 0, shared[0])


@cuda.jit
def product(a, b, c):
    from_a, from_b = cuda.shared.array((TILE, TILE), float32), cuda.shared.array((TILE, TILE), float32)
    row, column = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    result = float32(0)
    for k in range(a.shape[1] // TILE):
        from_a[x, y] = a[row, k * TILE + y]
        from_b[x, y] = b[k * TILE + x, column]
        cuda.syncthreads()
        for i in range(TILE):
            result += from_a[x, i] * from_b[i, y]
        cuda.syncthreads()
    c[row, column] = result


random = numpy.random.default_rng(4)
values = random.integers(0, 10, 5000).astype(numpy.float32)
out = cuda.to_device(numpy.zeros(1, numpy.float32))
total[(values.size + 127) // 128, 128](cuda.to_device(values), out)
a, b = random.random((2, 64, 64), dtype=numpy.float32)
c = cuda.device_array((64, 64), numpy.float32)
product[(4, 4), (TILE, TILE)](cuda.to_device(a), cuda.to_device(b), c)
right = out.copy_to_host()[0] == values.sum() and numpy.allclose(c.copy_to_host(), a @ b, rtol=1e-5)
print("right" if right else "wrong")
