# SPDX-License-Identifier: BSD-3-Clause
"""Linear algebra of JAX on the simulated GPU beside the same on the processor: solutions, factors of real and complex matrices,
alone and in batches, and gradients. Factors that are not unique are compared by their products."""
import jax
import jax.numpy as jnp
import numpy

draw = numpy.random.default_rng(3)


def real(*shape):
    return draw.standard_normal(shape).astype(numpy.float32)


def turned(a):
    return jnp.swapaxes(a.conj(), -1, -2)


SQUARE, TALL, MANY = real(12, 12) + 4 * numpy.eye(12, dtype=numpy.float32), real(20, 9), real(3, 8, 8) + 4 * numpy.eye(8, dtype=numpy.float32)
COMPLEX, SIDES = (SQUARE + 1j * real(12, 12)).astype(numpy.complex64), real(12, 3)
KINDS = {"real": SQUARE, "complex": COMPLEX, "in a batch": MANY}


def positive(a):
    return a @ turned(a)


def qr(a, mode="reduced"):
    q, r = jnp.linalg.qr(a, mode=mode)
    return q @ r, jnp.abs(jnp.diagonal(r, axis1=-2, axis2=-1)), turned(q) @ q


def svd(a):
    u, s, v = jnp.linalg.svd(a, full_matrices=False)
    return (u * s[..., None, :]) @ v, s


def eigh(a):
    values, vectors = jnp.linalg.eigh(positive(a))
    return values, (vectors * values[..., None, :]) @ turned(vectors)


FUNCTIONS = {
    "triangular": (lambda a, b: jax.scipy.linalg.solve_triangular(jnp.tril(a), b, lower=True), SQUARE, SIDES),
    "least squares": (lambda a: jnp.linalg.lstsq(a, jnp.ones((20, 2)))[0], TALL),
    "Cholesky's solution": (lambda a, b: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(positive(a)), b), SQUARE, SIDES),
    "tall QR": (qr, TALL), "complete QR": (lambda a: qr(a, "complete"), TALL), "tall SVD": (svd, TALL), "wide SVD": (svd, TALL.T),
    "singular values": (lambda a: jnp.linalg.svd(a, compute_uv=False), TALL), "pseudoinverse": (jnp.linalg.pinv, TALL),
    "rank": (jnp.linalg.matrix_rank, TALL), "norm": (lambda a: jnp.linalg.norm(a, 2), TALL), "condition": (jnp.linalg.cond, SQUARE),
    "exponential": (lambda a: jax.scipy.linalg.expm(a / 10), SQUARE), "L U": (jax.scipy.linalg.lu, SQUARE),
    "gradient of a determinant": (jax.grad(lambda a: jnp.linalg.slogdet(a)[1]), SQUARE),
    "gradient of Cholesky's factor": (jax.grad(lambda a: jnp.linalg.cholesky(positive(a)).sum()), SQUARE),
}
for kind, matrix in KINDS.items():
    for name, function in {"solution": lambda a: jnp.linalg.solve(a, a[..., :3] + 1), "Cholesky": lambda a: jnp.linalg.cholesky(positive(a)),
                           "QR": qr, "SVD": svd, "eigh": eigh, "inverse": jnp.linalg.inv, "determinant": jnp.linalg.det}.items():
        FUNCTIONS[f"{name}, {kind}"] = (function, matrix)


def on(device, function, arguments):
    with jax.default_device(device), jax.default_matmul_precision("highest"):
        found = jax.jit(function)(*[jax.device_put(each, device) for each in arguments])
    return [numpy.asarray(each) for each in jax.tree.leaves(found)]


gpu, cpu = jax.devices()[0], jax.devices("cpu")[0]
assert gpu.platform == "gpu", jax.devices()
wrong = []
for name, (function, *arguments) in FUNCTIONS.items():
    for ours, theirs in zip(on(gpu, function, arguments), on(cpu, function, arguments)):
        off = numpy.abs(ours - theirs).max() / numpy.abs(theirs).max()
        if not off <= 2e-5:
            wrong.append(f"{name}: off by {off:.2g} of the largest value")
print("\n".join(wrong) if wrong else f"{len(FUNCTIONS)} functions\nright")
