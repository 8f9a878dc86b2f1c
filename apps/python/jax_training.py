# SPDX-License-Identifier: BSD-3-Clause
"""Steps of training of a small transformer in JAX, on the simulated GPU and on the processor, with the same weights."""
import jax
import jax.numpy as jnp
import numpy

WORDS, WIDTH, HEADS, LENGTH, BATCH = 64, 32, 2, 16, 4


def weights(key):
    shapes = {"embedding": (WORDS, WIDTH), "places": (LENGTH, WIDTH), "qkv": (WIDTH, 3 * WIDTH), "out": (WIDTH, WIDTH),
              "up": (WIDTH, 4 * WIDTH), "down": (4 * WIDTH, WIDTH)}
    return {name: jax.random.normal(k, shape) * 0.1
            for (name, shape), k in zip(shapes.items(), jax.random.split(key, len(shapes)))}


def norm(x):
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def loss(w, tokens):
    x = w["embedding"][tokens[:, :-1]] + w["places"]
    q, k, v = (each.reshape(BATCH, LENGTH, HEADS, -1) for each in jnp.split(norm(x) @ w["qkv"], 3, -1))
    x = x + jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(BATCH, LENGTH, WIDTH) @ w["out"]
    x = x + jax.nn.gelu(norm(x) @ w["up"]) @ w["down"]
    scores = jax.nn.log_softmax(norm(x) @ w["embedding"].T)
    return -jnp.take_along_axis(scores, tokens[:, 1:, None], -1).mean()


@jax.jit
def step(w, moments, tokens):
    value, slopes = jax.value_and_grad(loss)(w, tokens)
    moments = jax.tree.map(lambda m, s: 0.9 * m + s, moments, slopes)
    return jax.tree.map(lambda a, m: a - 0.05 * m, w, moments), moments, value


def train(device):
    with jax.default_device(device), jax.default_matmul_precision("highest"):
        w = weights(jax.random.key(1))
        moments = jax.tree.map(jnp.zeros_like, w)
        tokens = jax.random.randint(jax.random.key(2), (BATCH, LENGTH + 1), 0, WORDS)
        losses = []
        for _ in range(4):
            w, moments, value = step(w, moments, tokens)
            losses.append(float(value))
    return numpy.array(losses)


ours, theirs = train(jax.devices("gpu")[0]), train(jax.devices("cpu")[0])
assert (numpy.diff(ours) < 0).all(), ours
assert numpy.abs(ours - theirs).max() < 1e-3, (ours, theirs)
print("right")
