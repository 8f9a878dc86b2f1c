# SPDX-License-Identifier: BSD-3-Clause
"""Functions of JAX on the simulated GPU beside the same on the processor, each compiled by XLA for both."""
import jax
import jax.numpy as jnp
import numpy

draw = numpy.random.default_rng(3)
A, B = (draw.standard_normal(shape, dtype=numpy.float32) for shape in ((48, 64), (64, 40)))
V = draw.standard_normal(3000, dtype=numpy.float32)
W = draw.integers(0, 1000, 3000).astype(numpy.int32)
Q = draw.standard_normal((2, 32, 2, 16), dtype=numpy.float32)

FUNCTIONS = {  # name: function, arguments, bound of the error, as a share of the largest value
    "product": (lambda a, b: jnp.dot(a, b, precision="highest"), (A, B), 1e-5),
    "product of bfloat16": (lambda a, b: (a.astype(jnp.bfloat16) @ b.astype(jnp.bfloat16)).astype(jnp.float32), (A, B), 2e-2),
    "products in a batch": (lambda q: jnp.einsum("blhd,bmhd->bhlm", q, q, precision="highest"), (Q,), 1e-5),
    "softmax": (jax.nn.softmax, (A,), 1e-5),
    "logsumexp": (lambda a: jax.scipy.special.logsumexp(a, axis=1), (A,), 1e-5),
    "layer norm": (lambda a: (a - a.mean(1, keepdims=True)) / jnp.sqrt(a.var(1, keepdims=True) + 1e-5), (A,), 1e-5),
    "elementwise": (lambda v: jnp.tanh(v) * jnp.exp(-v * v) + jnp.sin(v) / (1 + jnp.abs(v)) + jax.lax.erf(v), (V,), 1e-5),
    "special": (lambda v: jax.scipy.special.gammaln(jnp.abs(v) + 1) + jax.nn.gelu(v) + jnp.log1p(jnp.abs(v)), (V,), 1e-5),
    "sort": (jnp.sort, (V,), 0),
    "argsort": (jnp.argsort, (V,), 0),
    "top": (lambda v: jax.lax.top_k(v, 10)[0], (V,), 0),
    "cumulative sum": (jnp.cumsum, (V,), 1e-4),
    "histogram": (lambda w: jnp.zeros(1000, jnp.int32).at[w].add(1), (W,), 0),
    "gather": (lambda v, w: v[w], (V, W), 0),
    "segments": (lambda v, w: jax.ops.segment_max(v, w % 37, 37), (V, W), 0),
    "integers": (lambda w: (w * 7919 >> 3) ^ (w // 13) + (w % 17) - jax.lax.population_count(w), (W,), 0),
    "random bits": (lambda: jax.random.bits(jax.random.key(5), (1000,)), (), 0),
    "normal numbers": (lambda: jax.random.normal(jax.random.key(5), (1000,)), (), 1e-5),
    "permutation": (lambda: jax.random.permutation(jax.random.key(5), 500), (), 0),
    "FFT": (lambda a: jnp.abs(jnp.fft.fft(a)), (A,), 1e-5),
    "scan": (lambda v: jax.lax.scan(lambda c, x: (0.9 * c + x, c), 0.0, v[:50])[1], (V,), 1e-5),
    "while": (lambda v: jax.lax.while_loop(lambda s: s[0] < 20, lambda s: (s[0] + 1, s[1] * 0.9), (0, v))[1], (V,), 1e-5),
    "vmap of a gradient": (jax.vmap(jax.grad(lambda x: jnp.sin(x) * jnp.log(x * x + 1))), (V,), 1e-5),
    "attention": (jax.nn.dot_product_attention, (Q, Q, Q), 1e-3),
    "roots": (lambda v: jnp.cbrt(v) ** 2 + jnp.sqrt(jnp.abs(v)) * jax.lax.rsqrt(v * v + 1), (V,), 1e-5),
}


def both(function, arguments):
    answers = []
    for device in jax.devices()[0], jax.devices("cpu")[0]:
        with jax.default_device(device):
            placed = [jax.device_put(each, device) for each in arguments]
            answers.append(numpy.asarray(jax.jit(function)(*placed)).astype(numpy.float64))
    return answers


assert jax.devices()[0].platform == "gpu", jax.devices()
wrong = []
for name, (function, arguments, bound) in FUNCTIONS.items():
    ours, theirs = both(function, arguments)
    if not numpy.abs(ours - theirs).max() <= bound * numpy.abs(theirs).max():
        wrong.append(f"{name}: off by {numpy.abs(ours - theirs).max()} of {numpy.abs(theirs).max()}")
print("\n".join(wrong) if wrong else "right")
