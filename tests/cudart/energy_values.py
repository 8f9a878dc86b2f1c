#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Energies that follow values (--energy=values): bits that toggle, beside those that are counted here by hand of the same loops; what
random data have; one in sixteen instructions beside all; the same bytes however it is run; conservation; inputs of products in the
order of published measurements; refusals. Usage: energy_values.py MANIPLE PROGRAM TRACEGEN SANITIZERS"""
import decimal
import functools
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

maniple, program, tracegen, sanitizers = sys.argv[1:5]
GROUPS = ("int", "imad", "fp32", "half", "fp64", "sfu", "convert", "tensor", "reads", "writes", "shared", "global")  # of which loops are counted by hand
M32 = 0xffffffff
PTXAS = "/usr/local/cuda/bin/ptxas"


def run(folder, text, data, *options, machine="a100", blocks=1, threads=32, energy="--energy=values",
        assembled=False):
    file, content = pathlib.Path(folder) / "values.ptx", pathlib.Path(folder) / "data"
    file.write_text(text)
    content.write_bytes(data)
    if assembled:
        subprocess.run([PTXAS, "-arch=sm_80", file, "-o", file.with_suffix(".cubin")], check=True, capture_output=True)
        file = file.with_suffix(".cubin")
    done = subprocess.run([maniple, "run", "-q", "--machine", machine, energy, "--format", "json", *options, "--", program, file, content,
                           str(blocks), str(threads)], capture_output=True, text=True)
    start = done.stdout.find("{\n")
    if done.returncode or start < 0:
        print("#", done.stdout[:500], done.stderr[:500])
        sys.exit(1)
    results, _ = json.JSONDecoder(parse_float=decimal.Decimal).raw_decode(done.stdout[start:])
    return results


def values(statistics):
    return {name: each["value"] for name, each in statistics.items() if not name.endswith("_per_unit")}


def kernel(declarations, body, target="sm_80"):
    """Each lane's pointer is p: 256 bytes of its own; t is its number."""
    return (f".version 8.4\n.target {target}\n.address_size 64\n.visible .entry values(.param .u64 memory)\n{{\n"
            f".reg .b32 t, i;\n.reg .b64 p, o;\n.reg .pred more, some;\n{declarations}ld.param.u64 p, [memory];\nmov.u32 t, %tid.x;\n"
            f"mul.wide.u32 o, t, 256;\nadd.s64 p, p, o;\n{body}ret;\n}}\n")


# ===== bits counted by hand =====

def float_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of(number):
    return struct.unpack("<I", struct.pack("<f", number))[0]


class Hand:
    """What a loop toggles: registers are lists of 32 numbers."""

    def __init__(self, mask):
        self.mask = mask
        self.counts = dict.fromkeys([f"{what}_{group}" for what in ("toggled", "compared") for group in GROUPS], 0)

    def add(self, group, toggled, bits):
        self.counts[f"toggled_{group}"] += toggled
        self.counts[f"compared_{group}"] += bits

    def halves(self, groups, register, width=32):
        for lane in range(16):
            if self.mask >> lane & 1 and self.mask >> lane + 16 & 1:
                for group in groups:
                    self.add(group, bin(register[lane] ^ register[lane + 16]).count("1"), width)

    def rows(self, groups, register):
        for lane in range(28):
            for group in groups:
                self.add(group, bin(register[lane] ^ register[lane + 4]).count("1"), 32)

    def written(self, before, now, width=32):
        for lane in range(32):
            if self.mask >> lane & 1:
                self.add("writes", bin(before[lane] ^ now[lane]).count("1"), width)

    def operate(self, group, sources, before, now, width=32, wide=None):
        for source in sources:
            self.halves((group, "reads"), source, width)
        if now is not None:
            self.halves((group,), now, wide or width)
            self.written(before, now, wide or width)

    def count_down(self, i):
        """add.s32 i, i, -1; setp.ne.s32 more, i, 0: one number of all lanes."""
        every = [1] * 32
        self.operate("int", [[i & M32] * 32], [i & M32] * 32, [i - 1 & M32] * 32)
        self.operate("int", [[i - 1 & M32] * 32], None, None)
        return every


def loop(body):
    return f"AGAIN:\n{body}add.s32 i, i, -1;\nsetp.ne.s32 more, i, 0;\n@more bra AGAIN;\n"


LOOPS = {
    # name: declarations, loads, body, stores, function of a lane's registers, group, registers that the body reads, in order
    "add": ("x = x + y", "int", ("add.s32 x, x, y;\n",), lambda x, y, z: x + y & M32, 2),
    "xor": ("x = x ^ y", "int", ("xor.b32 x, x, y;\n",), lambda x, y, z: x ^ y, 2),
    "shift": ("x = x << z", "int", ("shl.b32 x, x, y;\n",), lambda x, y, z: x << y & M32 if y < 32 else 0, 2),
    "multiply-add": ("x = x * y + z", "imad", ("mad.lo.s32 x, x, y, z;\n",), lambda x, y, z: x * y + z & M32, 3),
}


def integer_text(op, times):
    return kernel(".reg .b32 x, y, z;\n", "ld.global.u32 x, [p];\nld.global.u32 y, [p+4];\nld.global.u32 z, [p+8];\n"
                  f"mov.u32 i, {times};\n" + loop(op) + "st.global.u32 [p], x;\n")


def words_of(data, place):
    return [struct.unpack_from("<I", data, 256 * lane + 4 * place)[0] for lane in range(32)]


def more_of(folder, text_of, data, short, long, **more):
    """Statistics of the iterations that a long loop has more than a short one, where all instructions are looked at."""
    found = [values(run(folder, text_of(times), data, "--set", "energy.values=1", **more)["total"]["statistics"]) for times in (short, long)]
    return {name: found[1][name] - value for name, value in found[0].items() if isinstance(value, (int, decimal.Decimal))}


def difference(*words, **more):
    return {name: value for name, value in more_of(*words, **more).items() if name.startswith(("toggled_", "compared_"))}


FJ = {"sfu": 9550, "convert": 4780}  # energy.sfu and .convert of an A100
SHARE, RANDOM = 0.6, 0.42            # energy.toggles.fma, energy.random.fma


def valued(found, group, energy):
    """Picojoules of the lanes of a group, by what toggled in it."""
    activity = found[f"toggled_{group}"] / found[f"compared_{group}"] / RANDOM
    return float(found[f"lanes_{group}"]) * energy / 1000 * (1 - SHARE + SHARE * activity)


def check_hand(name, found, hand):
    expected = hand.counts
    found["toggled_reads"] -= found.pop("toggled_global")  # the word that is stored behind the loop is another one
    wrong = {key: (found[key], expected[key]) for key in found if key in expected and found[key] != expected[key]}
    ok(not wrong and any(expected.values()), f"{name}: bits that toggle, to the last one", wrong)


def check_group(folder, name, text_of, data, hand, group):
    """The same of machine code, whose loop is another one, but not what the unit does."""
    if not os.access(PTXAS, os.X_OK):
        ok(True, f"{name}, machine code # SKIP there is no ptxas")
        return
    found = difference(folder, text_of, data, 3, 9, assembled=True)
    wrong = {key: (found[key], hand.counts[key]) for key in (f"toggled_{group}", f"compared_{group}") if found[key] != hand.counts[key]}
    ok(not wrong, f"{name}, machine code: bits that toggle in the unit, to the last one", wrong)


def check_integers(folder):
    generator = random.Random(1)
    data = bytes(generator.randrange(256) for _ in range(256 * 32))
    for name, (_, group, (op,), function, reads) in LOOPS.items():
        hand, x, y, z = Hand(M32), *(words_of(data, i) for i in range(3))
        for step in range(9):
            new = [function(*lane) for lane in zip(x, y, z)]
            if step >= 3:
                hand.operate(group, [x, y, z][:reads], x, new)
                hand.count_down(12 - step)
            x = new
        check_hand(name, difference(folder, lambda times: integer_text(op, times), data, 3, 9), hand)


def check_some_lanes(folder):
    """Lanes whose guard does not hold toggle nothing."""
    generator = random.Random(2)
    data = bytes(generator.randrange(256) for _ in range(256 * 32))
    mask = sum(1 << lane for lane in range(32) if lane & 7 < 5)

    def text_of(times):
        return kernel(".reg .b32 x, y, u;\n", "ld.global.u32 x, [p];\nld.global.u32 y, [p+4];\nand.b32 u, t, 7;\nsetp.lt.u32 some, u, 5;\n"
                      f"mov.u32 i, {times};\n" + loop("@some add.s32 x, x, y;\n") + "st.global.u32 [p], x;\n")

    hand, x, y = Hand(M32), *(words_of(data, i) for i in range(2))
    for step in range(9):
        new = [a + b & M32 if mask >> lane & 1 else a for lane, (a, b) in enumerate(zip(x, y))]
        if step >= 3:
            hand.mask = mask
            hand.operate("int", [x, y], x, new)
            hand.mask = M32
            hand.count_down(12 - step)
        x = new
    check_hand("add in some lanes", difference(folder, text_of, data, 3, 9), hand)


def check_floats(folder):
    generator = random.Random(3)
    numbers = [[float_of(bits_of(generator.uniform(0.5, 2))) for _ in range(32)] for _ in range(3)]
    data = b"".join(struct.pack("<3f", *(n[lane] for n in numbers)) + bytes(244) for lane in range(32))

    def text_of(times):
        return kernel(".reg .f32 x, y, z;\n", "ld.global.f32 x, [p];\nld.global.f32 y, [p+4];\nld.global.f32 z, [p+8];\n"
                      f"mov.u32 i, {times};\n" + loop("add.rn.f32 x, x, y;\nmul.rn.f32 x, x, z;\n") + "st.global.f32 [p], x;\n")

    hand, (x, y, z) = Hand(M32), ([bits_of(n) for n in each] for each in numbers)
    for step in range(9):
        sums = [bits_of(float_of(a) + float_of(b)) for a, b in zip(x, y)]
        new = [bits_of(float_of(a) * float_of(b)) for a, b in zip(sums, z)]
        if step >= 3:
            hand.operate("fp32", [x, y], x, sums)
            hand.operate("fp32", [sums, z], sums, new)
            hand.count_down(12 - step)
        x = new
    check_hand("single precision", difference(folder, text_of, data, 3, 9), hand)
    check_group(folder, "single precision", text_of, data, hand, "fp32")


def check_doubles(folder):
    generator = random.Random(4)
    numbers = [[generator.uniform(0.5, 2) for _ in range(32)] for _ in range(2)]
    data = b"".join(struct.pack("<2d", *(n[lane] for n in numbers)) + bytes(240) for lane in range(32))

    def bits(number):
        return struct.unpack("<Q", struct.pack("<d", number))[0]

    def text_of(times):
        return kernel(".reg .f64 x, y;\n", "ld.global.f64 x, [p];\nld.global.f64 y, [p+8];\n"
                      f"mov.u32 i, {times};\n" + loop("add.rn.f64 x, x, y;\n") + "st.global.f64 [p], x;\n")

    hand, (x, y) = Hand(M32), numbers
    for step in range(9):
        new = [a + b for a, b in zip(x, y)]
        if step >= 3:
            hand.operate("fp64", [[bits(n) for n in x], [bits(n) for n in y]], [bits(n) for n in x], [bits(n) for n in new], 64)
            hand.count_down(12 - step)
        x = new
    check_hand("double precision", difference(folder, text_of, data, 3, 9), hand)
    check_group(folder, "double precision", text_of, data, hand, "fp64")


def check_memory(folder):
    """A word goes to shared memory and comes back, and one to global memory."""
    generator = random.Random(5)
    data = bytes(generator.randrange(256) for _ in range(256 * 32))

    def text_of(times):
        return kernel(".shared .align 128 .b8 place[4096];\n.reg .b32 s, x, y, u;\n", "ld.global.u32 x, [p];\nld.global.u32 y, [p+4];\n"
                      "mov.u32 s, place;\nshl.b32 u, t, 2;\nadd.s32 s, s, u;\n"
                      f"mov.u32 i, {times};\n" + loop("st.shared.u32 [s], x;\nld.shared.u32 x, [s];\nadd.s32 x, x, y;\n") + "st.global.u32 [p], x;\n")

    found = difference(folder, text_of, data, 3, 9)
    hand, x, y = Hand(M32), *(words_of(data, i) for i in range(2))
    for step in range(9):
        new = [a + b & M32 for a, b in zip(x, y)]
        if step >= 3:
            hand.halves(("shared", "reads"), x)
            hand.halves(("shared",), x)
            hand.written(x, x)
            hand.operate("int", [x, y], x, new)
            hand.count_down(12 - step)
        x = new
    # addresses are 4 t behind a multiple of 4096: those of lanes sixteen apart differ in bit 6 alone
    for _ in range(2 * 6):
        hand.add("reads", 16, 16 * 32)
    check_hand("shared memory", found, hand)


def check_sectors(folder):
    """A thread loads sectors of random numbers one after another, twice: bits of the L2 and of the DRAM's channel, where there is one slice."""
    generator, many = random.Random(11), 96
    data = bytes(generator.randrange(256) for _ in range(32 * many))
    text = kernel(".reg .b32 x, n;\n.reg .b64 q, z;\n", "mov.u32 n, 2;\nROUND:\nmov.u64 q, p;\n" + f"mov.u32 i, {many};\n" + loop(
        "ld.global.cg.u32 x, [q];\nand.b32 x, x, 0;\ncvt.u64.u32 z, x;\nadd.s64 q, q, z;\nadd.s64 q, q, 32;\n")
        + "add.s32 n, n, -1;\nsetp.ne.s32 some, n, 0;\n@some bra ROUND;\nst.global.u32 [p], n;\n")
    alone = "--set partition.count=1 --set l2.slices_per_partition=1 --set memcpy_warms_l2=false --set l2.fetch=32".split()
    sectors = [int.from_bytes(data[32 * i:32 * i + 32], "little") for i in range(many)]
    differ = [bin(a ^ b).count("1") for a, b in zip(sectors, sectors[1:])]
    found = values(run(folder, text, data, "--set", "energy.values=1", *alone, machine="rtx3070", threads=1)["kernels"][0]["statistics"])
    ok(found["compared_dram"] == 256 * (many - 1) and found["toggled_dram"] == sum(differ), "the DRAM's channel: bits of all sectors, counted by hand",
       found["toggled_dram"], sum(differ))
    stored = sectors[0] >> 32 << 32
    passed = 2 * sum(differ) + sum(bin(sectors[-1] ^ after).count("1") for after in (sectors[0], stored))
    ok(found["compared_l2"] == 256 * 2 * many and found["toggled_l2"] == passed, "the L2: bits of all sectors, counted by hand", found["toggled_l2"], passed)
    sampled = values(run(folder, text, data, *alone, machine="rtx3070", threads=1)["kernels"][0]["statistics"])
    ok(0 < sampled["compared_l2"] <= 256 * (2 * many // 16 + 1), "of sixteen sectors one is looked at", sampled["compared_l2"])
    zeros = values(run(folder, text, bytes(32 * many), "--set", "energy.values=1", *alone, machine="rtx3070", threads=1)["kernels"][0]["statistics"])
    plain = values(run(folder, text, bytes(32 * many), *alone, machine="rtx3070", threads=1, energy="--energy")["kernels"][0]["statistics"])
    ok(zeros["toggled_l2"] == zeros["toggled_dram"] == 0 and all(zeros[f"energy_{part}"] < plain[f"energy_{part}"] for part in (
        "l2", "dram", "partition_network", "gpc")), "zeros toggle nothing, and take less in the L2, the DRAM and the network")


def check_written(folder):
    """A warp stores lines of numbers one after another through an L2 of 32 lines: bits of what it writes back."""
    lines, own = 160, 32
    text = kernel(".reg .b32 x;\n.reg .b64 q, z;\n", "sub.s64 q, p, o;\nmul.wide.u32 z, t, 4;\nadd.s64 q, q, z;\nmul.lo.u32 x, t, 74755;\n"
                  f"mov.u32 i, {lines};\n" + loop("mad.lo.u32 x, x, 1664525, 1013904223;\nst.global.u32 [q], x;\nadd.s64 q, q, 128;\n"))
    alone = ("--set partition.count=1 --set l2.slices_per_partition=1 --set memcpy_warms_l2=false --set l2.slice.size=4096 --set l2.slice.ways=32 "
             "--set energy.values=1").split()

    def total(source, *options, machine="rtx3070"):
        return values(run(folder, source, bytes(128 * lines), *alone, *options, machine=machine)["total"]["statistics"])

    found, x, sectors = total(text), [74755 * lane & M32 for lane in range(32)], []
    for _ in range(lines):
        x = [1664525 * a + 1013904223 & M32 for a in x]
        sectors += [sum(a << 32 * i for i, a in enumerate(x[part:part + 8])) for part in range(0, 32, 8)]
    written = found["total_dram_writes"]
    toggled = sum(bin(a ^ b).count("1") for a, b in zip(sectors, sectors[1:written]))
    ok(written >= 4 * (lines - own) and found["total_dram_reads"] == 0 and found["compared_dram"] == 256 * (written - 1)
       and found["toggled_dram"] == toggled, "what the L2 writes back: bits of all sectors, counted by hand", written, found["toggled_dram"], toggled)
    zeros = total(text.replace("1664525, 1013904223", "0, 0"))
    ok(zeros["toggled_dram"] == 0 and zeros["activity_dram_writes"] <= 64 and zeros["energy_dram"] < found["energy_dram"],
       "zeros that are written back toggle nothing, from the second sector on", zeros["activity_dram_writes"])
    check_same("lines written back", lambda *options: run(folder, text, bytes(128 * lines), "--set", "l2.slice.size=4096", "--set", "l2.slice.ways=32",
                                                          *options, blocks=4))


def check_special(folder):
    """Reciprocals of powers of two, which are exact, and counts of bits."""
    generator = random.Random(8)
    data = b"".join(struct.pack("<f2I", 2.0 ** generator.randrange(-60, 60), generator.randrange(1 << 32), generator.randrange(1 << 32)) +
                    bytes(244) for _ in range(32))

    def text_of(times):
        return kernel(".reg .b32 x, y, z, n;\n", "ld.global.u32 x, [p];\nld.global.u32 y, [p+4];\nld.global.u32 z, [p+8];\nmov.u32 n, 0;\n"
                      f"mov.u32 i, {times};\n" + loop("rcp.approx.ftz.f32 x, x;\npopc.b32 n, y;\nadd.s32 y, y, z;\nadd.s32 y, y, n;\n") +
                      "st.global.u32 [p], x;\nst.global.u32 [p], y;\n")

    found = more_of(folder, text_of, data, 3, 9)
    expected = sum(valued(found, group, energy) for group, energy in FJ.items())
    ok(abs(float(found["energy_sfu"]) / expected - 1) < 0.01, "their energies are those of lanes and bits, within 1 %", found["energy_sfu"], expected)
    found = {name: value for name, value in found.items() if name.startswith(("toggled_", "compared_"))}
    hand, (x, y, z), n = Hand(M32), (words_of(data, i) for i in range(3)), [0] * 32
    for step in range(9):
        inverse = [bits_of(1 / float_of(a)) for a in x]
        ones = [bin(b).count("1") for b in y]
        more = [b + c & M32 for b, c in zip(y, z)]
        new = [b + c & M32 for b, c in zip(more, ones)]
        if step >= 3:
            hand.operate("sfu", [x], x, inverse)
            hand.operate("convert", [y], n, ones)
            hand.operate("int", [y, z], y, more)
            hand.operate("int", [more, ones], more, new)
            hand.count_down(12 - step)
        x, n, y = inverse, ones, new
    check_hand("special functions and counts of bits", found, hand)


def check_atomics(folder):
    """A word is exchanged with one in shared memory, and one is added there."""
    generator = random.Random(9)
    data = bytes(generator.randrange(256) for _ in range(256 * 32))

    def text_of(times):
        return kernel(".shared .align 4096 .b8 place[4096];\n.reg .b32 s, x, y, z, u;\n", "ld.global.u32 x, [p];\nld.global.u32 y, [p+4];\n"
                      "mov.u32 s, place;\nshl.b32 u, t, 2;\nadd.s32 s, s, u;\nst.shared.u32 [s], y;\nmov.u32 z, 0;\n"
                      f"mov.u32 i, {times};\n" + loop("atom.shared.exch.b32 z, [s], x;\nred.shared.add.u32 [s], y;\nadd.s32 x, x, z;\n") +
                      "st.global.u32 [p], x;\n")

    found = difference(folder, text_of, data, 3, 9)
    hand, (x, y), z = Hand(M32), (words_of(data, i) for i in range(2)), [0] * 32
    place = y
    for step in range(9):
        old, place = place, [a + b & M32 for a, b in zip(x, y)]
        new = [a + b & M32 for a, b in zip(x, old)]
        if step >= 3:
            hand.halves(("shared", "reads"), x)
            hand.halves(("shared",), old)
            hand.written(z, old)
            hand.halves(("shared", "reads"), y)
            hand.operate("int", [x, old], x, new)
            hand.count_down(12 - step)
        x, z = new, old
    for _ in range(2 * 6):  # addresses, as in check_memory
        hand.add("reads", 16, 16 * 32)
    check_hand("atomics in shared memory", found, hand)
    check_same("atomics", lambda *options: run(folder, text_of(9), data, *options, blocks=4))


def ones(number):
    return bin(number).count("1")


def lines_of(x):
    """Sectors of a line that a warp stores, a word of each lane."""
    return [sum(a << 32 * i for i, a in enumerate(x[part:part + 8])) for part in range(0, 32, 8)]


def store_text(op, times):
    """A warp sends a word of each lane to a line, and goes on to the next one."""
    return kernel(f".reg .b32 x, z;\n.reg .b64 q, w;\n", "sub.s64 q, p, o;\nmul.wide.u32 w, t, 4;\nadd.s64 q, q, w;\nmul.lo.u32 x, t, 74755;\n"
                  f"mov.u32 z, 0;\nmov.u32 i, {times};\n" + loop(f"mad.lo.u32 x, x, 1664525, 1013904223;\n{op}add.s64 q, q, 128;\n"))


def numbers_stored(times):
    x = [74755 * lane & M32 for lane in range(32)]
    for _ in range(times):
        x = [1664525 * a + 1013904223 & M32 for a in x]
        yield x


def check_requests(folder):
    """Stores, reductions and stores of some bytes on their way to the L2: bits of data and addresses of what one SM sends."""
    def sent(op, times, *options, **more):
        return values(run(folder, store_text(op, times), bytes(128 * 64), "--set", "energy.values=1", *options, machine="rtx3070", **more)
                      ["total"]["statistics"])

    words = list(numbers_stored(40))
    sectors = [sector for x in words for sector in lines_of(x)]
    toggled = sum(ones(a ^ b) for a, b in zip(sectors, sectors[1:]))
    for name, op in (("stores", "st.global.u32 [q], x;\n"), ("stores at the L2", "st.relaxed.gpu.global.u32 [q], x;\n"),
                     ("reductions", "red.global.add.u32 [q], x;\n"), ("atomics", "atom.global.exch.b32 z, [q], x;\n")):
        found = sent(op, 40)
        ok((found["toggled_requests"], found["compared_requests"]) == (toggled, 256 * (len(sectors) - 1)),
           f"{name} on their way to the L2: bits of all sectors, counted by hand", found["toggled_requests"], toggled, found["compared_requests"])
    found = sent("st.global.u8 [q], x;\n", 40)
    wires, toggled = sum(byte << 32 * i for i, byte in enumerate(a & 255 for a in words[0][:8])), 0
    bytes_sent = [sum((a & 255) << 32 * i for i, a in enumerate(x[part:part + 8])) for x in words for part in range(0, 32, 8)]
    for after in bytes_sent[1:]:
        toggled, wires = toggled + ones(wires ^ after), after
    ok(found["toggled_requests"] == toggled, "stores of one byte in four: the other wires stay as they were", found["toggled_requests"], toggled)
    short, long = (sent("st.global.u32 [q], x;\n", times) for times in (8, 40))
    steps = sum(ones(128 * i ^ 128 * (i + 1)) for i in range(8, 39)) + ones(128 * 7 ^ 128 * 8)
    found = {name: long[name] - short[name] for name in ("toggled_addresses", "compared_addresses")}
    ok(found["compared_addresses"] == 64 * 32 and abs(found["toggled_addresses"] - steps) <= 16,
       "addresses of lines that follow one another, but for the last ones of both runs", found, steps)
    zeros = sent("mov.u32 x, 0;\nst.global.u32 [q], x;\n", 40)
    plain = values(run(folder, store_text("mov.u32 x, 0;\nst.global.u32 [q], x;\n", 40), bytes(128 * 64), machine="rtx3070", energy="--energy")
                   ["total"]["statistics"])
    ok(zeros["toggled_requests"] == 0 and all(zeros[f"energy_{part}"] < long[f"energy_{part}"] < plain[f"energy_{part}"] * 3 // 2
                                              for part in ("sm_network", "gpc")) and zeros["energy_sm_network"] < plain["energy_sm_network"],
       "zeros that are stored toggle nothing on both hops, and take less")
    sampled = values(run(folder, store_text("st.global.u32 [q], x;\n", 40), bytes(128 * 64), machine="rtx3070")["total"]["statistics"])
    ok(0 < sampled["compared_requests"] <= 256 * (4 * 40 // 16 + 1), "of sixteen sectors that are sent one is looked at", sampled["compared_requests"])
    for name, op in (("stores and reductions", "st.global.u32 [q], x;\nred.global.add.u32 [q], x;\n"), ("atomics", "atom.global.add.u32 z, [q], x;\n")):
        check_same(f"{name} that are sent", lambda *options: run(folder, store_text(op, 40), bytes(128 * 64), *options, machine="rtx3070", blocks=4))


def check_results(folder):
    """Atomics of memory: what they find in the L2, and what comes back into registers."""
    generator = random.Random(12)
    data = bytes(generator.randrange(256) for _ in range(128 * 64))

    def total(times, *options):
        return values(run(folder, store_text("atom.global.exch.b32 z, [q], x;\n", times), data, "--set", "energy.values=1", *options, machine="rtx3070")["kernels"][0]["statistics"])

    alone = "--set partition.count=1 --set l2.slices_per_partition=1".split()
    found = total(40, *alone)
    sectors = [int.from_bytes(data[32 * i:32 * i + 32], "little") for i in range(4 * 40)]
    left = [sector for x in numbers_stored(40) for sector in lines_of(x)]  # a line is looked up as a whole, and then changed
    toggled = sum(ones((sectors[i - 1] if i % 4 else left[i - 1]) ^ sectors[i]) for i in range(1, len(sectors)))
    ok((found["toggled_l2"], found["compared_l2"]) == (toggled, 256 * (len(sectors) - 1)), "what atomics find in the L2, and leave there: bits of all sectors, counted by hand",
       found["toggled_l2"], toggled, found["compared_l2"])
    found = {name: value - total(3)[name] for name, value in total(9).items() if name in ("toggled_global", "compared_global", "toggled_writes")}
    olds = [[struct.unpack_from("<I", data, 128 * step + 4 * lane)[0] for lane in range(32)] for step in range(9)]
    global_bits = written = 0
    numbers = list(numbers_stored(9))
    for step in range(3, 9):
        global_bits += sum(ones(each[step][lane] ^ each[step][lane + 16]) for each in (numbers, olds) for lane in range(16))
        written += sum(ones(a ^ b) for each in (numbers, olds) for a, b in zip(each[step - 1], each[step]))
    counted = 32 * sum(ones(12 - step ^ 11 - step) for step in range(3, 9))
    addresses = 32 * sum(ones(128 * step ^ 128 * (step + 1)) for step in range(3, 9))
    ok((found["toggled_global"], found["compared_global"]) == (global_bits, 6 * 2 * 16 * 32), "atomics of memory: operands and results, counted by hand", found,
       global_bits)
    ok(abs(found["toggled_writes"] - written - counted - addresses) <= 32 * 16, "… and the registers that results go to, but for carries of addresses",
       found["toggled_writes"], written, counted, addresses)


def check_code(folder):
    """Words of machine code in a straight line: each with the one in front of it."""
    text = kernel(".reg .b32 x, y;\n", "ld.global.u32 x, [p];\nld.global.u32 y, [p+4];\n" + "mad.lo.u32 x, x, y, 77;\nxor.b32 x, x, y;\n" * 20 + "st.global.u32 [p], x;\n")
    found = values(run(folder, text, bytes(256 * 32), "--set", "energy.values=1")["total"]["statistics"])
    ok(found["compared_code"] == 0 and found["activity_fetch"] == 64 * found["L0I_total_cache_accesses"], "PTX has no words, and counts as typical code")
    if not os.access(PTXAS, os.X_OK):
        ok(True, "words of machine code # SKIP there is no ptxas")
        return
    found = values(run(folder, text, bytes(256 * 32), "--set", "energy.values=1", assembled=True)["total"]["statistics"])
    image = (pathlib.Path(folder) / "values.cubin").read_bytes()
    place, size, count, names = (*struct.unpack_from("<Q", image, 40), *struct.unpack_from("<3H", image, 58))
    sections = [struct.unpack_from("<2I4Q", image, place + size * i) for i in range(count)]
    code = next(image[each[4]:each[4] + each[5]] for each in sections
                if image[sections[names][4] + each[0]:].startswith(b".text.values\0"))
    words = [int.from_bytes(code[16 * i:16 * i + 16], "little") for i in range(len(code) // 16)]
    last = next(i for i, word in enumerate(words) if word & 0xfff == 0x94d)  # EXIT
    toggled = sum(ones(a ^ b) for a, b in zip(words[:last], words[1:last + 1]))
    ok((found["toggled_code"], found["compared_code"]) == (toggled, 128 * last), "words of machine code, counted by hand", found["toggled_code"], toggled,
       found["compared_code"], last)
    for energy in ("--energy=values", "--energy"):
        check_same(f"machine code, {energy}", lambda *options: run(folder, text, bytes(256 * 32), *options, assembled=True, energy=energy))


COLUMNS, ROWS = 64, 128


def command_text(times):
    """Products of tensor memory of 128 rows of A and 64 columns of B, 16 numbers of bf16 each, which lie in shared memory as two columns
    of sixteen bytes: A from 0 on, B from 4096 on."""
    declarations = (".shared .align 1024 .b8 s[8192];\n.reg .b64 da, db;\n.reg .b32 w, b, h, ta, u, v<4>;\n.reg .pred first, warp, again, done, column;\n")
    moves = "".join(f"ld.global.v4.u32 {{v0, v1, v2, v3}}, [p+{16 * chunk}];\nst.shared.v4.u32 [u+{2048 * chunk}], {{v0, v1, v2, v3}};\n" for chunk in range(2))
    moves += "".join(f"@column ld.global.v4.u32 {{v0, v1, v2, v3}}, [p+{32 + 16 * chunk}];\n@column st.shared.v4.u32 [u+{4096 + 1024 * chunk}], "
                     "{v0, v1, v2, v3};\n" for chunk in range(2))
    number = 1 << 4 | 1 << 7 | 1 << 10 | COLUMNS // 8 << 17 | ROWS // 16 << 24
    body = ("mov.u32 w, s;\nadd.u32 b, w, 8176;\nsetp.eq.u32 first, t, 0;\nsetp.lt.u32 warp, t, 32;\n" + f"setp.lt.u32 column, t, {COLUMNS};\n"
            "shl.b32 u, t, 4;\nadd.u32 u, u, w;\n" + moves + "@first mbarrier.init.shared::cta.b64 [b], 1;\n"
            f"@warp tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [b+8], {COLUMNS};\nbar.sync 0;\nld.shared.b32 ta, [b+8];\n"
            f"mov.b64 da, {1 << 46 | 128 >> 4 << 32 | 2048 >> 4 << 16};\nmov.b64 db, {1 << 46 | 128 >> 4 << 32 | 1024 >> 4 << 16 | 4096 >> 4};\n"
            f"mov.u32 h, 0;\nmov.u32 v0, {number};\nmov.u32 i, {times};\n@!first bra met;\nAGAIN:\n"
            "tcgen05.mma.cta_group::1.kind::f16 [ta], da, db, v0, first;\nadd.s32 i, i, -1;\nsetp.ne.s32 again, i, 0;\n@again bra AGAIN;\n"
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [b];\n"
            "wait:\nmbarrier.try_wait.parity.shared::cta.b64 done, [b], h;\n@!done bra wait;\nmet:\nbar.sync 0;\n"
            f"@warp tcgen05.dealloc.cta_group::1.sync.aligned.b32 ta, {COLUMNS};\n")
    return kernel(declarations, body, target="sm_100a").replace(".version 8.4", ".version 8.6")


def check_commands(folder):
    """tcgen05: neighbouring rows of A and columns of B; random and equal ones."""
    generator = random.Random(10)
    data = {"random": bytes(generator.randrange(256) for _ in range(256 * ROWS)), "equal": bytes(256 * ROWS)}
    more = {"machine": "b200", "threads": ROWS}
    found = difference(folder, command_text, data["random"], 3, 9, **more)
    toggled = 0
    for first, rows in ((0, ROWS), (32, COLUMNS)):
        lines = [int.from_bytes(data["random"][256 * row + first:256 * row + first + 32], "little") for row in range(rows)]
        toggled += sum(bin(a ^ b).count("1") for a, b in zip(lines, lines[1:]))
    ok((found["toggled_tensor"], found["compared_tensor"]) == (6 * toggled, 6 * 256 * (ROWS + COLUMNS - 2)),
       "products of tensor memory: bits that toggle, to the last one", found["toggled_tensor"], 6 * toggled, found["compared_tensor"])
    energies = [values(run(folder, command_text(40), data[kind], energy=energy, **more)["total"]["statistics"])["energy_tensor"]
                for kind, energy in (("random", "--energy"), ("random", "--energy=values"), ("equal", "--energy=values"))]
    ok(energies[2] < energies[0] < energies[1], "products of tensor memory: equal rows take less than counts alone, random bits more", energies)
    check_same("products of tensor memory", lambda *options: run(folder, command_text(40), data["random"], *options, **more))


def check_products(folder):
    """mma.sync: rows of A and D, columns of B."""
    generator = random.Random(6)
    words = [[generator.randrange(1 << 32) & 0x3fff3fff for _ in range(32)] for _ in range(6)]
    data = b"".join(struct.pack("<6I", *(w[lane] for w in words)) + bytes(232) for lane in range(32))

    def text_of(times):
        return kernel(".reg .b32 a<4>, b<2>;\n.reg .s32 c<4>;\n", "".join(f"ld.global.u32 a{i}, [p+{4 * i}];\n" for i in range(4)) +
                      "".join(f"ld.global.u32 b{i}, [p+{16 + 4 * i}];\n" for i in range(2)) + "".join(f"mov.s32 c{i}, 0;\n" for i in range(4)) +
                      f"mov.u32 i, {times};\n" + loop("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {c0, c1, c2, c3}, {a0, a1, a2, a3}, {b0, b1}, "
                                                      "{c0, c1, c2, c3};\n") + "".join(f"st.global.u32 [p+{128 + 4 * i}], c{i};\n" for i in range(4)))

    def byte(word, i):
        value = word >> 8 * i & 255
        return value - 256 if value > 127 else value

    def a_at(row, k):
        return byte(words[(row >= 8) + 2 * (k >= 16)][row % 8 * 4 + k % 16 // 4], k % 4)

    def b_at(k, column):
        return byte(words[4 + (k >= 16)][column * 4 + k % 16 // 4], k % 4)

    product = [[sum(a_at(row, k) * b_at(k, column) for k in range(32)) for column in range(8)] for row in range(16)]
    each = [[product[lane // 4 + 8 * (i > 1)][lane % 4 * 2 + i % 2] for lane in range(32)] for i in range(4)]
    hand = Hand(M32)
    for step in range(3, 9):
        for word in words:
            hand.rows(("tensor", "reads"), word)
        for one in each:
            before, now = [n * step & M32 for n in one], [n * (step + 1) & M32 for n in one]
            hand.rows(("reads",), before)
            hand.rows(("tensor",), now)
            hand.written(before, now)
        hand.count_down(12 - step)
    check_hand("products of bytes", difference(folder, text_of, data, 3, 9), hand)
    check_group(folder, "products of bytes", text_of, data, hand, "tensor")


# ===== energies =====

STEPS, KEPT, LANE = 24, 4, 96  # products go through the same fragments again and again; bytes of a lane's in a step, in six loads
# A ninth of an A100.
NINTH = [word for key, value in (("sm.count", 12), ("energy.static.board", 2289), ("energy.static.dram", 956), ("energy.static.l2", 777),
                                 ("launch.kernel", 0)) for word in ("--set", f"{key}={value}")]


def product_text(steps):
    """Products of bf16: four fragments of A and four of B out of memory make sixteen products."""
    declarations = ".reg .b32 a<16>, b<8>, l;\n.reg .f32 c<64>;\n.reg .b64 q, r;\n"
    body = (f"and.b32 l, t, 31;\nld.param.u64 r, [memory];\nmul.wide.u32 o, l, 16;\nadd.s64 r, r, o;\nmov.b64 q, r;\n" +
            "".join(f"mov.f32 c{i}, 0f00000000;\n" for i in range(64)) + f"mov.u32 i, {steps};\n")
    loads = "".join(f"ld.global.v4.u32 {{{', '.join(f'a{4 * i + j}' for j in range(4))}}}, [q+{512 * i}];\n" for i in range(4))
    loads += "".join(f"ld.global.v4.u32 {{{', '.join(f'b{4 * i + j}' for j in range(4))}}}, [q+{2048 + 512 * i}];\n" for i in range(2))
    products = ""
    for m in range(4):
        for n in range(4):
            sums = ", ".join(f"c{16 * m + 4 * n + i}" for i in range(4))
            products += (f"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {{{sums}}}, {{{', '.join(f'a{4 * m + i}' for i in range(4))}}}, "
                         f"{{b{2 * n}, b{2 * n + 1}}}, {{{sums}}};\n")
    again = f"add.s64 q, q, {32 * LANE};\nand.b32 l, i, {KEPT - 1};\nsetp.eq.s32 some, l, 1;\nselp.b64 q, r, q, some;\n"
    body += loop(loads + again + products)
    body += "setp.eq.s32 some, t, 9999;\n"  # which no lane is
    return kernel(declarations, body + "".join(f"@some st.global.f32 [p+{4 * i}], c{i};\n" for i in range(64)))


def product_of_doubles(steps):
    """Four fragments of A and four of B, a number of a lane's each, make sixteen products of 8 x 8 x 4."""
    declarations = ".reg .b32 l;\n.reg .f64 a<4>, b<4>, c<32>;\n.reg .b64 q, r;\n"
    body = ("and.b32 l, t, 31;\nld.param.u64 r, [memory];\nmul.wide.u32 o, l, 16;\nadd.s64 r, r, o;\nmov.b64 q, r;\n" +
            "".join(f"mov.f64 c{i}, 0d0000000000000000;\n" for i in range(32)) + f"mov.u32 i, {steps};\n")
    step = "".join(f"ld.global.v2.f64 {{{x}{2 * i}, {x}{2 * i + 1}}}, [q+{1024 * (x == 'b') + 512 * i}];\n" for x in "ab" for i in range(2))
    step += f"add.s64 q, q, 2048;\nand.b32 l, i, {KEPT - 1};\nsetp.eq.s32 some, l, 1;\nselp.b64 q, r, q, some;\n"
    for m in range(4):
        for n in range(4):
            sums = f"{{c{8 * m + 2 * n}, c{8 * m + 2 * n + 1}}}"
            step += f"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {sums}, {{a{m}}}, {{b{n}}}, {sums};\n"
    body += loop(step) + "setp.eq.s32 some, t, 9999;\n"
    return kernel(declarations, body + "".join(f"@some st.global.f64 [p+{8 * i}], c{i};\n" for i in range(32)))


def doubles(kind, seed=7):
    """Elements of both matrices, in the order in which lanes load them, which is all the same to numbers that are independent."""
    generator = random.Random(seed)
    number = {"zeros": lambda: 0.0, "equal": lambda: 0.1, "random": lambda: generator.gauss(0, 1)}[kind]
    return b"".join(struct.pack("<d", number()) for _ in range(256 * KEPT))


def check_dmma(folder):
    """Products of doubles on an A100 draw 0.60 with equal elements of what they draw with random ones (docs/lab/energy.md)."""
    power = {kind: float(run(folder, product_of_doubles(STEPS), doubles(kind), *NINTH, blocks=12, threads=512)["kernels"][0]["statistics"]["power"]["value"])
             for kind in ("zeros", "equal", "random")}
    ok(power["zeros"] <= power["equal"] < power["random"], "products of doubles: zeros, equal and random ones draw power in this order", power)
    ok(0.5 <= power["equal"] / power["random"] <= 0.7, "equal elements take 0.6 of what random ones take, within 10 points", power)


def bf16(number):
    return bits_of(number) + 0x8000 >> 16 & 0xffff


def fragments(matrix_a, matrix_b, steps):
    """Fragments of matrices, functions of row and k and of k and column, in the order in which lanes load them (PTX ISA 9.0, mma.m16n8k16)."""
    data = bytearray()
    for step in range(steps):
        lanes = [bytearray() for _ in range(32)]
        for lane, own in enumerate(lanes):
            for m in range(4):
                for i in range(4):
                    row, k = 16 * m + lane // 4 + 8 * (i & 1), 16 * step + lane % 4 * 2 + 8 * (i >> 1)
                    own += struct.pack("<2H", bf16(matrix_a(row, k)), bf16(matrix_a(row, k + 1)))
            for n in range(4):
                for i in range(2):
                    column, k = 8 * n + lane // 4, 16 * step + lane % 4 * 2 + 8 * i
                    own += struct.pack("<2H", bf16(matrix_b(k, column)), bf16(matrix_b(k + 1, column)))
        data += b"".join(own[place:place + 16] for place in range(0, LANE, 16) for own in lanes)
    return bytes(data)


def inputs(kind, steps=KEPT, seed=7):
    generator = random.Random(seed)
    a, b = ([generator.gauss(0, 1) for _ in range(n * 16 * steps)] for n in (64, 32))
    if kind == "sorted":
        a.sort(), b.sort()
    if kind in ("zeros", "ones"):
        a, b = [float(kind == "ones")] * len(a), [float(kind == "ones")] * len(b)
    if kind == "sparse":
        a, b = [max(0.0, x) for x in a], [max(0.0, x) for x in b]
    return fragments(lambda row, k: a[row * 16 * steps + k], lambda k, column: b[column * 16 * steps + k], steps)


@functools.lru_cache(maxsize=None)
def product(folder, kind, *options, **more):
    return run(folder, product_text(STEPS), inputs(kind), *NINTH, *options, **{"blocks": 12, "threads": 512, **more})


def check_order(folder):
    """The order of published measurements, and the greatest ratio: docs/lab/energy.md."""
    power = {kind: float(product(folder, kind)["kernels"][0]["statistics"]["power"]["value"]) for kind in
             ("zeros", "ones", "sorted", "sparse", "random")}
    ok(power["zeros"] <= power["ones"] < power["sorted"] < power["random"] and power["sparse"] < power["random"],
       "products of zeros, ones, sorted and random numbers draw power in this order", power)
    ok(0.50 <= power["zeros"] / power["random"] <= 0.72, "zeros take 0.5 to 0.7 of what random numbers take", power)


def check_random(folder):
    """Normal random numbers have the energies that counts alone give."""
    plain, active = (values(product(folder, "random", energy=energy)["kernels"][0]["statistics"])
                     for energy in ("--energy", "--energy=values"))
    for part in ("tensor", "registers", "sm"):
        ratio = float(active[f"energy_{part}"] / plain[f"energy_{part}"])
        ok(0.97 < ratio < 1.03, f"random numbers: energy_{part} is that of counts alone, within 3 %", ratio)
    ok(all(active[name] == plain[name] for name in plain if not name.startswith("energy") and name != "power"),
       "values change energies alone")


def check_sampling(folder):
    """One instruction in sixteen says what all say."""
    for kind in ("random", "sorted", "zeros"):
        some, every = (values(product(folder, kind, *options)["kernels"][0]["statistics"])
                       for options in ((), ("--set", "energy.values=1")))
        ratio = float(some["energy_sm"] / every["energy_sm"])
        ok(0.98 < ratio < 1.02 and some["compared_tensor"] < every["compared_tensor"] / 8,
           f"{kind}: one in sixteen has the energy of all, within 2 %", ratio, some["compared_tensor"], every["compared_tensor"])
        counted = {name: 16 * float(some[name] / every[name]) for name in ("compared_tensor", "compared_writes", "compared_reads")}
        ok(all(0.85 < each < 1.15 for each in counted.values()), f"{kind}: each of them is counted once", counted)


def check_conservation(folder):
    results = product(folder, "sorted", "--sample", "701")
    for each in (results["total"], *results["kernels"]):
        s = values(each["statistics"])
        parts = [value for name, value in s.items() if name.startswith("energy_") and name not in ("energy_sm", "energy_time")]
        ok(s["energy"] == sum(parts) > 0, "parts add up to the whole, to the femtojoule", s["energy"], sum(parts))
    over_time = results["samples"]["statistics"]["energy"]["value"]
    ok(sum(over_time) == results["total"]["statistics"]["energy"]["value"], "intervals add up to the run")


def check_same(name, run_with):
    texts = set()
    for options in ("--threads 1", "--threads 2 --window 1", "--no-skip --threads 1", "--executor lockstep"):
        results = {name: value for name, value in run_with(*options.split()).items() if name != "run"}
        texts.add(json.dumps(results, default=str))
    ok(len(texts) == 1, f"{name}: the same for any threads, window, executor, and with every cycle visited")


def check_ways(folder):
    check_same("products of registers", lambda *options: product(folder, "sorted", *options))


def check_typical(folder):
    """Without values, energy.typical says what toggles."""
    data, found = bytes(range(256)) * 32, {}
    text = kernel(".reg .b32 x, y;\n", "ld.global.u32 x, [p];\nld.global.u32 y, [p+4];\nmov.u32 i, 9;\n" + loop("add.s32 x, x, y;\n")
                  + "st.global.u32 [p], x;\n")
    for typical in (1000, 500, 0):
        found[typical] = values(run(folder, text, data, "--set", f"energy.typical={typical}", energy="--energy")["total"]["statistics"])
    share = {"registers": 0.5, "int": 0.4, "front": 1, "static_sm": 1}  # of an A100: 1 less energy.toggles
    ok(all(abs(float(found[0][f"energy_{part}"]) / float(found[1000][f"energy_{part}"]) - least) < 0.01 for part, least in share.items()),
       "energy.typical: of counts without bits that toggle, what does not follow values is left", *(
           float(found[0][f"energy_{part}"]) / float(found[1000][f"energy_{part}"]) for part in share))
    ok(all(abs(float(found[500][name]) - float(found[0][name] + found[1000][name]) / 2) <= 1e-3 * float(found[1000][name])
           for name in found[500] if name.startswith("energy_")), "half of it is the mean, for each part")
    plain = values(run(folder, text, data, energy="--energy")["total"]["statistics"])
    ok(plain == found[1000], "1000 changes nothing")


def check_limit(folder):
    """Under a power limit in simulated time, inputs decide the clock and the time; the same for any threads."""
    limit = [word for key in ("governor=true", "limit=20", "interval=2000", "delay=100") for word in ("--set", f"power.{key}")]
    kernels = {kind: values(product(folder, kind, *limit)["kernels"][0]["statistics"]) for kind in ("zeros", "random")}
    ok(kernels["random"]["core_clock"] < 0.8 * float(kernels["zeros"]["core_clock"]) and
       kernels["random"]["gpu_sim_cycle"] > kernels["zeros"]["gpu_sim_cycle"], "random numbers leave a lower clock than zeros", kernels)
    texts = set()
    for options in ((), ("--threads", "2"), ("--no-skip",)):
        results = {name: value for name, value in product(folder, "random", *limit, *options).items() if name != "run"}
        texts.add(json.dumps(results, default=str))
    ok(len(texts) == 1, "a program under a limit: the same for any threads, and with every cycle visited")


def check_summary(folder):
    """The summary names what counts as random."""
    (pathlib.Path(folder) / "values.ptx").write_text(product_text(1))
    (pathlib.Path(folder) / "data").write_bytes(inputs("zeros", 1))
    words = ["--", program, pathlib.Path(folder) / "values.ptx", pathlib.Path(folder) / "data", "1", "32"]
    for energy in ("--energy=values", "--energy"):
        text = subprocess.run([maniple, "run", "-q", "--machine", "rtx3070", energy, *words], check=True, capture_output=True, text=True).stdout
        ok(("toggled bits:" in text and "atomics of several words" in text) == (energy == "--energy=values"), f"{energy}: what counts as random", text)


def check_refusals(folder):
    path = pathlib.Path(folder) / "trace"
    subprocess.run([tracegen, "matmul", path, "arch=86"], check=True, stdout=subprocess.DEVNULL)
    (pathlib.Path(folder) / "values.ptx").write_text(product_text(1))
    (pathlib.Path(folder) / "data").write_bytes(inputs("zeros", 1))
    words = ["--", program, pathlib.Path(folder) / "values.ptx", pathlib.Path(folder) / "data", "1", "32"]
    trace = [path / "kernelslist.g"]
    for options, behind, expected in ((["--energy=values"], trace, "a trace has no values"), (["--energy=value"], trace, "--energy=values"),
                                      (["--energy=values", "--by-instruction", "-o", path / "out"], words, "leave --by-instruction out"),
                                      (["--energy=values", "--values", "needed"], words, "--values needed"),
                                      (["--set", "energy.values=0", "--energy=values", "--values", "needed"], words, "--values needed")):
        done = subprocess.run([maniple, "run", "-q", "--machine", "rtx3070", *options, *behind], capture_output=True, text=True)
        ok(done.returncode == 2 and expected in done.stderr, f"refused: {' '.join(map(str, options[:3]))}", done.stderr)
    file = path / "mine.cfg"
    file.write_text('machine: { extends = "rtx3070"; }; energy: { values = 16; };')
    for options, expected in ((["--values", "needed"], "--values needed"), (["--by-instruction", "-o", path / "out"], "--by-instruction out")):
        done = subprocess.run([maniple, "run", "-q", "--machine", file, "--energy", *options, *words], capture_output=True, text=True)
        ok(done.returncode == 2 and expected in done.stderr, f"refused with a machine file that states values: {options[0]}", done.stderr)


if sanitizers != "none":
    print("1..0 # SKIP the sanitizer's runtime cannot be in the program")
    sys.exit(0)
with tempfile.TemporaryDirectory() as folder:
    check_integers(folder)
    check_some_lanes(folder)
    check_floats(folder)
    check_doubles(folder)
    check_memory(folder)
    check_sectors(folder)
    check_written(folder)
    check_special(folder)
    check_atomics(folder)
    check_requests(folder)
    check_results(folder)
    check_code(folder)
    check_commands(folder)
    check_products(folder)
    check_random(folder)
    check_sampling(folder)
    check_conservation(folder)
    check_ways(folder)
    check_typical(folder)
    check_order(folder)
    if os.environ.get("MANIPLE_MATRIX") == "full":
        check_dmma(folder)
    check_limit(folder)
    check_summary(folder)
    check_refusals(folder)
sys.exit(finish())
