# SPDX-License-Identifier: BSD-3-Clause
"""Triton kernels: a layer of LLaMA over a prompt (Touvron et al., 2023), as apps/gpu/llama has it in CUDA: RMSNorm,
projections, rotary embedding, causal attention in one kernel, SwiGLU; halves on tensor cores, sums in single precision.
Weights are random. Each value is compared with numpy's in double precision, but for the shapes of --model.

  triton_llama.py [--tokens N] [--hidden N] [--feed N] [--model 7b|13b]     hidden: a multiple of 128, the heads' numbers"""

import argparse

import numpy
import triton
import triton.language as tl
from maniple import arrays

HEAD = 128  # numbers of a head
MODELS = {"7b": (4096, 11008), "13b": (5120, 13824)}


@triton.jit
def rms_norm(x, weight, out, hidden, BLOCK: tl.constexpr):
    at, row = tl.arange(0, BLOCK), tl.program_id(0)
    values = tl.load(x + row * hidden + at, mask=at < hidden, other=0.0)
    scale = tl.rsqrt(tl.sum(values * values, axis=0) / hidden + 1e-5)
    tl.store(out + row * hidden + at, (values * scale * tl.load(weight + at, mask=at < hidden)).to(tl.float16), mask=at < hidden)


@triton.jit
def product(a, weights, before, out, columns, depth, ADDS: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """out = a · weightsᵀ (+ before): of rows that are multiples of M, and columns of N."""
    row, column = tl.program_id(1) * M + tl.arange(0, M), tl.program_id(0) * N + tl.arange(0, N)
    k = tl.arange(0, K)
    from_a, from_b = a + row[:, None] * depth + k[None, :], weights + column[None, :] * depth + k[:, None]
    sums = tl.zeros((M, N), dtype=tl.float32)
    for _ in range(0, depth, K):
        sums = tl.dot(tl.load(from_a), tl.load(from_b), sums)
        from_a += K
        from_b += K
    place = row[:, None] * columns + column[None, :]
    if ADDS:
        tl.store(out + place, sums + tl.load(before + place))
    else:
        tl.store(out + place, sums.to(tl.float16))


@triton.jit
def rotate(x, cosines, sines, hidden, HALF: tl.constexpr):
    """Pairs of neighbours turn by an angle that grows with the position, in place."""
    pair, row, head = tl.arange(0, HALF), tl.program_id(0), tl.program_id(1)
    even = x + row * hidden + head * 2 * HALF + 2 * pair
    left, right = tl.load(even).to(tl.float32), tl.load(even + 1).to(tl.float32)
    cosine, sine = tl.load(cosines + row * HALF + pair), tl.load(sines + row * HALF + pair)
    tl.store(even, (left * cosine - right * sine).to(tl.float16))
    tl.store(even + 1, (left * sine + right * cosine).to(tl.float16))


@triton.jit
def attention(q, k, v, out, hidden, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """M queries of a head over all keys that are not behind them, with a running maximum and sum (FlashAttention)."""
    first, head = tl.program_id(0) * M, tl.program_id(1)
    row, at = first + tl.arange(0, M), head * D + tl.arange(0, D)
    queries = tl.load(q + row[:, None] * hidden + at[None, :])
    most, total = tl.full((M,), -float("inf"), tl.float32), tl.zeros((M,), tl.float32)
    sums = tl.zeros((M, D), tl.float32)
    for start in range(0, first + M, N):
        key = start + tl.arange(0, N)
        scores = tl.dot(queries, tl.load(k + key[None, :] * hidden + at[:, None])) * scale
        scores = tl.where(key[None, :] <= row[:, None], scores, -float("inf"))
        above = tl.maximum(most, tl.max(scores, axis=1))
        shares, shrunk = tl.exp(scores - above[:, None]), tl.exp(most - above)
        total = total * shrunk + tl.sum(shares, axis=1)
        values = tl.load(v + key[:, None] * hidden + at[None, :])
        sums = tl.dot(shares.to(tl.float16), values, sums * shrunk[:, None])
        most = above
    tl.store(out + row[:, None] * hidden + at[None, :], (sums / total[:, None]).to(tl.float16))


@triton.jit
def swiglu(gates, ups, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    gate = tl.load(gates + at).to(tl.float32)
    tl.store(out + at, (gate * tl.sigmoid(gate) * tl.load(ups + at).to(tl.float32)).to(tl.float16))


class Layer:
    """The weights of a layer, and what it computes; the names of what `run` returns are those of `reference`."""

    def __init__(self, tokens, hidden, feed):
        self.tokens, self.hidden, self.feed = tokens, hidden, feed
        random = numpy.random.default_rng(5)
        self.x = random.standard_normal((tokens, hidden)).astype(numpy.float32)
        shapes = {name: (hidden, hidden) for name in ("q", "k", "v", "o")}
        shapes.update(gate=(feed, hidden), up=(feed, hidden), down=(hidden, feed))
        self.weights = {name: (random.standard_normal(shape, numpy.float32) / shape[1] ** 0.5).astype(numpy.float16)
                        for name, shape in shapes.items()}
        self.norms = random.uniform(0.5, 1.5, (2, hidden)).astype(numpy.float32)
        angles = numpy.outer(numpy.arange(tokens), 10000.0 ** (-numpy.arange(HEAD // 2) / (HEAD // 2)))
        self.cosines, self.sines = numpy.cos(angles), numpy.sin(angles)

    def multiply(self, a, name, before=None):
        rows, (columns, depth) = self.tokens, self.weights[name].shape
        out = arrays.empty((rows, columns), "float16" if before is None else "float32")
        m = 128 if rows % 128 == 0 else 64
        product[(columns // 128, rows // m)](a, arrays.array(self.weights[name]), before if before is not None else out, out,
                                             columns, depth, ADDS=before is not None, M=m, N=128, K=32, num_warps=4,
                                             num_stages=3)
        return out

    def normalise(self, x, which):
        out = arrays.empty(x.shape, "float16")
        rms_norm[(self.tokens,)](x, arrays.array(self.norms[which]), out, self.hidden,
                                 BLOCK=triton.next_power_of_2(self.hidden), num_warps=8)
        return out

    def run(self):
        found, hidden, heads = {}, self.hidden, self.hidden // HEAD
        x, cosines, sines = (arrays.array(values.astype(numpy.float32)) for values in (self.x, self.cosines, self.sines))
        found["norm"] = self.normalise(x, 0)
        q, k, v = (self.multiply(found["norm"], name) for name in "qkv")
        for turned in (q, k):
            rotate[(self.tokens, heads)](turned, cosines, sines, hidden, HALF=HEAD // 2, num_warps=1)
        found["attention"] = arrays.empty(q.shape, "float16")
        attention[(self.tokens // 64, heads)](q, k, v, found["attention"], hidden, HEAD ** -0.5, M=64, N=32, D=HEAD, num_warps=4)
        found["between"] = self.multiply(found["attention"], "o", before=x)
        second = self.normalise(found["between"], 1)
        gates, ups = self.multiply(second, "gate"), self.multiply(second, "up")
        found["swiglu"] = arrays.empty(gates.shape, "float16")
        swiglu[(self.tokens * self.feed // 1024,)](gates, ups, found["swiglu"], BLOCK=1024)
        found["output"] = self.multiply(found["swiglu"], "down", before=found["between"])
        return {name: array.numpy() for name, array in found.items()}

    def reference(self):
        x, found = self.x.astype(numpy.float64), {}
        w = {name: weight.astype(numpy.float64) for name, weight in self.weights.items()}
        norm = lambda x, which: x / numpy.sqrt((x * x).mean(1, keepdims=True) + 1e-5) * self.norms[which]
        split = lambda x: x.reshape(self.tokens, -1, HEAD).swapaxes(0, 1)
        found["norm"] = norm(x, 0)
        q, k, v = (split(found["norm"] @ w[name].T) for name in "qkv")
        for turned in (q, k):
            left, right = turned[..., 0::2].copy(), turned[..., 1::2].copy()
            turned[..., 0::2] = left * self.cosines - right * self.sines
            turned[..., 1::2] = left * self.sines + right * self.cosines
        scores = numpy.where(numpy.tri(self.tokens, dtype=bool), q @ k.swapaxes(1, 2) * HEAD ** -0.5, -numpy.inf)
        shares = numpy.exp(scores - scores.max(2, keepdims=True))
        found["attention"] = (shares / shares.sum(2, keepdims=True) @ v).swapaxes(0, 1).reshape(self.tokens, -1)
        found["between"] = x + found["attention"] @ w["o"].T
        second = norm(found["between"], 1)
        gates = second @ w["gate"].T
        found["swiglu"] = gates / (1 + numpy.exp(-gates)) * (second @ w["up"].T)
        found["output"] = found["between"] + found["swiglu"] @ w["down"].T
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=64, help="a multiple of 64")
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--feed", type=int, default=384, help="a multiple of 128")
    parser.add_argument("--model", choices=sorted(MODELS))
    given = parser.parse_args()
    hidden, feed = MODELS.get(given.model, (given.hidden, given.feed))
    if given.tokens % 64 or hidden % HEAD or feed % 128:
        parser.error("tokens are a multiple of 64, hidden and feed of 128")
    layer = Layer(given.tokens, hidden, feed)
    found = layer.run()
    if given.model:
        print(f"{given.model}: output's mean square {numpy.square(found['output'], dtype=numpy.float64).mean():.6f}")
        return
    wrong = []
    for name, right in layer.reference().items():
        error = numpy.abs(found[name].astype(numpy.float64) - right).max() / numpy.abs(right).max()
        print(f"{name}: largest error {error:.1e} of the largest number")
        wrong += [name] if not error < 4e-3 else []
    print(f"wrong: {', '.join(wrong)}" if wrong else "right")


if __name__ == "__main__":
    main()
