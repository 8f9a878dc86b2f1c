# SPDX-License-Identifier: BSD-3-Clause
"""The reading of a power meter that shows the mean of the last second, for attention that a collector repeats (energy_fit.py).

kernel-power.csv has attention of ai-dynamo/aiconfigurator's collector (collector/collect.py, helper.py, vllm/collect_attn.py, cases/base_ops and
cases/models of 2026-06 and 07): one kernel after another, each in a run of a second or less, and the mean of NVML's power, which is itself the
mean of the last second (energy_meter.py). Half of a row or more is thus what its board did in the second before. The collector tells what that was:

- Kernels come in a fixed order (`tasks`): by heads, prompts from the longest to the shortest and decodes from the shortest to the longest
  for each number of sequences, with a cache of bf16 and one of fp8 behind one another.
- Each of the eight boards of a server takes the next one when it has finished its own, so that a kernel comes behind about the eighth before it.
- A run is 3 launches from Python, 3 of a graph, and then as many as would fill a second (0.3 s if one takes less than 0.1 ms) by the time of the
  first three, 3,000 at most. Those take the host HOST each. The first reading is taken behind these six, the next ones every 100 ms.

What the collector does not tell are the seconds between runs (SETUP, SETUP_SEQUENCE: a configuration, random numbers and copies for each
sequence) and HOST. They and the number of boards were chosen with decodes of an H200, rounded. Which board takes which kernel hangs on them, so
that readings are means over ORDERS runs whose seconds between runs differ at random."""
import bisect
import heapq
import itertools
import math
import random

BOARDS, ORDERS, SPREAD = 8, 4, 0.3
SETUP, SETUP_SEQUENCE, HOST = 0.02, 1e-4, 0.2e-3
WARM, MOST, SHORT = 3, 3000, (1e-4, 0.3)

# Query heads, heads of keys, numbers of a head and windows of models, and by how many GPUs their heads are shared, in the order of the files' names.
MODELS = ((16, 8, 256, (1024,), 16), (16, 2, 512, (0,), 16), (64, 8, 64, (0, 128), 64), (64, 64, 128, (0,), 64), (40, 8, 128, (0, 8192), 8),
          (32, 8, 128, (0,), 32), (64, 4, 192, (0,), 64), (64, 8, 192, (128,), 64), (48, 8, 128, (0,), 16), (16, 8, 128, (0,), 16),
          (32, 8, 128, (0,), 32), (64, 8, 128, (0,), 64), (32, 4, 128, (0,), 8), (64, 4, 128, (0,), 64), (96, 8, 128, (0,), 32),
          (8, 2, 256, (0,), 8), (16, 4, 256, (0,), 16), (24, 4, 256, (0,), 8), (16, 2, 256, (0,), 8), (32, 2, 256, (0,), 16))
HEADS, KV_HEADS, SIZES, WINDOWS = (64, 48, 40, 32, 24, 16, 12, 8, 4, 2, 1), (1, 2, 4, 8), (64, 128), (0, 128)
PROMPTS = (16384, 12288, 10240, 8192, 6144, 4096, 3072, 2048, 1536, 1024, 512, 256, 128, 64, 32, 16, 1)
CONTEXTS = tuple(2 ** i for i in range(1, 18))
MOST_SHARED = 16  # query heads of a head of keys that decodes of Blackwell's library take


def configurations(prompts):
    """Heads, heads of keys, numbers of a head, window, each once."""
    found = {}
    for size, heads in itertools.product(SIZES, HEADS):
        for kv_heads in ((heads, *(each for each in KV_HEADS if each < heads)) if prompts else KV_HEADS):
            if kv_heads <= heads and heads % kv_heads == 0:
                found.update({(heads, kv_heads, size, window): None for window in WINDOWS})
    for heads, kv_heads, size, windows, most in MODELS:
        for parts in (2 ** i for i in range(most.bit_length())):
            if heads % parts == 0 and heads // parts % -(-kv_heads // parts) == 0:
                found.update({(heads // parts, -(-kv_heads // parts), size, window): None for window in windows})
    return found


def prompts_of(heads, kv_heads, size):
    """Sequences and their length."""
    most, alike = (65536, 128) if heads == kv_heads else (131072, 256)
    for length, batch in itertools.product(PROMPTS, (256, 128, 64, 32, 16, 8, 4, 2, 1)):
        if batch * length <= most and batch <= alike and batch * length * kv_heads * size * 2 < 2 ** 31 - 1:
            yield batch, length


def decodes_of(heads, kv_heads, size):
    """Sequences and the length of what they have behind them, this token included."""
    lengths = {}
    for length in CONTEXTS:
        most = (2 ** 23 if heads == kv_heads else 2 ** 24) * 128 // size // length // heads
        batches = {2 ** i for i in range(12) if 2 ** i <= most}
        for batch in batches if len(batches) >= 4 else ():  # the order is that of Python's sets, there and here
            lengths.setdefault(batch, []).append(length)
    for batch, own in lengths.items():
        yield from ((batch, length) for length in (own[:-1] if batch >= 256 else own))


def tasks(prompts, blackwell):
    """All kernels in the collector's order: sequences, length, heads, heads of keys, numbers of a head, window, whether the cache is fp8."""
    for heads, kv_heads, size, window in configurations(prompts):
        if prompts or not blackwell or heads // kv_heads <= MOST_SHARED:
            for batch, length in (prompts_of if prompts else decodes_of)(heads, kv_heads, size):
                yield from ((batch, length, heads, kv_heads, size, window, fp8) for fp8 in (False, True))


class Trace:
    """Watts of a board over time; `rest`: those without a kernel."""

    def __init__(self, rest):
        self.since = [(-1.0, rest, 0.0)]  # from when on, watts, energy until then

    def put(self, time, watts):
        start, before, energy = self.since[-1]
        self.since.append((time, watts, energy + before * (time - start)))

    def energy(self, time):
        start, watts, energy = self.since[bisect.bisect_right(self.since, time, key=lambda each: each[0]) - 1]
        return energy + watts * (time - start)

    def mean(self, first, last):
        """The mean of readings every 100 ms from `first` to `last`."""
        times = [first + 0.1 * i for i in range(int((last - first) / 0.1) + 1)]
        return sum(self.energy(time) - self.energy(time - 1) for time in times) / len(times)


def launches(seconds):
    """Launches of a run, and the seconds that each of the first ones takes."""
    first = max(seconds, HOST)
    target = SHORT[1] if first < SHORT[0] else 1
    return min(MOST, max(6, int(target / first) + 1)), first


def run(kernels, wanted, rest, seed):
    """Readings of the kernels in `wanted`, by their number. `kernels`: sequences, seconds and watts of each, in order."""
    dice, traces, shown = random.Random(seed), [Trace(rest) for _ in range(BOARDS)], {}
    free = [(0.0, board) for board in range(BOARDS)]
    for i, (sequences, seconds, watts) in enumerate(kernels):
        time, board = heapq.heappop(free)
        trace = traces[board]
        time += (SETUP + SETUP_SEQUENCE * sequences) * math.exp(dice.gauss(0, SPREAD))
        number, first = launches(seconds)
        trace.put(time, rest + (watts - rest) * seconds / first)
        trace.put(time + WARM * first, watts)
        time += WARM * (first + seconds)
        if i in wanted:
            shown[i] = trace.mean(time, time + number * seconds)
        time += number * seconds
        trace.put(time, rest)
        del trace.since[:-200]
        heapq.heappush(free, (time, board))
    return shown


def readings(kernels, wanted, rest):
    """What the meter shows of each kernel in `wanted`: the geometric mean over ORDERS runs."""
    runs = [run(kernels, wanted, rest, seed) for seed in range(ORDERS)]
    return {i: math.exp(sum(math.log(each[i]) for each in runs) / ORDERS) for i in wanted}
