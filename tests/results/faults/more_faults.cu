// SPDX-License-Identifier: BSD-3-Clause
// More kernels with a planted fault each, and mended, written behind the rules (faults.cu has those written before).
// nvcc sm_86
// lines

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS (gridDim.x * blockDim.x)

// A sum over a row of a matrix for each lane, or over a column: loads go through the L1.
KERNEL bad_column_walk(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 4
    for (int k = 0; k < n; k++)
        sum += in[THREAD * 1024 + k];
    out[THREAD] = sum;
}

KERNEL good_column_walk(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 4
    for (int k = 0; k < n; k++)
        sum += in[k * THREADS + THREAD];
    out[THREAD] = sum;
}

// One field of a structure of eight; mended, an array of that field.
KERNEL bad_fields(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < n; k++)
        sum += __ldcg(&in[(k * THREADS + THREAD) * 8]);
    out[THREAD] = sum;
}

KERNEL good_fields(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < n; k++)
        sum += __ldcg(&in[k * THREADS + THREAD]);
    out[THREAD] = sum;
}

// Lanes write to places far apart, in an order that is mixed; mended, in order.
KERNEL bad_scatter(float *out, const float *in, int n)
{
#pragma unroll 4
    for (int k = 0; k < n; k++)
        out[((k * THREADS + THREAD) * 40503u) & ((1 << 20) - 1)] = (float)k;
}

KERNEL good_scatter(float *out, const float *in, int n)
{
#pragma unroll 4
    for (int k = 0; k < n; k++)
        out[((k * THREADS + THREAD) ^ 40503u) & ((1 << 20) - 1)] = (float)k;
}

// Words of shared memory eight apart: eight lanes to a bank.
template <int apart> static __device__ void stride(float *out, int n)
{
    __shared__ float kept[256 * 8];
    float sum = 0;
    for (int i = threadIdx.x; i < 256 * 8; i += 256)
        kept[i] = (float)i;
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < n; k++)
        sum += kept[(threadIdx.x + k & 255) * apart];
    out[THREAD] = sum;
}

KERNEL bad_bank_stride(float *out, const float *in, int n)
{
    stride<8>(out, n);
}

KERNEL good_bank_stride(float *out, const float *in, int n)
{
    stride<1>(out, n);
}

// Four counters in shared memory for a CTA, or for each lane.
KERNEL bad_shared_bins(float *out, const float *in, int n)
{
    __shared__ int bins[128];
    bins[threadIdx.x & 127] = 0;
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < n; k++)
        atomicAdd(&bins[(threadIdx.x * 7 + k) & 3], 1);
    __syncthreads();
    out[THREAD] = (float)bins[threadIdx.x & 127];
}

KERNEL good_shared_bins(float *out, const float *in, int n)
{
    __shared__ int bins[128];
    bins[threadIdx.x & 127] = 0;
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < n; k++)
        atomicAdd(&bins[((threadIdx.x * 7 + k) & 3) * 32 + (threadIdx.x & 31)], 1);
    __syncthreads();
    out[THREAD] = (float)bins[threadIdx.x & 127];
}

static __device__ float work(float a, int steps)
{
    float b = a + 1;
#pragma unroll 4
    for (int i = 0; i < steps; i++) {
        a = a * 1.5f + 2.5f;
        b = b * 1.5f + 2.5f;
    }
    return a + b;
}

// Warps draw the numbers of their next pieces of work: from one counter, or each from its own.
template <int apart> static __device__ void draw(float *out, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++) {
        int ticket = 0;
        if ((threadIdx.x & 31) == 0)
            ticket = atomicAdd((int *)out + THREAD / 32 * apart, 1);
        sum += (float)__shfl_sync(~0u, ticket, 0);
    }
    out[(1 << 20) + THREAD] = sum;
}

KERNEL bad_tickets(float *out, const float *in, int n)
{
    draw<0>(out, n);
}

KERNEL good_tickets(float *out, const float *in, int n)
{
    draw<8>(out, n);
}

// Eight counters of all warps lie in one sector; mended, which is launched with an odd n, each warp has its own.
static __device__ void tally(float *out, int n)
{
    int *own = (int *)out + THREAD / 32 * 8 * (n & 1);
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        atomicAdd(own + (threadIdx.x + k) % 8, 1);
#pragma unroll
        for (int i = 0; i < 10; i++)
            sum = sum * 0.5f + 1.5f;
    }
    out[(1 << 20) + THREAD] = sum;
}

KERNEL bad_bins(float *out, const float *in, int n)
{
    tally(out, n);
}

KERNEL good_bins(float *out, const float *in, int n)
{
    tally(out, n);
}

// The sum of an array by two CTAs, or by four times as many.
static __device__ void reduce(float *out, const float *in, int n)
{
    __shared__ float sums[32];
    float sum = 0;
#pragma unroll 4
    for (int k = 0; k < n; k++)
        sum += work(in[k * THREADS + THREAD], 8);
    for (int lanes = 16; lanes; lanes /= 2)
        sum += __shfl_xor_sync(~0u, sum, lanes);
    if ((threadIdx.x & 31) == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32)
        out[blockIdx.x * 32 + threadIdx.x] = sums[threadIdx.x];
}

KERNEL bad_one_reduce(float *out, const float *in, int n)
{
    reduce(out, in, n);
}

KERNEL good_one_reduce(float *out, const float *in, int n)
{
    reduce(out, in, n);
}

// The first CTA has much more to do than the others.
KERNEL bad_long_cta(float *out, const float *in, int n)
{
    out[THREAD] = work((float)THREAD, blockIdx.x == 0 ? 5 * n : n);
}

KERNEL good_long_cta(float *out, const float *in, int n)
{
    out[THREAD] = work((float)THREAD, n + 4 * n / (int)gridDim.x);
}

// CTAs add up rows of one to eight times n numbers a lane, as memory brings them; mended, all rows have the mean length.
static __device__ void add_row(float *out, const float *in, int longest, int count)
{
    float sum = 0;
#pragma unroll 4
    for (int k = 0; k < count; k++)
        sum += __ldcg(&in[(blockIdx.x * longest + k) * blockDim.x + threadIdx.x]);
    out[THREAD] = sum;
}

KERNEL bad_ragged_rows(float *out, const float *in, int n)
{
    add_row(out, in, 8 * n, n * (1 + blockIdx.x * 5 % 8));
}

KERNEL good_ragged_rows(float *out, const float *in, int n)
{
    add_row(out, in, 8 * n, n * 9 / 2);
}

// CTA b has 2 b + 1 steps, with barriers between them; mended, all have as many as there are CTAs.
static __device__ void triangle(float *out, int rows, int n)
{
    __shared__ float line[256];
    float x = (float)threadIdx.x;
#pragma unroll 1
    for (int row = 0; row < rows; row++) {
        line[threadIdx.x] = x;
        __syncthreads();
        x = work(line[(threadIdx.x + 1) % blockDim.x], n);
        __syncthreads();
    }
    out[THREAD] = x;
}

KERNEL bad_triangle(float *out, const float *in, int n)
{
    triangle(out, 2 * blockIdx.x + 1, n);
}

KERNEL good_triangle(float *out, const float *in, int n)
{
    triangle(out, gridDim.x, n);
}

static __device__ int walk(const int *in, int from, int n)
{
    int at = from;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        at = __ldcg(&in[(at + k) & 4095]) + from;
    return at;
}

// Nine CTAs, of which four run at a time; mended, eight with as much more to do.
KERNEL bad_last_wave(float *out, const float *in, int n)
{
    out[THREAD] = work((float)THREAD, n);
}

KERNEL good_last_wave(float *out, const float *in, int n)
{
    out[THREAD] = work((float)THREAD, n);
}

// CTAs of one warp.
KERNEL bad_tiny_ctas(float *out, const float *in, int n)
{
    out[THREAD] = (float)walk((const int *)in, THREAD, n);
}

KERNEL good_tiny_ctas(float *out, const float *in, int n)
{
    out[THREAD] = (float)walk((const int *)in, THREAD, n);
}

// A table of 40 KiB for each CTA, or of 4.
template <int words> static __device__ void with_table(float *out, const float *in, int n)
{
    __shared__ float table[words];
    table[threadIdx.x * 7 % words] = (float)n;
    __syncthreads();
    out[THREAD] = (float)walk((const int *)in, THREAD, n) + table[threadIdx.x];
}

KERNEL bad_static_table(float *out, const float *in, int n)
{
    with_table<10240>(out, in, n);
}

KERNEL good_static_table(float *out, const float *in, int n)
{
    with_table<1024>(out, in, n);
}

// Each lane has another number of steps, or each warp.
static __device__ void steps(float *out, int which, int n)
{
    float a = (float)THREAD, b = a + 1;
#pragma unroll 1
    for (int i = 0; i < n * which; i++) {
        a = a * 1.5f + b;
        b = b * 1.5f + 2.5f;
        a = a * 1.5f + b;
        b = b * 1.5f + 2.5f;
    }
    out[THREAD] = a + b;
}

KERNEL bad_trips(float *out, const float *in, int n)
{
    steps(out, (threadIdx.x & 31) < 16 ? 32 : 8, n);
}

KERNEL good_trips(float *out, const float *in, int n)
{
    steps(out, (threadIdx.x >> 5 & 4) ? 32 : 8, n);
}

// A polynomial in double precision.
template <typename real> static __device__ void polynomial(float *out, int n)
{
    real x = (real)threadIdx.x * (real)0.001, y = x + 1, a = 1, b = 2;
#pragma unroll 2
    for (int k = 0; k < n; k++) {
        a = ((a * x + (real)0.25) * x + (real)0.5) * x + (real)0.75;
        b = ((b * y + (real)0.25) * y + (real)0.5) * y + (real)0.75;
    }
    out[THREAD] = (float)(a + b);
}

KERNEL bad_polynomial(float *out, const float *in, int n)
{
    polynomial<double>(out, n);
}

KERNEL good_polynomial(float *out, const float *in, int n)
{
    polynomial<float>(out, n);
}

// Integers and floats by turns.
KERNEL bad_types(float *out, const float *in, int n)
{
    float a = (float)threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        a = __int_as_float(__float2int_rn(a));
        b = __int_as_float(__float2int_rn(b));
        c = __int_as_float(__float2int_rn(c));
        d = __int_as_float(__float2int_rn(d));
    }
    out[THREAD] = a + b + c + d;
}

KERNEL good_types(float *out, const float *in, int n)
{
    float a = (float)threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        a += 1.5f;
        b += 1.5f;
        c += 1.5f;
        d += 1.5f;
    }
    out[THREAD] = a + b + c + d;
}

// Constants that their cache does not hold.
__constant__ float table[16384];

template <int words> static __device__ void look_up(float *out, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int i = 0; i < 8; i++)
            sum = sum * 0.5f + table[(k * 32 + i) % words];
    out[THREAD] = sum;
}

KERNEL bad_constants(float *out, const float *in, int n)
{
    look_up<16384>(out, n);
}

KERNEL good_constants(float *out, const float *in, int n)
{
    look_up<256>(out, n);
}

/* A table in constants of which each lane reads another word, or a copy of it in shared memory. */
__constant__ float words[256];

static __device__ float smooth(float sum, float word)
{
#pragma unroll
    for (int i = 0; i < 40; i++)
        sum = sum * 0.5f + word;
    return sum;
}

KERNEL bad_lane_constants(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum = smooth(sum, words[threadIdx.x * 37 + k * 7 & 255]);
    out[THREAD] = sum;
}

KERNEL good_lane_constants(float *out, const float *in, int n)
{
    __shared__ float copy[256];
    float sum = 0;
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        copy[i] = words[i];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum = smooth(sum, copy[threadIdx.x * 37 + k * 7 & 255]);
    out[THREAD] = sum;
}

KERNEL bad_small_copies(float *out, const float *in, int n)
{
    out[THREAD] = work(in[THREAD], n);
}

KERNEL good_small_copies(float *out, const float *in, int n)
{
    out[THREAD] = work(in[THREAD], n);
}

KERNEL bad_short_kernels(float *out, const float *in, int n)
{
    out[THREAD] = work((float)THREAD, n);
}

KERNEL good_short_kernels(float *out, const float *in, int n)
{
    out[THREAD] = work((float)THREAD, n);
}

// 384 KiB that each SM reads again and again; mended, piece by piece.
KERNEL bad_again(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int pass = 0; pass < 8; pass++)
#pragma unroll 8
        for (int k = 0; k < n; k++)
            sum += __ldca(&in[k * 1024 + threadIdx.x]);
    out[THREAD] = sum;
}

KERNEL good_again(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int part = 0; part < n; part += 8)
#pragma unroll 1
        for (int pass = 0; pass < 8; pass++)
#pragma unroll
            for (int k = 0; k < 8; k++)
                sum += __ldca(&in[(part + k) * 1024 + threadIdx.x]);
    out[THREAD] = sum;
}

// A chain of integer operations, or sixteen.
template <int parts> static __device__ void integers(float *out, int n)
{
    unsigned a[parts], all = 0;
    for (int i = 0; i < parts; i++)
        a[i] = threadIdx.x + i;
#pragma unroll 1
    for (int k = 0; k < n; k += 160)
#pragma unroll
        for (int i = 0; i < 160; i++)
            a[i % parts] = a[i % parts] * a[i % parts] + 1013904223u;
    for (int i = 0; i < parts; i++)
        all ^= a[i];
    out[THREAD] = (float)all;
}

KERNEL bad_integer_chain(float *out, const float *in, int n)
{
    integers<1>(out, n);
}

KERNEL good_integer_chain(float *out, const float *in, int n)
{
    integers<16>(out, n);
}

// Rows as long as a turn through all slices: with l2.hash = "linear", all warps meet in one slice.
KERNEL bad_camping(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < n; k++)
        sum += __ldcg(&in[(k * (THREADS / 32) + THREAD / 32) * 256 + (threadIdx.x & 31)]);
    out[THREAD] = sum;
}

KERNEL good_camping(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < n; k++)
        sum += __ldcg(&in[(k * (THREADS / 32) + THREAD / 32) * 320 + (threadIdx.x & 31)]);
    out[THREAD] = sum;
}

// Sums of rows that lanes read a row apart, and a few bank conflicts behind them, which are no more than a tenth of the
// cycles of the same banks; mended, a warp reads a row side by side, and the conflicts stay.
KERNEL bad_row_sums(float *out, const float *in, int n)
{
    __shared__ float part[1024];
    int lane = threadIdx.x % 32, slice = threadIdx.x / 32;
    float sum = 0;
#pragma unroll 4
    for (int k = 0; k < n; k++)
        sum += in[(blockIdx.x * 32 + lane) * 32 * n + slice * n + k];
    part[lane * 32 + slice] = sum;
    __syncthreads();
    for (int step = 16; step > 0; step /= 2) {
        if (slice < step)
            part[lane * 32 + slice] += part[lane * 32 + slice + step];
        __syncthreads();
    }
    if (slice == 0)
        out[blockIdx.x * 32 + lane] = part[lane * 32];
}

KERNEL good_row_sums(float *out, const float *in, int n)
{
    __shared__ float part[1024];
    int lane = threadIdx.x % 32, slice = threadIdx.x / 32;
    float sum = 0;
#pragma unroll 4
    for (int k = 0; k < n; k++)
        sum += in[(blockIdx.x * 32 + slice) * 32 * n + k * 32 + lane];
    part[slice * 32 + lane] = sum;
    __syncthreads();
    for (int step = 16; step > 0; step /= 2) {
        if (slice < step)
            part[lane * 32 + slice] += part[lane * 32 + slice + step];
        __syncthreads();
    }
    if (slice == 0)
        out[blockIdx.x * 32 + lane] = part[lane * 32];
}

// A place in a ring by the rest of a division by its length; mended, the length is a power of two.
KERNEL bad_ring(float *out, const float *in, int n)
{
    unsigned at = THREAD, length = (unsigned)n + 1, sum = 0;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        at = (at * 5 + 1) % length;
        sum += at ^ k;
    }
    out[THREAD] = (float)sum;
}

KERNEL good_ring(float *out, const float *in, int n)
{
    unsigned at = THREAD, sum = 0;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        at = (at * 5 + 1) & (unsigned)n;
        sum += at ^ k;
    }
    out[THREAD] = (float)sum;
}

// The row of an element by a division by the rows' length; mended, by a multiplication by its reciprocal.
KERNEL bad_row_of(float *out, const float *in, int n)
{
    int element = (int)THREAD, sum = 0;
#pragma unroll 4
    for (int k = 0; k < n; k++, element += 7)
        sum = (sum ^ sum >> 7) * 5 + (sum ^ sum << 3) + element / n;
    out[THREAD] = (float)sum;
}

KERNEL good_row_of(float *out, const float *in, int n)
{
    unsigned element = THREAD, reciprocal = 0xffffffffu / (unsigned)n;
    int sum = 0;
#pragma unroll 4
    for (int k = 0; k < n; k++, element += 7)
        sum = (sum ^ sum >> 7) * 5 + (sum ^ sum << 3) + (int)__umulhi(element, reciprocal);
    out[THREAD] = (float)sum;
}

// A sum that is stored, and fenced, with each of its terms; mended, once.
KERNEL bad_fenced(float *out, const float *in, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += in[k * THREADS + THREAD];
        out[THREAD] = sum;
        __threadfence();
    }
}

KERNEL good_fenced(float *out, const float *in, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += in[k * THREADS + THREAD];
        out[THREAD] = sum;
    }
    __threadfence();
}

// The columns of a product of matrix and vector: each thread a whole one, or a piece of it.
static __device__ void column(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum += __ldcg(&in[k * THREADS + THREAD]);
    out[THREAD] = sum;
}

KERNEL bad_thin_grid(float *out, const float *in, int n)
{
    column(out, in, n);
}

KERNEL good_thin_grid(float *out, const float *in, int n)
{
    column(out, in, n);
}

// All threads in one CTA, or in two: they issue all the time, so that two SMs take half as long.
KERNEL bad_one_sm(float *out, const float *in, int n)
{
    out[THREAD] = work((float)threadIdx.x, n) + work((float)threadIdx.x + 7, n);
}

KERNEL good_one_sm(float *out, const float *in, int n)
{
    out[THREAD] = work((float)threadIdx.x, n) + work((float)threadIdx.x + 7, n);
}

// The same of threads that wait for memory: two SMs take as long.
KERNEL bad_one_sm_loads(float *out, const float *in, int n)
{
    column(out, in, n);
}

KERNEL good_one_sm_loads(float *out, const float *in, int n)
{
    column(out, in, n);
}
