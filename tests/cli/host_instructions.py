#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Host instructions of the engine, counted by callgrind, against the recorded figures.

Usage: host_instructions.py MANIPLE TRACEGEN TRACES [--update]
One thread simulates each trace of host_instructions.txt on its machine. The count covers mnp_engine_run, which simulates, and
leaves out start-up and the writing of results. A count that differs from its figure by more than 1 % fails: a change that costs
more (or less) on purpose records its figures anew with --update. Counts depend on the compiler: the first line of the table names
the one that the figures hold for, and with another one the test skips. TRACES holds real traces; their rows skip without it.
Rows of more than 200 million are counted with MANIPLE_MATRIX=full alone, as in make test-long.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MANIPLE, TRACEGEN = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
TRACES = pathlib.Path(sys.argv[3])
TABLE = pathlib.Path(__file__).with_name("host_instructions.txt")
BOUND = 0.01
LONG = 200 # million host instructions, of which valgrind makes five seconds
# Under meson, malloc fills memory, which would be counted. glibc selects its copy functions by CPU feature: masking these
# features selects the same functions on every host.
ENVIRONMENT = {**os.environ, "MALLOC_PERTURB_": "0", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX,-ERMS,-FSRM"}


def compiler():
    """The compiler that made the simulator, as its ELF comment names it: 'GCC: (Debian 12.2.0-14) 12.2.0' gives 'GCC 12.2.0'."""
    found = re.search(rb"(GCC): \([^)]*\) ([0-9.]+)|(clang) version ([0-9.]+)", pathlib.Path(MANIPLE).read_bytes())
    return b" ".join(part for part in found.groups() if part).decode() if found else "unknown"


def simulated(row, work):
    """The words of the command that simulates a row, whose trace is generated if need be; None where a real trace is absent."""
    words = row.split(":")
    if words[0] == "app":
        return ["app", "run", *words[1:]]
    if words[0] == "elf":
        program = pathlib.Path(__file__).resolve().parents[2] / "apps" / "manycore" / "elf" / f"{words[1]}.elf"
        return ["run", "--core", "interpreter", "--cores", words[2], "--", program, *words[3:]]
    path = kernel_list(row, words, work)
    return path and ["run", path]


def kernel_list(row, words, work):
    """The list of kernels of a trace, generated if its name has keys; None where a real one is absent."""
    if len(words) == 1:
        path = TRACES / row / "kernelslist.g"
        return path if path.exists() else None
    folder = pathlib.Path(work) / row.replace(":", "-")
    if not folder.exists():
        subprocess.run([TRACEGEN, words[0], folder, *words[1:]], check=True, stdout=subprocess.DEVNULL)
    return folder / "kernelslist.g"


def count(command, machine):
    """Millions of host instructions that mnp_engine_run takes."""
    at = command.index("--") if "--" in command else len(command)
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=mnp_engine_run", "--trace-children=yes",
         MANIPLE, *command[:at], "-q", "--machine", machine, "--threads", "1", "--format", "json", *command[at:]],
        env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    collected = sum(map(int, re.findall(r"Collected *: (\d+)", done.stderr)))
    if done.returncode or not collected:
        sys.exit(f"Bail out! {command} on {machine}: {done.stderr[-500:]}")
    return collected / 1e6


def main():
    update = "--update" in sys.argv
    lines = TABLE.read_text().splitlines()
    of = re.search(r"by (.*):", lines[0])[1]
    if not shutil.which("valgrind"):
        return print("1..0 # SKIP valgrind is not installed")
    if of != compiler() and not update:
        return print(f"1..0 # SKIP the figures are of code by {of}, and this is by {compiler()}")
    failed, written = 0, [lines[0].replace(of, compiler())]
    with tempfile.TemporaryDirectory() as work:
        for number, line in enumerate(lines[1:], 1):
            row, machine, figure = line.split()
            long = float(figure) > LONG and not update and os.environ.get("MANIPLE_MATRIX") != "full"
            command = None if long else simulated(row, work)
            if command is None:
                print(f"ok {number} - {row} on {machine} # SKIP " + ("long: make test-long" if long else "the real traces are not at hand"))
                written.append(line)
                continue
            millions = count(command, machine)
            good = abs(millions / float(figure) - 1) <= BOUND
            failed += not good
            print(f"{'ok' if good else 'not ok'} {number} - {row} on {machine}: {millions:.2f} million, {figure} recorded", flush=True)
            written.append(f"{row} {machine} {millions:.2f}")
    if update:
        TABLE.write_text("\n".join(written) + "\n")
    elif failed:
        print("# A cost on purpose: tests/cli/host_instructions.py MANIPLE TRACEGEN TRACES --update, and say why in the commit.")
    print(f"1..{len(lines) - 1}")
    return failed != 0 and not update


if __name__ == "__main__":
    sys.exit(main())
