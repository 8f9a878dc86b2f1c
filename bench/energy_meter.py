# SPDX-License-Identifier: BSD-3-Clause
"""The reading of a power meter that shows the mean of the last second, for products that a collector repeats (energy_fit.py).

NVML's power of Hopper and Blackwell is the mean of the last second (nvmlDeviceGetPowerUsage). kernel-power.csv (ai-dynamo/aiconfigurator,
collector/vllm/collect_gemm.py, collector/helper.py, collector/cases/base_ops/gemm.yaml) has the mean of such readings, every 100 ms, over
about a second of one product. So up to half of a row is the second before the run began. The collector tells what ran then:

- Products come by m, n and k, each from the greatest to the least, k innermost. The greatest k of an m and n comes after products with
  k = 32 to 128, which are short: most of that second sets them up.
- Any other product comes after one with the next greater k, which draws about as much.
- Between the two, products of fp8 in blocks run without a graph; on Blackwell, where m is a multiple of four. If one takes less time
  than the host needs to launch it, the board idles for the rest. On Hopper it may need a new kernel, for which the board rests
  (energy_compiled.py). Its own run behind that is as many launches as three that were measured before would need for a second, and
  those take the host `warm`.
- A product is launched LAUNCHES times before the first reading: six layers once, then three times, then in three replays of a graph
  that has them five times.

`Board` has what no page tells. It is fitted to products whose clock fell: these draw the power limit, whatever is read."""
import collections

import energy_compiled

SIZES = (32, 64, 128, 256, 512, 768, 1024, 1280, 1536, 2048, 2560, 3072, 3584, 4096, 5120, 6144, 7168, 8192, 10240, 12288, 16384, 51200, 65536)
LAUNCHES = 6 + 3 * 6 + 3 * 30
LEAST = 6 * 30  # launches of a run, which otherwise lasts a second

SMALL = (32, 64, 128)
SMALL_SECONDS = 2.5e-6  # the least of a product in a graph

QUANTISED = 3 / (0.8 * 4.8e12)  # seconds for a number of the tokens: two bytes are read and one is written

# `multiple`: fp8 in blocks runs where m is a multiple. `before`: watts before the greatest k; with blocks, the most of what the small
# products draw. `host`: seconds of the host for a launch of blocks; 0: less than the launch takes. `warm`: the least that it needs for
# each of the first ones, more than the 0.1 ms below which a run is shorter; 0: kernels are taken as compiled.
Board = collections.namedtuple("Board", "multiple before before_with_blocks host warm")
BOARDS = {"h200": Board(1, None, 250, 0, 110e-6), "b200": Board(4, 600, 425, 65e-6, 0)}


def comes_first(n, k):
    """Whether a product is the first of its m and n. There is none with n = k = SIZES[-1]."""
    return k == SIZES[-1] or (n == SIZES[-1] and k == SIZES[-2])


def weight_before(seconds):
    """The part of the mean reading that is power drawn before the product was launched first; `seconds`: of one launch."""
    return max(0, 1 - LAUNCHES * seconds) ** 2 / (2 * max(1, LEAST * seconds))


def has_blocks(m, board):
    return m % board.multiple == 0


def busy(m, n, k, seconds, board):
    """The share of the second before in which the board worked: at fp8 in blocks with the next greater k, for which it needs half of
    the time of bf16."""
    greater = min((size for size in SIZES if size > k), default=k)
    blocks = seconds / 2 * greater / k
    if board.warm and energy_compiled.is_compiled(m, n, greater):
        return min(1, (blocks + QUANTISED * m * greater) / board.warm)
    return min(1, blocks / board.host) if board.host and has_blocks(m, board) else 1


def small_products(m, n):
    """m, n, k of the products that run before the first of its m and n: those with the next greater n and the least k."""
    greater = min((size for size in SIZES if size > n), default=n)
    return [(m, greater, k) for k in SMALL]


def reading(drawn, idle, small, shape, seconds, board):
    """Watts that the meter shows of a product that draws `drawn`. `idle`: watts of the board without work; `small`: of small_products."""
    m, n, k = shape
    weight = weight_before(seconds)
    if comes_first(n, k):
        before = min(board.before_with_blocks, small, drawn) if has_blocks(m, board) else min(board.before, drawn)
    else:
        before = idle + busy(m, n, k, seconds, board) * (drawn - idle)
    return (1 - weight) * drawn + weight * before


def drawn_by(read, idle, shape, seconds, board):
    """The watts with which `reading` shows `read`, of a product that does not come first."""
    idles = weight_before(seconds) * (1 - busy(*shape, seconds, board))
    return (read - idles * idle) / (1 - idles)
