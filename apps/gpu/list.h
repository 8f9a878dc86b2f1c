/* SPDX-License-Identifier: BSD-3-Clause */
/* All workloads, in the order in which they are listed. */
APP(vecadd)
APP(sgemm)
APP(gemm)
APP(reduction)
APP(scan)
APP(transpose)
APP(histogram)
APP(montecarlo_pi)
APP(convolution)
APP(spinlock)
APP(lastblock)
