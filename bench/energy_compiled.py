# SPDX-License-Identifier: BSD-3-Clause
"""Which products of fp8 in blocks DeepGEMM compiles a kernel for, of those that a collector runs in turn (energy_meter.py).

On Hopper, DeepGEMM (csrc/jit_kernels/heuristics/sm90.hpp of 2026) compiles a kernel for each n, k and tile when it is needed first, and
takes the tile by cycles that it estimates from bytes that move. The collector has the same n and k for many m, from the greatest to the
least, so that a kernel is compiled at the first m whose tile no greater m has. The board rests meanwhile.

The cycles are those of the L2 or of shared memory, whichever are more, over the share of SMs that the last wave leaves busy."""
import functools

TOKENS = tuple(sorted({*range(1, 18), *(size + odd for size in (32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, *range(512, 4353, 256))
                                        for odd in (0, 1)), 8192, 16384, 32768} - {18}, reverse=True))
SMS = 132
L2_BYTES, SHARED_BYTES = int(min(64 * SMS, 8e6 / 1.3e3)), 128 * SMS  # bytes in a cycle
SHARED_MEMORY, BARRIERS, MOST_STAGES = 232448, 256, 16
DEEP = 128  # of a tile along k
CLUSTERS = ((1, 1), (1, 2), (2, 1))  # blocks along m and n


def up(value, unit):
    return -(-value // unit)


def stages(high, wide, k):
    """Stages of a tile that shared memory holds beside the results and the scales."""
    scales = up(k, DEEP) * 4 * (1 if DEEP % wide == 0 else 2)
    rest = up(high * wide * 2, 1024) * 1024 + BARRIERS + up(scales, 8) * 8
    return min((SHARED_MEMORY - rest) // ((high + wide) * DEEP + up(high * 4, 128) * 128), MOST_STAGES)


@functools.lru_cache(None)
def tiles(k, heights):
    """Tiles that there are for k: height along m, width along n, and blocks of a cluster along both."""
    return [(high, wide, *cluster) for cluster in CLUSTERS for high in heights for wide in range(16, 193, 16)
            if not (wide > DEEP and wide % (wide - DEEP) and DEEP % (wide - DEEP)) and not (high > 128 and wide > 128)
            and stages(high, wide, k) >= (3 if high * wide >= 128 * 192 else 4)]


def cycles(tile, m, n, k):
    high, wide, along_m, along_n = tile
    blocks, written = up(m, high) * up(n, wide), 2 * high * wide
    waves = up(blocks, SMS)
    if along_m * along_n > 1 and waves == 1:
        return float("inf")
    l2 = (k * (high // along_n + wide // along_m) + written) * blocks // L2_BYTES
    shared = (k * (high + max(64, high) + 2 * wide) + 2 * written) * blocks // SHARED_BYTES
    return int(max(l2, shared) * waves * SMS / blocks)


def tile_of(m, n, k):
    heights = (64, 128, *((16,) if m <= 16 else ()), *((32,) if m <= 32 else ()), 256)
    return min(tiles(k, heights), key=lambda tile: cycles(tile, m, n, k))  # the first of those with as few


@functools.lru_cache(None)
def compiled_at(n, k):
    """The m at which a kernel is compiled."""
    found = {}
    for m in TOKENS:
        found.setdefault(tile_of(m, n, k), m)
    return frozenset(found.values())


def is_compiled(m, n, k):
    """Whether the collector's product of fp8 in blocks needs a new kernel. There is none where n or k is no multiple of DEEP."""
    return n % DEEP == 0 and k % DEEP == 0 and m in compiled_at(n, k)
