# SPDX-License-Identifier: BSD-3-Clause
"""CuPy's functions against numpy's on small arrays: each group of checks has a name. The wheel of CuPy holds CUDA's static
runtime in several of its modules, compiles kernels by NVRTC, and asks for cuBLAS, cuFFT, cuRAND, cuSOLVER and cuSPARSE by name.
Usage: cupy_functions.py [GROUP...]: arrays kernels reductions sorting products transforms random sparse conversions linear
solver device, which are the default"""
import sys
import traceback

import cupy
import numpy

failed = []
count = 0


def check(name, function, tolerance=1e-5):
    """What a function makes of cupy and of numpy is the same, but for rounding."""
    global count
    count += 1
    try:
        ours, reference = function(cupy), function(numpy)
        ours = cupy.asnumpy(ours) if isinstance(ours, cupy.ndarray) else numpy.asarray(ours)
        reference = numpy.asarray(reference)
        assert ours.shape == reference.shape, (ours.shape, reference.shape)
        scale = numpy.abs(reference).max() if reference.size and reference.dtype.kind in "fc" else 0
        numpy.testing.assert_allclose(ours, reference, rtol=tolerance, atol=tolerance * scale)
    except Exception as error:  # every check is made, whatever the others do
        failed.append(name)
        print(f"wrong: {name}: {type(error).__name__}: {str(error).strip()[:300]}")
        if "-v" in sys.argv:
            traceback.print_exc()


def numbers(module, *shape, kind="float32", seed=1):
    made = numpy.random.RandomState(seed).standard_normal(shape)
    if kind.startswith("complex"):
        made = made + 1j * numpy.random.RandomState(seed + 1).standard_normal(shape)
    return module.asarray(made.astype(kind))


def integers(module, *shape, most=100, seed=2):
    return module.asarray(numpy.random.RandomState(seed).randint(0, most, shape))


def arrays():
    check("arithmetic", lambda m: (numbers(m, 50, 20) + 2) * numbers(m, 20) - 1)
    check("integers", lambda m: integers(m, 500) // 7 % 5 << 2)
    check("where", lambda m: m.where(numbers(m, 300) > 0, numbers(m, 300), -1))
    check("broadcast", lambda m: numbers(m, 8, 1, 5) * numbers(m, 3, 1))
    check("slices", lambda m: numbers(m, 20, 30)[3:15:2, ::-3])
    check("transpose and reshape", lambda m: numbers(m, 6, 5, 4).transpose(2, 0, 1).reshape(8, 15))
    check("fancy indices", lambda m: numbers(m, 40, 9)[integers(m, 17, most=40), integers(m, 17, most=9)])
    check("masks", lambda m: numbers(m, 400)[numbers(m, 400) > 0.5])
    check("concatenate", lambda m: m.concatenate([numbers(m, 4, 7), numbers(m, 3, 7)]))
    check("stack and roll", lambda m: m.roll(m.stack([numbers(m, 9), numbers(m, 9, seed=4)]), 3, axis=1))
    check("pad and tile", lambda m: m.tile(m.pad(numbers(m, 5, 5), 2), (1, 2)))
    check("elementary functions", lambda m: m.exp(m.sin(numbers(m, 300))) + m.log1p(m.abs(numbers(m, 300))))
    check("casts", lambda m: (numbers(m, 300) * 50).astype("int16").astype("float64"))
    check("halves", lambda m: numbers(m, 64, kind="float16") * 2 + 1, 1e-3)
    check("complex", lambda m: m.abs(numbers(m, 100, kind="complex64")) * m.angle(numbers(m, 100, kind="complex64")))
    check("clip and round", lambda m: m.round(m.clip(numbers(m, 300), -1, 1), 2))
    check("meshgrid", lambda m: sum(m.meshgrid(m.arange(8), m.linspace(0, 1, 5))))
    check("take and put", lambda m: m.take(numbers(m, 6, 8), m.asarray([1, 5, 2]), axis=1))
    check("diff and gradient", lambda m: m.diff(numbers(m, 90)) + m.gradient(numbers(m, 89)).sum())
    check("polynomials", lambda m: m.polyval(m.asarray([1.0, -2, 3]), numbers(m, 50, kind="float64")))


def kernels():
    raw = cupy.RawKernel(r'extern "C" __global__ void f(const float *a, float *b, int n) {'
                         "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = a[i] * a[i] + i; }", "f")

    def by_raw(m):
        a = numbers(m, 1000)
        if m is numpy:
            return a * a + numpy.arange(1000, dtype="float32")
        b = m.empty_like(a)
        raw((4,), (256,), (a, b, numpy.int32(1000)))
        return b

    check("RawKernel", by_raw)
    module = cupy.RawModule(code=r"template<typename T> __global__ void g(T *a, int n) { if (threadIdx.x < n) a[threadIdx.x] *= 3; }",
                            options=("-std=c++17",), name_expressions=["g<double>"])

    def by_module(m):
        a = numbers(m, 100, kind="float64")
        if m is numpy:
            return a * 3
        module.get_function("g<double>")((1,), (128,), (a, 100))
        return a

    check("RawModule of a template", by_module)
    elementwise = cupy.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "square_of_difference")
    check("ElementwiseKernel", lambda m: elementwise(numbers(m, 300), numbers(m, 300, seed=9)) if m is cupy else
          (numbers(m, 300) - numbers(m, 300, seed=9)) ** 2)
    reduction = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm_of")
    check("ReductionKernel", lambda m: reduction(numbers(m, 20, 30), axis=1) if m is cupy else
          numpy.sqrt((numbers(m, 20, 30) ** 2).sum(axis=1)))

    @cupy.fuse()
    def fused(x, y):
        return cupy.sqrt(x * x + y * y)

    check("fuse", lambda m: fused(numbers(m, 200), numbers(m, 200, seed=7)) if m is cupy else
          numpy.sqrt(numbers(m, 200) ** 2 + numbers(m, 200, seed=7) ** 2))
    from cupyx import jit

    @jit.rawkernel()
    def compiled(x, y, size):
        first = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
        for i in range(first, size, jit.gridDim.x * jit.blockDim.x):
            y[i] = x[i] * 2

    def by_jit(m):
        x = numbers(m, 500)
        if m is numpy:
            return x * 2
        y = m.empty_like(x)
        compiled((2,), (64,), (x, y, numpy.uint32(500)))
        return y

    check("jit.rawkernel", by_jit)

    def greater(x, y):
        return x if x > y else y

    check("vectorize", lambda m: m.vectorize(greater)(numbers(m, 90), numbers(m, 90, seed=5)))
    check("scatter_add", lambda m: scatter(m))


def scatter(m):
    total, places = m.zeros(20, dtype="float32"), integers(m, 300, most=20)
    if m is cupy:
        import cupyx
        cupyx.scatter_add(total, places, numbers(m, 300))
    else:
        numpy.add.at(total, places, numbers(m, 300))
    return total


def reductions():
    check("sum", lambda m: numbers(m, 7, 300).sum(axis=1), 1e-4)
    check("sum of all", lambda m: numbers(m, 3000, kind="float64").sum())
    check("mean and std", lambda m: numbers(m, 200, 9).mean(axis=0) + numbers(m, 200, 9).std(axis=0), 1e-4)
    check("max and min", lambda m: numbers(m, 30, 40).max(axis=0) - numbers(m, 30, 40).min())
    check("argmax", lambda m: numbers(m, 30, 40).argmax(axis=1))
    check("prod", lambda m: (numbers(m, 9, 12, kind="float64")).prod(axis=1))
    check("any and all", lambda m: (numbers(m, 30, 4) > 1).any(axis=1).astype(int) + (numbers(m, 30, 4) > -1).all(axis=1))
    check("cumsum", lambda m: numbers(m, 2500, kind="float64").cumsum())
    check("cumprod", lambda m: numbers(m, 5, 12, kind="float64").cumprod(axis=1))
    check("median and percentile", lambda m: m.median(numbers(m, 99)) + m.percentile(numbers(m, 50, kind="float64"), 30))
    check("nan functions", lambda m: m.nansum(m.where(numbers(m, 200) > 1, m.nan, numbers(m, 200))), 1e-4)
    check("bincount", lambda m: m.bincount(integers(m, 700, most=30)))
    check("histogram", lambda m: m.histogram(numbers(m, 500), bins=12)[0])
    check("count_nonzero", lambda m: m.count_nonzero(integers(m, 300, most=3)))
    check("trapezoid", lambda m: m.trapezoid(numbers(m, 100, kind="float64")))


def sorting():
    check("sort", lambda m: m.sort(numbers(m, 900)))
    check("sort by axis", lambda m: m.sort(numbers(m, 20, 30), axis=0))
    check("argsort", lambda m: m.argsort(numbers(m, 500)))
    check("lexsort", lambda m: m.lexsort(m.stack([integers(m, 200, most=5), integers(m, 200, most=90)])))
    check("partition", lambda m: m.partition(numbers(m, 300), 40)[40])
    check("unique", lambda m: m.unique(integers(m, 600, most=70)))
    check("searchsorted", lambda m: m.searchsorted(m.sort(numbers(m, 200)), numbers(m, 50, seed=6)))
    check("isin", lambda m: m.isin(integers(m, 100), integers(m, 30, seed=8)))
    check("nonzero", lambda m: m.nonzero(numbers(m, 300) > 1)[0])


def products():
    check("product of floats", lambda m: numbers(m, 64, 48) @ numbers(m, 48, 32, seed=3), 1e-4)
    check("product of doubles", lambda m: numbers(m, 40, 30, kind="float64") @ numbers(m, 30, 20, kind="float64"))
    check("product of halves", lambda m: numbers(m, 32, 32, kind="float16") @ numbers(m, 32, 32, kind="float16", seed=3), 1e-2)
    check("product of complex numbers", lambda m: numbers(m, 20, 20, kind="complex64") @ numbers(m, 20, 20, kind="complex64"), 1e-4)
    check("batches", lambda m: numbers(m, 5, 16, 12) @ numbers(m, 5, 12, 8, seed=3), 1e-4)
    check("matrix by vector", lambda m: numbers(m, 50, 30) @ numbers(m, 30), 1e-4)
    check("dot", lambda m: m.dot(numbers(m, 700), numbers(m, 700, seed=3)), 1e-3)
    check("einsum", lambda m: m.einsum("ijk,kl->ijl", numbers(m, 4, 5, 6), numbers(m, 6, 7)), 1e-4)
    check("tensordot", lambda m: m.tensordot(numbers(m, 4, 5, 6), numbers(m, 6, 5, 3), axes=([1, 2], [1, 0])), 1e-4)
    check("outer and kron", lambda m: m.kron(m.outer(numbers(m, 4), numbers(m, 5)), m.eye(2, dtype="float32")))


def transforms():
    check("fft", lambda m: m.fft.fft(numbers(m, 256, kind="complex64")), 1e-4)
    check("ifft", lambda m: m.fft.ifft(numbers(m, 3, 100, kind="complex128")))
    check("rfft", lambda m: m.fft.rfft(numbers(m, 4, 128, kind="float64")))
    check("irfft", lambda m: m.fft.irfft(numbers(m, 65, kind="complex128")))
    check("fft2", lambda m: m.fft.fft2(numbers(m, 32, 24, kind="complex128")))
    check("fftn", lambda m: m.fft.fftn(numbers(m, 8, 6, 10, kind="complex128")))
    check("fftshift and fftfreq", lambda m: m.fft.fftshift(m.fft.fftfreq(30, 0.1)))
    check("convolve", lambda m: m.convolve(numbers(m, 200, kind="float64"), numbers(m, 15, kind="float64")))


def distribution(name, values, mean, deviation):
    """Other numbers than numpy's, of the same distribution; the bounds are five standard errors."""
    values = cupy.asnumpy(values).astype("float64")
    error = 5 * deviation / len(values) ** 0.5
    check(name, lambda m: abs(values.mean() - mean) < error and abs(values.std() - deviation) < 3 * error and
          (m is numpy or len(numpy.unique(values)) > 1) or m is numpy)


def random():
    uniform = 12 ** -0.5
    distribution("random.random", cupy.random.RandomState(3).random_sample(4000), 0.5, uniform)
    distribution("random.standard_normal", cupy.random.RandomState(3).standard_normal(4000), 0, 1)
    generator = cupy.random.default_rng(5)
    distribution("default_rng random", generator.random(10000), 0.5, uniform)
    distribution("default_rng standard_normal", generator.standard_normal(5000), 0, 1)
    distribution("default_rng exponential", generator.exponential(2.0, 5000), 2, 2)
    distribution("default_rng integers", generator.integers(0, 100, 5000), 49.5, 28.866)
    check("permutation", lambda m: m.sort(m.random.RandomState(3).permutation(300)))
    check("choice", lambda m: m.unique(m.random.RandomState(3).choice(7, 500)))
    check("seeds", lambda m: (m.random.RandomState(9).random_sample(50) == m.random.RandomState(9).random_sample(50)).all())


def matrices(m):
    """A sparse matrix, and the module of its kind."""
    import cupyx.scipy.sparse
    import scipy.sparse
    matrix = scipy.sparse.random(60, 50, density=0.1, format="csr", random_state=numpy.random.RandomState(4), dtype="float64")
    return (cupyx.scipy.sparse.csr_matrix(matrix), cupyx.scipy.sparse) if m is cupy else (matrix, scipy.sparse)


def sparse():
    check("sparse by vector", lambda m: matrices(m)[0] @ numbers(m, 50, kind="float64"))
    check("sparse by matrix", lambda m: matrices(m)[0] @ numbers(m, 50, 8, kind="float64"))
    check("transposed sparse by vector", lambda m: matrices(m)[0].T @ numbers(m, 60, kind="float64"))
    check("sums over axes", lambda m: m.asarray(matrices(m)[0].sum(axis=0)))
    check("diagonals", lambda m: matrices(m)[0].diagonal())


def conversions():
    check("sparse to dense", lambda m: matrices(m)[0].toarray())
    check("csr to csc", lambda m: matrices(m)[0].tocsc().toarray())
    check("coo to csr", lambda m: matrices(m)[0].tocoo().tocsr().toarray())
    check("dense to sparse", lambda m: matrices(m)[1].csr_matrix(m.where(numbers(m, 20, 30) > 1, numbers(m, 20, 30), 0)).toarray())
    check("sparse by sparse", lambda m: (matrices(m)[0] @ matrices(m)[0].T.tocsr()).toarray())
    check("sums of sparse", lambda m: (matrices(m)[0] + matrices(m)[0] * 2).toarray())


def positive(m, kind="float64"):
    a = numbers(m, 12, 12, kind=kind)
    return a @ a.T + 12 * m.eye(12, dtype=kind)


def linear():
    check("linalg.norm", lambda m: m.linalg.norm(numbers(m, 40, 30)), 1e-4)
    check("linalg.det", lambda m: m.linalg.det(positive(m)), 1e-8)
    check("trace", lambda m: m.trace(positive(m)))
    check("matrix_power", lambda m: m.linalg.matrix_power(positive(m), 3), 1e-8)


def solver():
    check("linalg.solve", lambda m: m.linalg.solve(positive(m), numbers(m, 12, kind="float64")), 1e-8)
    check("linalg.inv", lambda m: m.linalg.inv(positive(m)), 1e-8)
    check("linalg.cholesky", lambda m: m.linalg.cholesky(positive(m)), 1e-8)
    check("linalg.eigvalsh", lambda m: m.linalg.eigvalsh(positive(m)), 1e-8)
    check("linalg.svd", lambda m: m.linalg.svd(numbers(m, 12, 8, kind="float64"))[1], 1e-8)
    check("linalg.qr", lambda m: m.abs(m.linalg.qr(numbers(m, 12, 8, kind="float64"))[1]), 1e-8)


def device():
    def on_stream(m):
        if m is numpy:
            return numbers(m, 100) * 2
        stream, begin, end = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Event(), cupy.cuda.Event()
        with stream:
            begin.record()
            result = numbers(m, 100) * 2
            end.record()
        end.synchronize()
        assert cupy.cuda.get_elapsed_time(begin, end) >= 0
        return result

    def captured(m):
        a = numbers(m, 100)
        if m is numpy:
            return a * 2 + 1
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            b = m.empty_like(a)
            m.multiply(a, 2, out=b)  # compiled outside the capture
            stream.synchronize()
            stream.begin_capture()
            m.multiply(a, 2, out=b)
            m.add(b, 1, out=b)
            stream.end_capture().launch(stream)
        stream.synchronize()
        return b

    def managed(m):
        if m is numpy:
            return numbers(m, 50) + 1
        with cupy.cuda.using_allocator(cupy.cuda.malloc_managed):
            return numbers(m, 50) + 1

    def pooled(m):
        if m is numpy:
            return numbers(m, 50) + 1
        with cupy.cuda.using_allocator(cupy.cuda.MemoryAsyncPool().malloc):
            return numbers(m, 50) + 1

    check("streams and events", on_stream)
    check("graph capture", captured)
    check("managed memory", managed)
    check("stream-ordered pool", pooled)
    check("pinned memory", lambda m: numbers(m, 9) if m is numpy else pinned())
    check("runtime", lambda m: m is numpy or cupy.cuda.runtime.runtimeGetVersion() // 1000 == 13 and
          cupy.cuda.runtime.getDeviceProperties(0)["multiProcessorCount"] > 0)
    from cupyx.scipy import ndimage, special
    import scipy.ndimage
    import scipy.special
    check("ndimage.uniform_filter", lambda m: (ndimage if m is cupy else scipy.ndimage).uniform_filter(numbers(m, 20, 20), 3), 1e-4)
    check("special.erf", lambda m: (special if m is cupy else scipy.special).erf(numbers(m, 100)))


def pinned():
    import cupyx
    host = cupyx.empty_pinned(9, "float32")
    host[:] = numbers(numpy, 9)
    there = cupy.empty(9, "float32")
    there.set(host)
    return there


groups = [name for name in sys.argv[1:] if not name.startswith("-")]
for each in groups or ["arrays", "kernels", "reductions", "sorting", "products", "transforms", "random", "sparse", "conversions",
                       "linear", "solver", "device"]:
    globals()[each]()
print(f"{count - len(failed)} of {count} checks are right")
print("right" if not failed else "wrong")
sys.exit(1 if failed else 0)
