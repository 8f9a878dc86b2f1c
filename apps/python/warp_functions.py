# SPDX-License-Identifier: BSD-3-Clause
"""Warp's kernels, atomics, tiles of threads and library functions. Its library warp.so holds CUDA's static runtime without symbols, which
Maniple finds by a map of its version."""
import numpy
import warp

warp.config.quiet = True
warp.init()
COUNT = 1000


@warp.kernel
def add_multiple(x: warp.array(dtype=float), y: warp.array(dtype=float), factor: float):
    i = warp.tid()
    y[i] = factor * x[i] + y[i]


@warp.kernel
def total(x: warp.array(dtype=float), out: warp.array(dtype=float)):
    warp.atomic_add(out, 0, x[warp.tid()])


@warp.kernel
def lengths(v: warp.array(dtype=warp.vec3), out: warp.array(dtype=float)):
    i = warp.tid()
    out[i] = warp.length(v[i])


def on_device(values, **how):
    return warp.array(values, device="cuda:0", **how)


x, y = on_device(numpy.arange(COUNT, dtype="float32")), on_device(numpy.ones(COUNT, dtype="float32"))
warp.launch(add_multiple, dim=COUNT, inputs=[x, y, 2.0], device="cuda:0")
numpy.testing.assert_array_equal(y.numpy(), 2 * numpy.arange(COUNT) + 1)

out = warp.zeros(1, dtype=float, device="cuda:0")
warp.launch(total, dim=COUNT, inputs=[x, out], device="cuda:0")
numpy.testing.assert_array_equal(out.numpy(), [COUNT * (COUNT - 1) / 2])
assert warp.utils.array_sum(x) == COUNT * (COUNT - 1) / 2

vectors = numpy.random.RandomState(1).standard_normal((COUNT, 3)).astype("float32")
result = warp.zeros(COUNT, dtype=float, device="cuda:0")
warp.launch(lengths, dim=COUNT, inputs=[on_device(vectors, dtype=warp.vec3), result], device="cuda:0")
numpy.testing.assert_allclose(result.numpy(), numpy.linalg.norm(vectors, axis=1), rtol=1e-5)

sums = warp.zeros(COUNT, dtype=float, device="cuda:0")
warp.utils.array_scan(x, sums)
numpy.testing.assert_allclose(sums.numpy(), numpy.arange(COUNT, dtype="float64").cumsum(), rtol=1e-5)
print("right")
