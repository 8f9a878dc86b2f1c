# SPDX-License-Identifier: BSD-3-Clause
"""numba-cuda: blocks that meet at a barrier of the whole grid (a cooperative launch), arrays in local memory, `print` of several
types from a kernel, and a kernel that is compiled for a debugger, with an assertion."""

import warnings

import numpy
from numba import cuda, float32, int32

warnings.filterwarnings("ignore")


@cuda.jit
def neighbours(values, rounds):
    """Each value becomes the sum of its two neighbours and itself, `rounds` times, in place."""
    grid = cuda.cg.this_grid()
    at = cuda.grid(1)
    for _ in range(rounds):
        left, right = values[at - 1], values[(at + 1) % values.size]
        grid.sync()
        values[at] += left + right
        grid.sync()


@cuda.jit
def digits(numbers, out):
    """The decimal digits of each number, turned round, by a table in local memory."""
    at = cuda.grid(1)
    table = cuda.local.array(10, int32)
    number, count = numbers[at], 0
    while number:
        table[count] = number % 10
        number //= 10
        count += 1
    for i in range(count):
        out[at] = out[at] * 10 + table[i]
    if at == 5:
        print("number", numbers[at], "turned round", out[at], at > 4, float32(0.25), 1e10)


@cuda.jit(debug=True, opt=False)
def halves(values):
    at = cuda.grid(1)
    assert values[at] % 2 == 0
    values[at] //= 2


values = numpy.arange(256, dtype=numpy.int64)
wanted = values.copy()
for _ in range(3):
    wanted = wanted + numpy.roll(wanted, 1) + numpy.roll(wanted, -1)
there = cuda.to_device(values)
neighbours[4, 64](there, 3)
right = (there.copy_to_host() == wanted).all()

numbers = numpy.random.default_rng(6).integers(1, 2**31 - 1, 128).astype(numpy.int64)
out = cuda.to_device(numpy.zeros_like(numbers))
digits[2, 64](cuda.to_device(numbers), out)
right &= (out.copy_to_host() == [int(str(number)[::-1]) for number in numbers]).all()

even = cuda.to_device(2 * values)
halves[4, 64](even)
right &= (even.copy_to_host() == values).all()
cuda.synchronize()
print("right" if right else "wrong")
