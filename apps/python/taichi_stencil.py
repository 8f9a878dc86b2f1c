# SPDX-License-Identifier: BSD-3-Clause
"""Taichi: steps of diffusion in a field, the sum of it, and particles counted in cells; beside numpy's answers."""
import numpy
import taichi as ti

ti.init(arch=ti.cuda, offline_cache=False, log_level=ti.WARN, random_seed=3)
SIZE, COUNT, CELLS = 48, 2000, 8
heat, after = ti.field(ti.f32, (SIZE, SIZE)), ti.field(ti.f32, (SIZE, SIZE))
places, cells = ti.Vector.field(2, ti.f32, COUNT), ti.field(ti.i32, (CELLS, CELLS))


@ti.kernel
def diffuse():
    for i, j in heat:
        if 0 < i < SIZE - 1 and 0 < j < SIZE - 1:
            around = heat[i - 1, j] + heat[i + 1, j] + heat[i, j - 1] + heat[i, j + 1]
            after[i, j] = heat[i, j] + 0.2 * (around - 4 * heat[i, j])
    for i, j in heat:
        heat[i, j] = after[i, j]


@ti.kernel
def total() -> ti.f32:
    sum_of_all = 0.0
    for i, j in heat:
        sum_of_all += heat[i, j]
    return sum_of_all


@ti.kernel
def count():
    for k in places:
        at = ti.floor(places[k] * CELLS, ti.i32)
        ti.atomic_add(cells[at.x, at.y], 1)


draw = numpy.random.default_rng(5)
wanted = draw.random((SIZE, SIZE), dtype=numpy.float32)
heat.from_numpy(wanted)
after.from_numpy(wanted)
for _ in range(3):
    diffuse()
    inner = wanted[1:-1, 1:-1]
    around = wanted[:-2, 1:-1] + wanted[2:, 1:-1] + wanted[1:-1, :-2] + wanted[1:-1, 2:]
    following = wanted.copy()
    following[1:-1, 1:-1] = inner + 0.2 * (around - 4 * inner)
    wanted = following
assert numpy.abs(heat.to_numpy() - wanted).max() < 1e-6
assert abs(total() - wanted.sum(dtype=numpy.float64)) < 1e-5 * wanted.size
points = draw.random((COUNT, 2), dtype=numpy.float32)
places.from_numpy(points)
count()
assert (cells.to_numpy() == numpy.histogram2d(points[:, 0], points[:, 1], CELLS, [[0, 1], [0, 1]])[0]).all()
print("right")
