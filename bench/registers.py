#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Registers of kernels in PTX, as they are estimated here and as ptxas allocates them: share of the kernels within 10 %,
in the same unit of eight, with as many blocks of 256 threads an SM, mean absolute error, bias; and their static shared
memory, which must be the same. Programs, which are files of PTX up to their second dot (`rod.bfs.a.ptx`,
`rod.bfs.b.ptx`) or all of a file's kernels, fall into two halves by a seed: what is developed on one is told of the other.

  bench/registers.py --tool build/bench/bench-registers [--arch sm_90] [--seed 15] [--cache FILE] [--kernels] PTX...

Kernels with the same text of PTX count once. Without ptxas it says so and ends with status 0, where shared memory
differs with status 1; what ptxas has said is kept
in the cache file (JSON) and not asked again."""
import argparse
import hashlib
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys

SPILLS = re.compile(r"(\d+) bytes spill stores")


def program_of(path):
    parts = pathlib.Path(path).name.split(".")
    return ".".join(parts[:2]) if len(parts) > 3 else parts[0]


def of_ptxas(path, arch):
    """{kernel: (registers, bytes spilled, bytes of shared memory)}; a file that ptxas refuses has none."""
    out = subprocess.run(["ptxas", "-v", f"-arch={arch}", str(path), "-o", "/dev/null"], capture_output=True, text=True, timeout=900)
    kernels, name, spilled = {}, None, 0
    for line in out.stderr.splitlines():
        found = re.search(r"Compiling entry function '([^']+)'", line)
        if found:
            name, spilled = found.group(1), 0
        elif name and SPILLS.search(line):
            spilled = int(SPILLS.search(line).group(1))
        elif name and (found := re.search(r"Used (\d+) registers", line)):
            shared = re.search(r"(\d+) bytes smem", line)
            kernels[name] = (int(found.group(1)), spilled, int(shared.group(1)) if shared else 0)
            name = None
    return kernels


def ours(tool, paths):
    out = subprocess.run([tool, *map(str, paths)], capture_output=True, text=True)
    rows = [line.rsplit(" ", 3) for line in out.stdout.splitlines()]
    return {(path, name): (int(registers), int(shared)) for path, name, registers, shared in rows}


def bodies(path):
    """{kernel: digest of its text without names}."""
    text = pathlib.Path(path).read_text(errors="replace")
    found = {}
    for match in re.finditer(r"\.entry\s+([\w$]+)(.*?)^\}", text, re.S | re.M):
        body = re.sub(re.escape(match.group(1)), "k", match.group(2))
        found[match.group(1)] = hashlib.sha256(re.sub(r"//[^\n]*|\.loc[^\n]*", "", body).encode()).hexdigest()
    return found


def halves(programs, seed):
    names = sorted(programs)
    random.Random(seed).shuffle(names)
    return {name: i % 2 for i, name in enumerate(names)}


def blocks(registers, shared, threads=256):
    """Blocks that an SM of H100 holds: 65,536 registers and 2,048 threads (four sub-cores; a warp's registers in units of
    256), 228 KiB of shared memory, of which each block takes 1 KiB for the system (units of 128 bytes)."""
    of_warp = -(-registers // 8) * 8 * 32
    warps = min(65536 // 4 // of_warp * 4, 64)
    return min(warps // (threads // 32), 228 * 1024 // (-(-(shared + 1024) // 128) * 128))


def summary(title, rows):
    if not rows:
        return f"{title}: none"
    same = sum(blocks(*o) == blocks(*p) for *_, p, o in rows)
    rows = [(p[0], o[0]) for *_, p, o in rows]
    close = sum(abs(o - p) <= 0.1 * p for p, o in rows)
    unit = sum((o + 7) // 8 == (p + 7) // 8 for p, o in rows)
    error = sum(abs(o - p) / p for p, o in rows) / len(rows)
    bias = sum((o - p) / p for p, o in rows) / len(rows)
    return (f"{title}: {len(rows)} kernels, within 10 %: {100 * close / len(rows):.1f} %, same unit of eight: "
            f"{100 * unit / len(rows):.1f} %, same blocks an SM: {100 * same / len(rows):.1f} %, mean absolute error "
            f"{100 * error:.1f} %, bias {100 * bias:+.1f} %")


def differences(rows):
    """Prints the kernels whose static shared memory is not that of ptxas; returns how many there are."""
    apart = [row for row in sorted(rows) if row[3][1] != row[4][1]]
    for _, path, name, (_, theirs), (_, own) in apart:
        print(f"shared memory of {pathlib.Path(path).name} {name}: ptxas {theirs} bytes, here {own}")
    if not apart:
        print(f"shared memory: as ptxas has it in {len(rows)} kernels")
    return len(apart)


def compare(arguments):
    cache_file = pathlib.Path(arguments.cache) if arguments.cache else None
    cache = json.loads(cache_file.read_text()) if cache_file and cache_file.exists() else {}
    rows, seen, estimates = [], set(), ours(arguments.tool, arguments.ptx)
    for path in arguments.ptx:
        key = f"{arguments.arch} {hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()}"
        if key not in cache:
            cache[key] = of_ptxas(path, arguments.arch)
            if cache_file:
                cache_file.write_text(json.dumps(cache))
        texts = bodies(path)
        for name, (registers, _, shared) in cache[key].items():
            text = texts.get(name, path + name)
            if (path, name) in estimates and text not in seen:
                seen.add(text)
                rows.append((program_of(path), path, name, (registers, shared), estimates[path, name]))
    half = halves({row[0] for row in rows}, arguments.seed)
    if arguments.kernels:
        for program, path, name, (registers, _), (estimate, _) in sorted(rows):
            print(f"{'AB'[half[program]]} {pathlib.Path(path).name} {name} ptxas {registers} here {estimate}")
    print(summary("half A", [row for row in rows if half[row[0]] == 0]))
    print(summary("half B", [row for row in rows if half[row[0]] == 1]))
    print(summary("all", rows))
    return 1 if differences(rows) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/bench/bench-registers")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--cache")
    parser.add_argument("--kernels", action="store_true", help="a line for each")
    parser.add_argument("ptx", nargs="+")
    arguments = parser.parse_args()
    if not shutil.which("ptxas"):
        print("registers: skipped, there is no ptxas")
        return 0
    return compare(arguments)


if __name__ == "__main__":
    sys.exit(main())
