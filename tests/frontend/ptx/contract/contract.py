#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Products and sums that PTX writes without a rounding, and that an assembler contracts: which ones, by the values that
small programs leave. A table of programs, each with the expression that ptxas 13.0 makes of it, and random programs; both
as PTX against exact arithmetic by the rules that docs/ptx-compiler.md states, written down here a second time, and where
ptxas is at hand against the machine code that it makes.

    contract.py MANIPLE [COUNT [FIRST]]       COUNT random programs of each type, from number FIRST on; of two types, or of
                                              all with MANIPLE_MATRIX=full
    contract.py MANIPLE --show TYPE NUMBER    one random program

Inside of `maniple run` it runs itself: `contract.py --launch MODULE FILE`. MANIPLE_PTXAS names another ptxas."""
import ctypes
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import model

HERE = pathlib.Path(__file__).resolve()
# type: machine and architecture that programs of it run on, in turn
MACHINES = {"rtx2060": ("75", "6.3"), "a100": ("80", "7.0"), "rtx4090": ("89", "7.8"),
            "h100-sxm": ("90", "8.0"), "b200": ("100", "8.6"), "rtx5090": ("120", "8.7")}
FULL = os.environ.get("MANIPLE_MATRIX") == "full"  # all types; otherwise two of them, of one and of two products a register
SINCE = {"f32": 70, "f64": 70, "f16": 70, "f16x2": 70, "bf16": 90, "bf16x2": 90, "f32x2": 100}
TYPES = [name for name in model.TYPES if FULL or name in ("f32", "f16x2")]
LANES, WORDS = 32, 64  # threads of a launch; 8-byte places of each


# ===== launches =====

def launch(module, out):
    """Launches all kernels of a module, whose names are k0, k1, …; writes what each leaves."""
    driver = ctypes.CDLL("libcuda.so.1")

    def must(name, *arguments):
        error = getattr(driver, name)(*arguments)
        if error:
            sys.exit(f"{name}: error {error}")
    context, loaded, data = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
    must("cuInit", 0)
    must("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    must("cuCtxSetCurrent", context)
    must("cuModuleLoadData", ctypes.byref(loaded), pathlib.Path(module).read_bytes() + b"\0")
    size = LANES * WORDS * 8
    must("cuMemAlloc_v2", ctypes.byref(data), ctypes.c_size_t(size))
    with open(out, "wb") as file:
        for line in pathlib.Path(module + ".list").read_text().splitlines():
            name, start = line.split()
            image, kernel = bytearray(bytes.fromhex(start) * (size // len(bytes.fromhex(start)))), ctypes.c_void_p()
            memory = (ctypes.c_char * size).from_buffer(image)
            must("cuMemcpyHtoD_v2", data, memory, ctypes.c_size_t(size))
            must("cuModuleGetFunction", ctypes.byref(kernel), loaded, name.encode())
            where = ctypes.c_uint64(data.value)
            arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(where), ctypes.c_void_p))
            must("cuLaunchKernel", kernel, 1, 1, 1, LANES, 1, 1, 0, None, arguments, None)
            must("cuMemcpyDtoH_v2", memory, data, ctypes.c_size_t(size))
            file.write(bytes(image))


class Runner:
    """Runs modules as PTX and as machine code."""

    def __init__(self, maniple, folder):
        self.maniple, self.folder = maniple, pathlib.Path(folder)
        self.ptxas = os.environ.get("MANIPLE_PTXAS") or shutil.which("ptxas")

    def write(self, machine, programs):
        architecture, version = MACHINES[machine]
        text = f".version {version}\n.target sm_{architecture}\n.address_size 64\n" + "".join(
            program.text(f"k{number}") for number, program in enumerate(programs))
        path = self.folder / f"{machine}.ptx"
        path.write_text(text)
        return path

    def assemble(self, machine, path):
        """The cubin's path, or None where no ptxas knows the architecture."""
        if not self.ptxas:
            return None
        cubin = path.with_suffix(".cubin")
        made = subprocess.run([self.ptxas, f"-arch=sm_{MACHINES[machine][0]}", path, "-o", cubin], capture_output=True, text=True,
                              check=False)
        if made.returncode and "is not defined for option" in made.stdout + made.stderr:
            return None
        if made.returncode:
            sys.exit(made.stdout + made.stderr)
        return cubin

    def run(self, machine, path, programs, *options):
        """What each program leaves: for each thread, its words."""
        (path.parent / (path.name + ".list")).write_text(
            "".join(f"k{number} {program.memory().hex()}\n" for number, program in enumerate(programs)))
        out = path.with_suffix(".out")
        subprocess.run([*self.maniple, "run", "-q", *(options or ("--functional",)), "--machine", machine, "--", sys.executable, HERE,
                        "--launch", path, out], check=True, stdout=subprocess.DEVNULL)
        data, size = out.read_bytes(), LANES * WORDS * 8
        return [data[at:at + size] for at in range(0, len(data), size)]


# ===== cases =====

count = failed = 0


def case(good, name, notes=()):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}", flush=True)
    for note in notes if not good else ():
        print("#", note)


def skip(name, why):
    global count
    count += 1
    print(f"ok {count} - {name} # SKIP {why}")


def result(program, left, lane, place):
    at = lane * WORDS * 8 + (model.OUT + place) * 8
    return int.from_bytes(left[at:at + model.TYPES[program.type].bytes], "little")


def differences(program, left, right):
    """The results of a program that are not right; `right` is another run, or exact values (None: not computed)."""
    found = set()
    for lane in range(model.THREADS):  # the others have the same numbers and predicates
        for place in range(len(program.results)):
            value = right(lane, place)
            if value is not None and result(program, left, lane, place) != value:
                found.add(program.results[place])
    return sorted(found)


def identical(runner, machine, programs):
    """The same values and statistics with time, however it is simulated."""
    path = runner.write(machine, programs)
    right = runner.run(machine, path, programs)
    hashes = set()
    for options in ("--threads=1", "--threads=2", "--no-skip", "--window=1"):
        folder = runner.folder / "results"
        shutil.rmtree(folder, ignore_errors=True)
        left = runner.run(machine, path, programs, options, "-o", str(folder))
        hashes |= set(re.findall(r'"hash": "([0-9a-f]{16})"', (folder / "results.json").read_text()))
        case(left == right, f"{len(programs)} programs: the same values with time, {options}")
    case(len(hashes) == 1, f"{len(programs)} programs: the same state with time, in four ways", hashes)


def compare(runner, machine, programs, name, expected, timed=False):
    path = runner.write(machine, programs)
    left = runner.run(machine, path, programs)
    cubin = runner.assemble(machine, path)
    ways = {"exact arithmetic": expected}
    if cubin:
        code = runner.run(machine, cubin, programs)
        ways["machine code"] = lambda number: lambda lane, place: result(programs[number], code[number], lane, place)
    else:
        skip(f"{name}: as machine code", f"no ptxas for sm_{MACHINES[machine][0]} here")
    for way, right in ways.items():
        notes = []
        for number, program in enumerate(programs):
            wrong = differences(program, left[number], right(number))
            if wrong:
                notes.append(f"{program.name}: {' '.join(wrong)} of `{program.body()}`")
        case(not notes, f"{name}: {len(programs)} programs as PTX against {way}", notes[:12])
    if timed:
        identical(runner, machine, programs[::9])


def table(runner):
    """The programs of the table, for each type that they are about."""
    for type_name in TYPES:
        machine = "b200" if type_name == "f32x2" else "h100-sxm"
        programs = [model.Written(type_name, line) for line in model.TABLE if model.applies(line, type_name)]
        compare(runner, machine, programs, f"table of {type_name}", lambda number, of=programs: of[number].value,
                type_name == "f32")


def randoms(runner, number, first):
    for type_name in TYPES:
        since = SINCE[type_name]
        machines = [machine for machine, (architecture, _) in MACHINES.items() if int(architecture) >= since]
        for start in range(first, first + number, 50):
            machine = machines[start // 50 % len(machines)]
            programs = [model.Random(type_name, seed) for seed in range(start, min(start + 50, first + number))]
            compare(runner, machine, programs, f"random {type_name} {start} on {machine}", lambda number, of=programs: of[number].value)


def main():
    if sys.argv[1] == "--launch":
        launch(sys.argv[2], sys.argv[3])
        return 0
    if len(sys.argv) > 2 and sys.argv[2] == "--show":
        print(model.Random(sys.argv[3], int(sys.argv[4])).text("k0"))
        return 0
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(sys.argv[1].split(), folder)
        table(runner)
        randoms(runner, number, first)
    print(f"1..{count}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
