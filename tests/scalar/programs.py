#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random PTX programs, executed by Maniple and by the scalar interpreter beside this file: the memory that they leave must
be the same. Each program runs on one of the machines, as PTX and as the machine code that ptxas makes of it, with and
without time. Speaks TAP: a case for each batch of programs and each way of running them.

    programs.py MANIPLE SCALAR_PROGRAMS COUNT [FIRST]        COUNT programs from number FIRST on
    programs.py MANIPLE SCALAR_PROGRAMS --smallest MACHINE CODE TIME NUMBER
                                                             leaves out all statements that a difference does not need

MANIPLE_PTXAS names another ptxas than that in PATH; without one, machine code is skipped. WAYS lists the ways of running,
for example "ptx-functional,ptx-timed". known.txt lists programs that are known to differ: MACHINE WAY NUMBER; they do not
make a case fail, and one that is right again is told."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

MACHINES = {"v100": 70, "rtx2060": 75, "a100": 80, "rtx3070": 86, "rtx4090": 89, "h100-sxm": 90, "b200": 100, "rtx5090": 120}
WAYS = ("ptx-functional", "ptx-timed", "sass-functional", "sass-timed")
BATCH = 25
LEVELS = ("3", "3", "1", "0")  # of ptxas's optimisation, in turn
PATIENCE = 100  # seconds that a batch may take


KNOWN = {tuple(line.split()) for line in pathlib.Path(__file__).with_name("known.txt").read_text().splitlines()
         if line and not line.startswith("#")}


class Programs:
    """Programs FIRST to FIRST + COUNT - 1 without the statements in `dropped`, on a machine."""

    def __init__(self, tools, machine, first, count, dropped=""):
        self.maniple, self.programs, self.ptxas, self.folder = tools
        self.machine, self.architecture = machine, str(MACHINES[machine])
        self.first, self.count, self.dropped = first, count, dropped
        self.level = LEVELS[first // BATCH % len(LEVELS)]

    def assemble(self):
        """The cubin's path, or None where this ptxas no longer knows the architecture."""
        text = self.folder / "module.ptx"
        cubin = self.folder / f"{self.architecture}-{self.first}-{self.count}.cubin"
        if not cubin.exists() or self.dropped:
            text.write_bytes(subprocess.run([self.programs, "text", self.architecture, str(self.first), str(self.count), self.dropped],
                                            check=True, stdout=subprocess.PIPE).stdout)
            made = subprocess.run([self.ptxas, f"-arch=sm_{self.architecture}", f"-O{self.level}", text, "-o", cubin],
                                  capture_output=True, text=True, check=False)
            if made.returncode and "is not defined for option" in made.stdout + made.stderr:
                return None
            if made.returncode:
                sys.exit(f"programs {self.first} of sm_{self.architecture}: {made.stdout}{made.stderr}")
        return cubin

    def command(self, way, cubin):
        """The command that runs them."""
        return [*self.maniple, "run", "-q", *([] if way.endswith("timed") else ["--functional"]), "--machine", self.machine, "--",
                self.programs, "run", self.architecture, str(self.first), str(self.count), self.dropped, *([cubin] if cubin else [])]

    def run(self, way, cubin):
        """Runs them. Returns (what was printed, the programs that differ or failed)."""
        with subprocess.Popen(self.command(way, cubin), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", start_new_session=True) as process:
            try:
                said = process.communicate(timeout=PATIENCE)[0]
            except subprocess.TimeoutExpired:  # the program too, which maniple has started
                os.killpg(process.pid, signal.SIGKILL)
                said = process.communicate()[0] + f"it took longer than {PATIENCE} s\n"
            status = process.returncode
        bad = {int(number) for number in re.findall(r"^program (\d+): \d+ words differ$", said, re.M)}
        if not re.search(r"^\d+ programs of \d+ statements, \d+ differ$", said, re.M):
            begun = re.findall(r"^program (\d+)$", said, re.M)
            bad.add(int(begun[-1]) if begun else self.first)
        elif status and not bad:
            bad.add(self.first)
        return said, sorted(bad)


def shorten(said):
    """The lines that say what went wrong."""
    return [line for line in said.splitlines() if re.match(r"program \d+:|maniple: |it took|sm \d+:", line)][:12]


def smallest(tools, machine, way, number):
    """Leaves out statements as long as the program still goes wrong; prints it and the command that runs it."""
    dropped = set()

    def programs(left_out):
        return Programs(tools, machine, number, 1, ",".join(map(str, sorted(left_out))))

    def wrong(left_out):
        these = programs(left_out)
        said, bad = these.run(way, these.assemble() if way.startswith("sass") else None)
        return bool(bad) and "the interpreter" not in said

    orders = subprocess.run([tools[1], "orders", str(MACHINES[machine]), str(number), "1"], stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    statements = int(re.search(r"of (\d+) statements", orders)[1])
    if not wrong(dropped):
        sys.exit(f"program {number} is right on {machine}, {way}")
    step = statements
    while step:
        for start in range(0, statements, step):
            more = set(range(start, min(start + step, statements))) - dropped
            if more and wrong(dropped | more):
                dropped |= more
        step //= 2
    these = programs(dropped)
    subprocess.run([tools[1], "text", these.architecture, str(number), "1", these.dropped], check=True)
    print("// statements", *sorted(set(range(statements)) - dropped))
    print("//", *these.command(way, "CUBIN" if way.startswith("sass") else None))


class Cases:
    """Cases of the Test Anything Protocol."""

    def __init__(self):
        self.count = self.failed = 0

    def case(self, good, name, notes=()):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}")
        for note in notes:
            print("#", note)
        sys.stdout.flush()

    def skip(self, name, why):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {why}")

    def end(self):
        print(f"1..{self.count}")
        return self.failed > 0


def batch(cases, tools, machine, first, count):
    """One batch, in every way of running it; programs behind one that failed are run again without it."""
    for way in os.environ.get("WAYS", ",".join(WAYS)).replace(",", " ").split():
        name = f"programs {first} to {first + count - 1} on {machine}, {way}"
        notes, wrong, at, cubin = [], [], first, None
        if way.startswith("sass"):
            cubin = Programs(tools, machine, first, count).assemble() if tools[2] else None
            if not cubin:
                cases.skip(name, f"no ptxas makes machine code for sm_{MACHINES[machine]} here")
                continue
        while at < first + count:
            these = Programs(tools, machine, at, first + count - at)
            said, bad = these.run(way, cubin)
            if not bad:
                break
            wrong += bad
            if any((machine, way, str(number)) not in KNOWN for number in bad):
                notes += shorten(said)
            at = bad[-1] + 1
        new = [number for number in wrong if (machine, way, str(number)) not in KNOWN]
        notes += [f"again: {' '.join(sys.argv[:3])} --smallest {machine} {way} {number}" for number in new]
        notes += [f"right again: {number}, see known.txt" for number in range(first, first + count)
                  if number not in wrong and (machine, way, str(number)) in KNOWN]
        cases.case(not new, name + (f", {len(wrong) - len(new)} known to differ" if len(wrong) > len(new) else ""), notes)


def main():
    ptxas = os.environ.get("MANIPLE_PTXAS") or shutil.which("ptxas")
    with tempfile.TemporaryDirectory() as folder:
        tools = (sys.argv[1].split(), os.path.realpath(sys.argv[2]), ptxas, pathlib.Path(folder))
        if sys.argv[3] == "--smallest":
            smallest(tools, sys.argv[4], sys.argv[5], int(sys.argv[6]))
            return 0
        count, first = int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 1
        cases = Cases()
        for start in range(first, first + count, BATCH):
            batch(cases, tools, list(MACHINES)[start // BATCH % len(MACHINES)], start, min(BATCH, first + count - start))
        return cases.end()


sys.exit(main())
