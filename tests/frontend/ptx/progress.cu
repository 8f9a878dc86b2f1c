/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes of one warp that wait for one another. Threads of Volta and later make progress independently (CUDA C++
 * Programming Guide, independent thread scheduling), so that all of these end, with one result each.
 * progress.ptx: nvcc -ptx -arch=sm_80 progress.cu -o progress.ptx
 */

__device__ static int load(const volatile int *x)
{
    return *x;
}

/* Four places in the code, and lanes that hand a token down through them: lane n waits, in loop n % 4, for n. */
extern "C" __global__ void hand_on(volatile int *turn, int *out, int rounds)
{
    int lane = threadIdx.x % 32, seen = 0;
    for (int k = 0; k < rounds; k++) {
        int mine = 32 * k + lane;
        if (lane % 4 == 0) {
            while (load(turn) != mine)
                seen += 1;
            out[mine] = 4 * mine;
        } else if (lane % 4 == 1) {
            while (load(turn) != mine)
                seen += 3;
            out[mine] = 4 * mine + 1;
        } else if (lane % 4 == 2) {
            while (load(turn) != mine)
                seen += 5;
            out[mine] = 4 * mine + 2;
        } else {
            while (load(turn) != mine)
                seen += 7;
            out[mine] = 4 * mine + 3;
        }
        __threadfence();
        *turn = mine + 1;
    }
    if (seen < 0)
        out[0] = seen;
}

/* A lane is done when its neighbour above is, which it asks within a loop in a loop. */
extern "C" __global__ void from_above(volatile int *done, int *out)
{
    int lane = threadIdx.x, order = 0;
    bool waits = true;
    while (waits) {
        int above = 0;
        for (int k = 0; k <= lane % 3; k++) {
            above += lane == 31 ? 1 : load(&done[lane + 1]);
            if (above)
                order++;
        }
        if (above) {
            out[lane] = order ? lane : -1;
            __threadfence();
            done[lane] = 1;
            waits = false;
        }
    }
}

/* The same, where of four times round the loop one asks: what has been decided is known without memory. */
extern "C" __global__ void seldom(volatile int *done, int *out)
{
    int lane = threadIdx.x, left = 1 << lane % 4;
    while (left) {
#pragma unroll 1
        for (int k = 0; k < 4; k++)
            if (left >> k & 1 && (lane == 31 || load(&done[lane + 1])))
                left &= ~(1 << k);
    }
    out[lane] = lane;
    __threadfence();
    done[lane] = 1;
}

/* Three locks, which a warp's lanes take in turn; one holds two of them, in order, while it counts. */
extern "C" __global__ void two_locks(int *locks, volatile int *counts, int rounds)
{
    for (int k = 0; k < rounds; k++) {
        int first = (threadIdx.x + k) % 2, second = first + 1;
        bool done = false;
        while (!done) {
            if (atomicCAS(&locks[first], 0, 1) == 0) {
                while (atomicCAS(&locks[second], 0, 1) != 0) {
                }
                __threadfence();
                counts[first] += 1;
                counts[3 + second] += 1;
                __threadfence();
                atomicExch(&locks[second], 0);
                atomicExch(&locks[first], 0);
                done = true;
            }
        }
    }
}

/*
 * The greedy independent set of a graph, by priorities: a node is in it when all neighbours of a higher priority are out
 * of it. A thread has several nodes, and goes round until all of them are decided. Bytes of one word belong to several
 * threads. state: 1: not decided; 2: in; 4: out.
 */
extern "C" __global__ void independent_set(int nodes, const int *first, const int *neighbours,
                                           volatile unsigned char *state)
{
    bool missing;
    do {
        missing = false;
        for (int v = threadIdx.x; v < nodes; v += blockDim.x) {
            if (state[v] != 1)
                continue;
            int i = first[v];
            while (i < first[v + 1] && (neighbours[i] > v || state[neighbours[i]] == 4))
                i++;
            if (i == first[v + 1]) {
                state[v] = 2;
            } else if (state[neighbours[i]] == 2) {
                state[v] = 4;
            } else {
                missing = true;
            }
        }
    } while (missing);
}
