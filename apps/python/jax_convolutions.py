# SPDX-License-Identifier: BSD-3-Clause
"""Convolutions of JAX and their gradients on the simulated GPU beside the same on the processor: types, layouts, strides,
dilations, padding, groups, one to three dimensions; a bias and ReLU behind them; a few steps of training a small network."""
import jax
import jax.numpy as jnp
import numpy
from jax import lax

draw = numpy.random.default_rng(7)
BOUNDS = {"float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2}  # shares of the largest value


def case(x, w, type="float32", layout="NCHW", **options):
    options = {"window_strides": (1,) * (len(x) - 2), "padding": "SAME", **options}
    names = {"NCHW": ("NCHW", "OIHW", "NCHW"), "NHWC": ("NHWC", "HWIO", "NHWC"), "NCH": ("NCH", "OIH", "NCH"),
             "NCDHW": ("NCDHW", "OIDHW", "NCDHW")}[layout]
    return type, [draw.standard_normal(shape).astype(numpy.float32) for shape in (x, w)], {"dimension_numbers": names, **options}


CASES = {
    "plain": case((2, 3, 12, 10), (8, 3, 3, 3)),
    "channels last": case((2, 12, 10, 3), (3, 3, 3, 8), layout="NHWC"),
    "strides and padding": case((2, 4, 13, 11), (6, 4, 3, 5), window_strides=(2, 3), padding=((1, 1), (2, 2))),
    "uneven padding": case((2, 4, 9, 11), (6, 4, 2, 4), padding=((0, 1), (2, 1))),
    "dilation": case((1, 4, 14, 15), (4, 4, 3, 3), rhs_dilation=(2, 3)),
    "groups": case((2, 8, 9, 9), (12, 2, 3, 3), feature_group_count=4),
    "a channel each": case((2, 10, 9, 9), (10, 1, 3, 3), feature_group_count=10),
    "one dimension": case((3, 5, 40), (7, 5, 4), layout="NCH", window_strides=(3,)),
    "three dimensions": case((1, 2, 5, 6, 7), (4, 2, 2, 3, 3), layout="NCDHW"),
    "many channels": case((2, 70, 8, 8), (68, 70, 1, 1)),
    "halves": case((2, 16, 10, 9), (24, 16, 3, 3), "float16"),
    "halves, channels last": case((2, 10, 9, 16), (3, 3, 16, 24), "float16", "NHWC"),
    "bfloat16": case((2, 8, 10, 9), (16, 8, 3, 3), "bfloat16", window_strides=(2, 2)),
    "bfloat16, channels last": case((2, 10, 9, 8), (3, 3, 8, 16), "bfloat16", "NHWC"),
}


def operations(type, options):
    def convolve(x, w):
        return lax.conv_general_dilated(x.astype(type), w.astype(type), **options)

    def loss(x, w):
        y = convolve(x, w).astype(jnp.float32)
        return (y * jnp.cos(jnp.arange(y.size).reshape(y.shape) % 7)).sum()

    def with_bias(x, w):
        y = convolve(x, w)
        return jax.nn.relu(y + jnp.arange(y.shape[1]).reshape((1, -1) + (1,) * (y.ndim - 2)).astype(y.dtype) / 8)

    return {"forward": convolve, "gradients": jax.grad(loss, (0, 1)), "bias and ReLU": with_bias}


def network(p, x):
    x = jax.nn.relu(lax.conv_general_dilated(x, p[0], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    x = jax.nn.relu(lax.conv_general_dilated(x, p[1], (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
    return x.mean((1, 2)) @ p[2]


def losses():
    """Of four steps of training."""
    random = numpy.random.default_rng(1)
    p = [jnp.asarray(random.standard_normal(shape, dtype=numpy.float32) * 0.2) for shape in ((3, 3, 3, 8), (3, 3, 8, 16), (16, 10))]
    x, label = random.standard_normal((8, 16, 16, 3), dtype=numpy.float32), random.integers(0, 10, 8)

    @jax.jit
    def step(p):
        value, slope = jax.value_and_grad(lambda p: -jax.nn.log_softmax(network(p, x))[jnp.arange(8), label].mean())(p)
        return [a - 0.1 * b for a, b in zip(p, slope)], value

    found = []
    for _ in range(4):
        p, value = step(p)
        found.append(float(value))
    return found


def on(device, function, arguments):
    with jax.default_device(device):
        found = jax.jit(function)(*[jax.device_put(each, device) for each in arguments])
    return [numpy.asarray(each).astype(numpy.float64) for each in jax.tree.leaves(found)]


gpu, cpu = jax.devices()[0], jax.devices("cpu")[0]
assert gpu.platform == "gpu", jax.devices()
wrong = []
for name, (type, arguments, options) in CASES.items():
    for what, function in operations(type, options).items():
        for ours, theirs in zip(on(gpu, function, arguments), on(cpu, function, arguments)):
            off = numpy.abs(ours - theirs).max() / numpy.abs(theirs).max()
            if not off <= BOUNDS[type]:
                wrong.append(f"{name}, {what}: off by {off:.2g} of the largest value")
ours = losses()
with jax.default_device(cpu):
    theirs = losses()
if not numpy.allclose(ours, theirs, rtol=1e-3):
    wrong.append(f"losses {ours} instead of {theirs}")
print("\n".join(wrong) if wrong else "right")
