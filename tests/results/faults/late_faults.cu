// SPDX-License-Identifier: BSD-3-Clause
// Kernels with a planted fault each, and mended, of kinds that users met later than those in faults.cu and more_faults.cu;
// the last one has two faults that limit it together.
// nvcc sm_86
// lines

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS (gridDim.x * blockDim.x)

// A fence in a loop over a table that the L1 would keep: all loads behind it come from the L2. Mended, one fence at the end.
static __device__ float look_up(const float *in, int k)
{
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
        sum += in[(k * 128 + i * 32 + threadIdx.x) & 2047];
    return sum;
}

KERNEL bad_fenced_table(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        sum += look_up(in, k);
        out[THREAD] = sum;
        __threadfence();
    }
}

KERNEL good_fenced_table(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        sum += look_up(in, k);
        out[THREAD] = sum;
    }
    __threadfence();
}

// An array that is indexed by what is loaded, beside other work; mended, the work on the index stays and the array is gone.
static __device__ int index_of(const float *in, int k)
{
    return (k + (int)in[k & 7]) & 15;
}

KERNEL bad_mixed_array(float *out, const float *in, int n)
{
    float kept[16], sum = 0, other = 1;
    for (int i = 0; i < 16; i++)
        kept[i] = in[threadIdx.x % 64 + i];
    for (int k = 0; k < n; k++) {
        sum += kept[index_of(in, k)];
        kept[k & 15] = sum;
        other = other * 1.5f + sum;
    }
    out[THREAD] = sum + other;
}

KERNEL good_mixed_array(float *out, const float *in, int n)
{
    float kept = in[threadIdx.x % 64 + 3], sum = 0, other = 1;
    for (int k = 0; k < n; k++) {
        sum += __int_as_float(__float_as_int(kept) + index_of(in, k));
        other = other * 1.5f + sum;
    }
    out[THREAD] = sum + other;
}

// Powers as precise as powf makes them, or as fast as __powf.
KERNEL bad_powers(float *out, const float *in, int n)
{
    float sum = 0, base = 1.5f + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        base += 0.25f;
        sum += powf(base, 1.25f);
    }
    out[THREAD] = sum;
}

KERNEL good_powers(float *out, const float *in, int n)
{
    float sum = 0, base = 1.5f + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        base += 0.25f;
        sum += __powf(base, 1.25f);
    }
    out[THREAD] = sum;
}

// Sines of angles that a fast reduction is good enough for.
KERNEL bad_waves(float *out, const float *in, int n)
{
    float sum = 0, angle = 0.001f * threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        angle += 0.0078125f;
        sum += sinf(angle) * expf(-angle);
    }
    out[THREAD] = sum;
}

KERNEL good_waves(float *out, const float *in, int n)
{
    float sum = 0, angle = 0.001f * threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        angle += 0.0078125f;
        sum += __sinf(angle) * __expf(-angle);
    }
    out[THREAD] = sum;
}

// Literals of double precision in sums of single precision.
KERNEL bad_literals(float *out, const float *in, int n)
{
    float a = (float)threadIdx.x, b = a + 1;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        a = a * 1.3 + 2.7;
        b = b * 1.3 + 2.7;
    }
    out[THREAD] = a + b;
}

KERNEL good_literals(float *out, const float *in, int n)
{
    float a = (float)threadIdx.x, b = a + 1;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        a = a * 1.3f + 2.7f;
        b = b * 1.3f + 2.7f;
    }
    out[THREAD] = a + b;
}

// Two faults that limit a kernel by turns: a column of a tile in one bank, and double precision. Either of them mended leaves
// the other.
template <int pitch, typename real> static __device__ void column_sums(float *out, int n)
{
    __shared__ float tile[32 * pitch];
    int x = threadIdx.x & 31, y = threadIdx.x >> 5;
    float sum = 0;
    for (int row = y; row < 32; row += blockDim.x / 32)
        tile[row * pitch + x] = (float)x;
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < n; k++)
        sum = (float)(sum * (real)0.3 + tile[x * pitch + ((y + k) & 31)] * (real)1.7);
    out[THREAD] = sum;
}

KERNEL bad_two_limits(float *out, const float *in, int n)
{
    column_sums<32, double>(out, n);
}

KERNEL good_two_limits(float *out, const float *in, int n)
{
    column_sums<33, float>(out, n);
}
