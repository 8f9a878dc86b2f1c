#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces of Accel-Sim 2.0 (.tracez) made by hand, whose warps wait for one another and for engines: when they go on, and
what is wrong with traces that no program can have made. Usage: waiting.py MANIPLE"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

maniple = pathlib.Path(sys.argv[1]).resolve()
LATENCY = 4  # of dependent integer additions on these machines: stated in machines/h100-sxm
cases = 0


def ok(good, what, why=""):
    global cases
    cases += 1
    print(f"{'ok' if good else 'not ok'} {cases} - {what}")
    if not good:
        print("\n".join(f"# {line}" for line in str(why).splitlines()))


def frame(data):
    """A frame of zstd that holds its bytes as they are (RFC 8878): it states its size, and has one raw block."""
    return struct.pack("<IBI", 0xFD2FB528, 0xA0, len(data)) + struct.pack("<I", len(data) << 3 | 1)[:3] + data


def write(path, blocks, cluster=1):
    """`blocks`: of each block its warps' lines. Clusters lie along x."""
    header = (f"-kernel name = made\n-kernel id = 1\n-grid dim = ({len(blocks)},1,1)\n"
              f"-block dim = ({32 * len(blocks[0])},1,1)\n-shmem = 4096\n-nregs = 32\n-binary version = 90\n"
              "-cuda stream id = 0\n-code bytes = 16384\n-shmem base_addr = 0x00007f0000000000\n"
              "-local mem base_addr = 0x00007f0001000000\n-accelsim tracer version = 6\n-enable lineinfo = 0\n\n"
              "#traces format = x\n\n").encode()
    data = bytearray(header + b"\0" + struct.pack("<II", 0, 2048))
    index = bytearray(struct.pack("<I", len(blocks)))
    for number, warps in enumerate(blocks):
        within = number % cluster
        index += struct.pack("<11I", number, 0, 0, number // cluster, 0, 0, within, 0, 0, within, len(warps))
        for lines in warps:
            piece = frame(("\n".join(lines) + "\n").encode())
            index += struct.pack("<IIQI", len(lines), 1, len(data), len(lines))
            data += struct.pack("<III", len(lines), 1, len(piece)) + piece
    data += bytes(index) + struct.pack("<Q", len(data))
    path.write_bytes(data)


class Warp:
    """Lines of a warp, whose first lane alone is active where a number of lanes does not matter."""

    def __init__(self, at=0):
        self.at, self.lines = at, []

    def add(self, text, mask=1):
        self.lines.append(f"{16 * self.at:04x} {mask:08x} {text}")
        self.at += 1
        return self

    def chain(self, count):
        for _ in range(count):
            self.add("1 R4 IADD3 1 R4 0 0 0 NoVal", 0xFFFFFFFF)
        return self

    def barrier(self, name, address, value):
        return self.add(f"0 SYNCS.{name} 2 R0 R1 8 0 0x{address:x} 0 Val 1 {address:x} 1 {value:x}")

    def begin(self, address, arrivals):
        count = (1 << 20) - arrivals
        return self.barrier("EXCH.64", address, count << 43 | count << 1)

    def wait(self, address, parity=0):
        return self.barrier("PHASECHK.TRANS64.TRYWAIT", address, parity << 31)

    def copy(self, address, size, mask=None, barrier=0, kind="UBLKCP.S.G"):
        targets = f"1 {mask:x}" if mask is not None else "0"
        sectors = " ".join(["32"] * (size // 32 - 1))
        return self.add(f"0 {kind} 2 R0 R1 32 {barrier:x} {targets} {size} 0 4 0x{address:x} {size // 32} {sectors}"
                        " 0 NoVal".replace("  ", " "))

    def meet(self, number, threads, kind="SYNC"):
        return self.add(f"0 BAR.{kind} 0 0 {number} {threads} NoVal", 0xFFFFFFFF)

    def end(self):
        return self.add("0 EXIT 0 0 0 NoVal", 0xFFFFFFFF).lines


folder = tempfile.TemporaryDirectory()
here = pathlib.Path(folder.name)


def run(blocks, *options, cluster=1):
    write(here / "kernel-1.tracez", blocks, cluster)
    (here / "kernelslist.g").write_text("kernel-1.tracez\n", encoding="utf-8")
    return subprocess.run([maniple, "run", "--machine", "h100-sxm", *options, here / "kernelslist.g"],
                          capture_output=True, text=True, check=False)


def cycles(blocks, *options, **more):
    done = run(blocks, *options, **more)
    found = re.search(r"^ +1  made +.* ([\d,]+) +[\d,]+ +[\d,]+ +[\d.]+$", done.stdout, re.M)
    if done.returncode or not found:
        print(f"# {done.stdout[-300:]} {done.stderr}")
        return 0
    return int(found[1].replace(",", ""))


# A warp that waits for another's arrival goes on so much later as that comes: of every instruction more in front of the
# arrival the latency of one, to the cycle; and of one more behind the wait, too.
def handed_over(before, behind):
    first = Warp().begin(0, 1).meet(0, 0).chain(before).barrier("ARRIVE.TRANS64.A1T0", 0, 1).end()
    second = Warp(512).meet(0, 0).wait(0).chain(behind).end()
    return cycles([[first, second]])


base = handed_over(100, 100)
ok(base and handed_over(140, 100) - base == 40 * LATENCY, "an arrival that comes later lets the other go on later",
   (base, handed_over(140, 100)))
ok(handed_over(100, 140) - base == 40 * LATENCY, "and what is behind the wait comes behind it")
ok(handed_over(0, 100) > 100 * LATENCY and base > 200 * LATENCY, "none of which is in parallel")


# Barriers by number: two pairs of warps do not hold one another, and an arrival that does not wait is none that waits.
def pairs(one, other):
    warps = [Warp(96 * i).chain(count).meet(number, 64).chain(20).end()
             for i, (count, number) in enumerate([(one, 1), (1, 1), (other, 2), (1, 2)])]
    return cycles([warps])


ok(abs(pairs(60, 1) - pairs(60, 40)) <= LATENCY and abs(pairs(70, 1) - pairs(60, 1) - 10 * LATENCY) <= LATENCY,
   "barriers of some of the threads hold these alone", (pairs(60, 1), pairs(60, 40), pairs(70, 1)))
late = [Warp().meet(1, 64, "ARV").chain(150).end(), Warp(512).chain(50).meet(1, 64).end()]
soon = [Warp().chain(1).meet(1, 64, "ARV").chain(149).end(), Warp(512).chain(50).meet(1, 64).end()]
ok(abs(cycles([late]) - cycles([soon])) <= LATENCY, "an arrival at a barrier goes on")


# A copy completes at its mbarrier when its bytes have come: never before an access to DRAM can have been.
def copied(size, behind=1):
    warp = Warp().begin(0, 1).barrier("ARRIVE.TRANS64", 0, size).copy(0x700000000000, size).wait(0).chain(behind)
    return cycles([[warp.end()]])


alone = cycles([[Warp().begin(0, 1).barrier("ARRIVE.TRANS64.A1T0", 0, 1).wait(0).chain(1).end()]])
ok(400 < copied(128) - alone < 1500, "a copy takes the time of an access to DRAM", (alone, copied(128)))
ok(copied(128, 41) - copied(128) == 40 * LATENCY, "and what waits for it comes behind it")
ok(1023 <= copied(1 << 17) - copied(128) < 1 << 15, "a long one takes a cycle for each of its lines at least",
   (copied(1 << 17), copied(128)))


# A copy out is waited for until its source has been read: four cycles a line, and the last of it comes out of shared
# memory as late as a load would bring it. Only a reduction that somebody is to see waits for the L2, which no copy does.
def out(kind, size, wait, *options):
    warp = Warp().copy(0x700000000000, size, kind=kind).add("0 UTMACMDFLUSH 0 0 0 0 NoVal").add(f"0 {wait} NoVal").chain(800)
    return cycles([[warp.end()]], *options)


code, seen, read = "DEPBAR.LE 0 0 0 0", "DEPBAR.LE.BULK 0 0 0 0", "DEPBAR.LE.BULK 0 0 0 1"
line = out("UBLKCP.G.S", 128, code)
ok(out("UBLKCP.G.S", 4096, code) - line == 31 * 4 and out("UBLKCP.G.S", 128, code, "--set", "latency.shared=63") - line == 40,
   "a copy out lets go on when its source has been read", (line, out("UBLKCP.G.S", 4096, code)))
ok(line > 0 and line == out("UBLKCP.G.S", 128, seen) == out("UBLKCP.G.S", 128, read) == out("UBLKRED.G.S.ADD", 128, code)
   == out("UBLKRED.G.S.ADD", 128, read), "whichever wait it is, and a reduction as far as nobody is to see it")
answered = [out(kind, 128, seen, "--set", "sm.tma.posted=false") - line for kind in ("UBLKCP.G.S", "UBLKRED.G.S.ADD")]
ok(min(answered) > 150 and out("UBLKRED.G.S.ADD", 128, seen) - line == answered[1], "else it waits for the L2", answered)


# Over a cluster: an arrival at another block's mbarrier, by the rank in its address, and a copy to both blocks.
def across(before):
    one = Warp().begin(0x0, 1).add("0 UCGABAR_ARV 0 0 0 0 NoVal", 0xFFFFFFFF).add("0 UCGABAR_WAIT 0 0 0 0 NoVal", 0xFFFFFFFF)
    two = Warp().begin(0x1000000, 1).add("0 UCGABAR_ARV 0 0 0 0 NoVal", 0xFFFFFFFF)
    two.add("0 UCGABAR_WAIT 0 0 0 0 NoVal", 0xFFFFFFFF)
    one.at = two.at = 100
    one.wait(0).chain(100)
    two.at = 300
    two.chain(before).barrier("ARRIVE.TRANS64.RED.A1T0", 0, 1)
    return cycles([[one.end()], [two.end()]], cluster=2)


ok(across(140) - across(100) == 40 * LATENCY, "another block's arrival lets go on, and comes over the network",
   (across(100), across(140)))
both = [[Warp().begin(rank << 24, 1).add("0 UCGABAR_ARV 0 0 0 0 NoVal").add("0 UCGABAR_WAIT 0 0 0 0 NoVal")
         .barrier("ARRIVE.TRANS64", rank << 24, 256)] for rank in (0, 1)]
both[0][0].copy(0x700000000000, 256, mask=3)
for warps in both:
    warps[0].at = 50
both = [[warps[0].wait(rank << 24).end()] for rank, warps in enumerate(both)]
ok(cycles(both, cluster=2) > 0, "a copy to two blocks completes at both mbarriers")


def bits(blocks, **more):
    return [re.sub(r"maniple:.*", "", run(blocks, "--long", *options, **more).stdout) for options in
            (["--threads", "1"], ["--threads", "2", "--no-skip"], ["--threads", "2", "--executor", "lockstep"])]


ok(len(set(bits(both, cluster=2))) == 1, "and all of it is the same for any threads and executor")


# What no program can have done.
def refused(blocks, *texts, **more):
    done = run(blocks, **more)
    text = done.stdout + done.stderr
    ok(done.returncode == 2 and all(t in text for t in texts), texts[-1], (done.returncode, text[-600:]))


refused([[Warp().begin(0, 1).barrier("ARRIVE.TRANS64.ART0", 0, 2).end()]], "kernel-1.tracez: block (0,0,0), warp 0, instruction 2",
        "more arrivals than the phase of an mbarrier expects")
refused([[Warp().barrier("ARRIVE.TRANS64.A1T0", 0, 1).end()]], "more arrivals than the phase of an mbarrier expects, or there is none")
refused([[Warp().begin(0, 1).barrier("ARRIVE.TRANS64.A0TR", 0, 1 << 20).end()]], "more bytes outstanding")
refused([[Warp().begin(0x10000, 1).end()]], "an mbarrier outside the shared memory of its block")
refused([[Warp().begin(0, 1).copy(0x700000000000, 128, mask=2).end()]], "a copy goes to a block that is not of its cluster")
refused([[Warp().add("1 R24 HGMMA.64x64x16.F32 1 R24 0 0 0 NoVal", 0xFFFFFFFF).end()]], "which has four warps")
refused([[Warp().meet(16, 64).end()]], "a barrier has an impossible number")
done = run([[Warp().begin(0x20, 2).barrier("ARRIVE.TRANS64.A1T0", 0x20, 1).wait(0x20).end()]])
text = done.stdout + done.stderr
ok(done.returncode and "mbarrier at 0x20" in text and "lacks 1 of 2 arrivals" in text, "a wait for what never comes is a hang",
   (done.returncode, text[-800:]))
print(f"1..{cases}")
