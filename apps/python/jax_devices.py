# SPDX-License-Identifier: BSD-3-Clause
"""JAX on several GPUs of one process: pmap and shard_map with their collectives, a product whose operands are divided, and
training with a batch divided over the GPUs. Answers are compared with numpy's, or with one device on the processor.
Arguments: names of parts; none: all of them."""
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices, cpu, failed = jax.devices(), jax.devices("cpu")[0], []
count = len(devices)
mesh = Mesh(np.array(devices), ("i",))
numbers = np.random.default_rng(0)


def check(name, got, wanted, tolerance=0.0):
    good = np.allclose(np.asarray(got), np.asarray(wanted), tolerance, tolerance)
    if not good:
        failed.append(name)
    print(f"{name}: {'right' if good else 'wrong'}", flush=True)


def on_all(function, given, out=P("i")):
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=P("i"), out_specs=out, check_vma=False))(given)


def copies():
    x = np.arange(5000.0, dtype=np.float32)
    for one in devices:
        for other in devices:
            check(f"from {one} to {other}", jax.device_put(jax.device_put(x, one) + 1, other) * 2, (x + 1) * 2)
    divided = jax.device_put(x, NamedSharding(mesh, P("i")))
    check("divided and put together", divided, x)


def pmaps():
    x = numbers.integers(0, 100, (count, 300)).astype(np.float32)
    check("pmap: psum", jax.pmap(lambda v: lax.psum(v, "i"), "i")(x), np.broadcast_to(x.sum(0), x.shape))
    check("pmap: pmax", jax.pmap(lambda v: lax.pmax(v, "i"), "i")(x), np.broadcast_to(x.max(0), x.shape))
    check("pmap: each alone", jax.pmap(lambda v: v * 2 + 1)(x), x * 2 + 1)


def collectives():
    x = numbers.integers(0, 10, (count * count, 64)).astype(np.float32)
    blocks, ring = x.reshape(count, count, 64), [(i, (i + 1) % count) for i in range(count)]
    check("psum_scatter", on_all(lambda v: lax.psum_scatter(v, "i", tiled=True), x), blocks.sum(0))
    check("all_gather", on_all(lambda v: lax.all_gather(v, "i", tiled=True), x, P()), x)
    check("all_to_all", on_all(lambda v: lax.all_to_all(v, "i", 0, 0, tiled=True), x),
          blocks.transpose(1, 0, 2).reshape(x.shape))
    check("ppermute", on_all(lambda v: lax.ppermute(v, "i", ring), x), np.roll(x, count, 0))


def sums():
    x = numbers.integers(0, 10, (count * count, 64)).astype(np.float32)
    blocks = x.reshape(count, count, 64)
    for dtype in np.float32, np.int32, jnp.bfloat16:
        check(f"psum, {np.dtype(dtype).name}", on_all(lambda v: lax.psum(v, "i"), x.astype(dtype), P()), blocks.sum(0))


def product():
    """Columns of the first product on each GPU, rows of the second, and a sum, which XLA puts in by itself."""
    x, a, b = (numbers.standard_normal(s).astype(np.float32) for s in ((32, 64), (64, 128), (128, 64)))
    given = [jax.device_put(v, NamedSharding(mesh, s)) for v, s in ((x, P()), (a, P(None, "i")), (b, P("i", None)))]
    got = jax.jit(lambda x, a, b: jax.nn.relu(x @ a) @ b, out_shardings=NamedSharding(mesh, P()))(*given)
    check("a product, divided", got, np.maximum(x @ a, 0) @ b, 1e-3)


def loss(weights, x, y):
    return jnp.mean((jnp.tanh(x @ weights["first"]) @ weights["second"] - y) ** 2)


def steps(weights, x, y, losses):
    step = jax.jit(jax.value_and_grad(loss))
    for _ in range(4):
        value, gradients = step(weights, x, y)
        weights = jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients)
        losses.append(float(value))
    return weights


def training():
    shapes = {"first": (16, 32), "second": (32, 4)}
    weights = {k: numbers.standard_normal(s).astype(np.float32) * 0.2 for k, s in shapes.items()}
    x, y = (numbers.standard_normal((8 * count, n)).astype(np.float32) for n in (16, 4))
    wanted, got = [], []
    with jax.default_device(cpu):
        right = steps(weights, x, y, wanted)
    whole, parts = NamedSharding(mesh, P()), NamedSharding(mesh, P("i"))
    left = steps(jax.device_put(weights, whole), jax.device_put(x, parts), jax.device_put(y, parts), got)
    check("losses of four steps", got, wanted, 1e-4)
    for name in weights:
        check(f"weights: {name}", left[name], right[name], 1e-4)


for part in copies, pmaps, sums, product, training, collectives:
    if len(sys.argv) < 2 or part.__name__ in sys.argv[1:]:
        with jax.default_matmul_precision("highest"):
            part()
print("wrong" if failed else "right")
sys.exit(bool(failed))
