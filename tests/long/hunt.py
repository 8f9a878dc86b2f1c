#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Looks for broken promises of the contract: random machines × inputs × options that results depend on, each run in several
random ways (executor, threads, window, schedule, --no-skip) that must not change a byte of its results.

A case is a shipped machine with some of its parameters changed within their ranges (`maniple models` states them), made small,
and a trace or workload, as PTX, as machine code or as a program of a many-core machine. What a case runs follows from the seed
and its number alone. A difference is printed with both commands; so is a crash, a bug, and a workload whose results are wrong.

Usage: hunt.py BUILD [--seed N] [--pairs N] [--minutes N] [--case N] [--jobs N]
  --pairs N     comparisons to make, at least (default 1000); fewer in the minutes given is a failure
  --minutes N   after which no case begins (default 15)
  --case N      this case alone, with its commands
  --jobs N      cases at a time (default 2)"""
import argparse
import concurrent.futures
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import same  # noqa: E402  pylint: disable=wrong-import-position

LIMIT = 100  # seconds of a run, after which its case is given up
WAYS = 4     # in which each case is run besides the default
NO_WAY = ["built without", "is longer than is safe", "is longer than an epoch"]  # what refuses a way of running on a machine
EXECUTORS = ["window"] * 8 + ["serial", "serial", "lockstep", "domains", "pool", "openmp"]
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

# What would make a case large, slow or another input: the size of the machine is drawn by itself.
FIXED = {"sm.count", "gpc.count", "partition.count", "gpc.sms", "gpc.groups", "dram.channels", "l2.halves", "livelock",
         "sm.shared.max", "sm.registers", "mesh.width", "mesh.height", "cores"}
KINDS = {"vectoradd": {"n": (64, 9000), "threads": [32, 64, 128, 256]},
         "matmul": {"n": [16, 32, 48, 64], "tile": [8, 16]},
         "reduction": {"n": (64, 9000), "threads": [64, 128, 256]},
         "chase": {"space": ["global", "shared"], "footprint": [4096, 16384, 262144], "loads": [16, 64, 160], "lanes": (1, 32),
                   "blocks": (1, 12), "order": ["rising", "leaping"]},
         "gather": {"blocks": (1, 60), "threads": [32, 64, 128], "rounds": (1, 6), "footprint": [4096, 32768, 1 << 20, 1 << 25]},
         "atomics": {"blocks": (1, 40), "threads": [32, 64, 128], "rounds": (1, 4), "targets": [1, 8, 64, 2048],
                     "op": ["red", "atom", "shared"]},
         "mix": {"rounds": (1, 4), "blocks": (1, 40), "threads": [32, 64, 128]},
         "fma": {"dependent": [0, 1], "rounds": (1, 8), "blocks": (1, 30), "threads": [32, 128]},
         "straightline": {"length": (16, 3000), "blocks": (1, 20), "threads": [32, 64]},
         "stream": {"blocks": (1, 60), "threads": [32, 64, 128], "rounds": (1, 6), "width": [4, 8, 16]},
         "empty": {"blocks": (1, 200), "threads": [32, 256, 1024], "kernels": (1, 5)},
         "multi": {"kernels": (2, 8), "streams": (1, 5), "blocks": (1, 24), "threads": [32, 128], "rounds": (1, 4)}}
PROGRAMS = [("atomic", [(1, 40), (1, 8)]), ("barrier", [[0], (1, 4), (1, 60)]), ("barrier", [[2], (1, 4), (1, 60)]),
            ("fft", [[16, 64, 128]]), ("matmul", []), ("fibonacci", []), ("empty", [])]


class Parameter:
    """A row of `maniple models`."""

    def __init__(self, key, kind, rest):
        self.key, self.kind = key, kind
        self.choices = re.findall(r'"([^"]*)"', rest) if kind == "choice" else []
        ends = re.search(r"\], (\S+) to ([^,\s]+)", rest)
        self.least, self.most = (number(ends[1]), number(ends[2])) if ends else (0, 1 << 20)

    def draw(self, dice, now):
        """Another value, near the present one."""
        if self.kind == "boolean":
            return dice.choice(["true", "false"])
        if self.kind == "choice":
            return dice.choice(self.choices)
        if self.kind == "clock":
            return f"{dice.randint(300, 2600)}MHz"
        least = max(self.least, 1) if self.key.endswith(".lanes") else self.least  # nothing runs without one of them
        now = now if isinstance(now, int) and not isinstance(now, bool) else self.least
        near = [least, now // 2, now // 4, now * 2, now + 1, now - 1, dice.randint(now // 4, now * 3 + 2), dice.randint(0, 6)]
        return str(min(max(dice.choice(near), least), self.most))


def number(text):
    """A number of `maniple models`: 64KiB, 10000MHz, 12."""
    digits, unit = re.fullmatch(r"(\d+)(\w*)", text).groups()
    return int(digits) * UNITS.get(unit, 1)


def is_refused(outcome):
    """An error of the machine's or the options', or of a workload that cannot begin; not wrong results."""
    return outcome.status == 2 or (outcome.status == 1 and ": FAIL (" not in outcome.words + outcome.printed)


class Hunt:
    def __init__(self, options):
        build = pathlib.Path(options.build).resolve()
        self.maniple, self.tracegen = str(build / "maniple"), str(build / "maniple-tracegen")
        self.options = options
        self.machines = dict(line.split()[:2] for line in self.lines("machines"))
        for machine in list(self.machines):  # of a node, which takes an input for each of its GPUs, each is another machine
            if re.search("^gpu: ", (ROOT / f"machines/{machine}.cfg").read_text(encoding="utf-8"), re.M):
                del self.machines[machine]
        self.parameters = [Parameter(*match.groups()) for line in self.lines("models")
                           if (match := re.match(r"    (\S+\.\S+|\S+) +(number|size|boolean|choice|clock)\b(.*)", line))]
        self.values = {}
        listed = subprocess.run(["bash", "-c", "source tests/apps/sizes.sh; app_runs"], cwd=ROOT, capture_output=True, text=True,
                                check=True)
        self.workloads = [line.split() for line in listed.stdout.splitlines()]
        self.has_ptxas = shutil.which("ptxas") is not None
        self.recorded = {}
        for path in sorted((ROOT / "tests/frontend/sass/data").glob("*.cubin")):
            name, level, _ = path.name.split(".")
            if any(name == words[0] for words in self.workloads):
                self.recorded.setdefault(level, []).append((name, path))

    def lines(self, *words):
        return subprocess.run([self.maniple, *words], capture_output=True, text=True, check=True).stdout.splitlines()

    def value_of(self, machine, key):
        """What a shipped machine has for a key."""
        if machine not in self.values:
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([self.tracegen, "empty", folder, "blocks=1"], check=True, stdout=subprocess.DEVNULL)
                run = ["run", "--machine", machine, "-q", "--format", "json", f"{folder}/kernelslist.g"]
                if not self.machines[machine].startswith("sm_"):
                    run = ["run", "--machine", machine, "-q", "--format", "json", "--cores", "2", "--",
                           str(ROOT / "apps/manycore/elf/empty.elf")]
                self.values[machine] = same.Outcome([self.maniple, *run]).results["machine"]
        value = self.values[machine]
        for word in key.split("."):
            value = value.get(word) if isinstance(value, dict) else None
        return value

    # ===== what a case is =====

    def small(self, dice):
        """The size of a GPU."""
        halves = dice.choice([1, 1, 2])
        partitions = halves * dice.randint(1, 4)
        sms = dice.randint(2, 14)
        return {"sm.count": sms, "gpc.count": dice.randint(1, min(sms, 4)), "partition.count": partitions, "l2.halves": halves,
                "gpc.sms": "[]", "gpc.groups": "[]", "dram.channels": 0, "l2.half_bits": "[]"}

    def draw_sets(self, dice, machine, many):
        """Changes of the machine's parameters."""
        sets = {} if dice.random() < 0.06 or not self.machines[machine].startswith("sm_") else self.small(dice)
        known = [row for row in self.parameters if row.key not in FIXED and self.value_of(machine, row.key) is not None]
        for row in dice.sample(known, min(many, len(known))):
            sets[row.key] = row.draw(dice, self.value_of(machine, row.key))
        if dice.random() < 0.25 and self.machines[machine].startswith("sm_"):
            sets["l2.coalesce"] = dice.choice([2, 4, 7, 16])
            sets["l2.coalesce_writes"] = dice.choice([1, 2, 4, 16])
        return sets

    def draw_trace(self, dice, folder):
        kind = dice.choice(list(KINDS))
        keys = [f"{key}={dice.choice(values) if isinstance(values, list) else dice.randint(*values)}"
                for key, values in KINDS[kind].items()] + [f"seed={dice.randint(1, 99)}"]
        if subprocess.run([self.tracegen, kind, folder, *keys], capture_output=True, check=False).returncode:
            return self.draw_trace(dice, folder)  # some keys do not go together
        return ["run", "--unknown", "alu"], [f"{folder}/kernelslist.g"], {}, f"maniple-tracegen {kind} {folder} {' '.join(keys)}"

    def draw_traces(self, dice, folder):
        """A trace, or one for each of several GPUs."""
        words, rest, environment, made = self.draw_trace(dice, f"{folder}/trace")
        for number in range(dice.choice([0, 0, 0, 1, 2])):
            _, other, _, how = self.draw_trace(dice, f"{folder}/trace{number}")
            rest, made = rest + other, f"{made}; {how}"
        return words, rest, environment, made

    def draw_workload(self, dice, machine, folder):
        recorded = self.recorded.get(self.machines[machine], []) + \
            (self.recorded.get("sm_80", []) if self.machines[machine] in ("sm_86", "sm_89") else [])
        if recorded and dice.random() < 0.3:
            name, path = dice.choice(recorded)
            pathlib.Path(folder).mkdir()
            shutil.copyfile(path, f"{folder}/{name}.cubin")
            words = dice.choice([each for each in self.workloads if each[0] == name])
            return ["app", "run", *words, "--code", "sass"], [], {"MANIPLE_APPS_CODE": folder}, f"{path.name} in {folder}"
        code = "ptxas" if self.has_ptxas and dice.random() < 0.35 else "ptx"
        return ["app", "run", *dice.choice(self.workloads), "--code", code], [], {}, ""

    def draw_program(self, dice):
        name, ranges = dice.choice(PROGRAMS)
        words = [str(dice.choice(each) if isinstance(each, list) else dice.randint(*each)) for each in ranges]
        return ["run", "--cores", str(dice.choice([1, 4, 6, 24, 48]))], \
            ["--", str(ROOT / f"apps/manycore/elf/{name}.elf"), *words], {}, ""

    def draw_common(self, dice, traced):
        """Options that results may depend on, and that both runs have."""
        options = ["--hash"] if dice.random() < 0.3 else []
        options += ["--sample", str(dice.randint(50, 3000))] if dice.random() < 0.15 else []
        options += ["--max-cycles", str(dice.randint(1, 12000))] if dice.random() < 0.2 else []
        options += ["--steady"] if dice.random() < 0.06 else []
        options += ["--values", "needed"] if not traced and dice.random() < 0.06 else []
        return options

    def draw_way(self, dice):
        executor = dice.choice(EXECUTORS)
        way = ["--executor", executor] if executor != "window" else []
        way += ["--threads", str(dice.randint(1, 5))] if executor != "serial" else []
        way += ["--schedule", dice.choice(["cost", "static", "dynamic"])] if executor in ("window", "openmp") else []
        way += ["--window", str(dice.choice([1, 1, 2, 3, 7, 20]))] if dice.random() < 0.45 else []
        return way + (["--no-skip"] if dice.random() < 0.4 else [])

    # ===== running them =====

    def run(self, words, rest, environment):
        return same.Outcome([*words, *rest], environment, LIMIT)

    def reference(self, dice, folder):
        """The first run of a case that is not refused: its command without the way, what follows, and the outcome."""
        machine = dice.choice(list(self.machines))
        gpu = self.machines[machine].startswith("sm_")
        draw = dice.random()
        if not gpu:
            words, rest, environment, made = self.draw_program(dice)
        elif draw < 0.4:
            words, rest, environment, made = self.draw_traces(dice, folder)
        else:
            words, rest, environment, made = self.draw_workload(dice, machine, f"{folder}/code")
        common = self.draw_common(dice, draw < 0.4) if gpu else []
        many, refused = dice.randint(0, 14), 0
        while True:
            sets = [word for pair in self.draw_sets(dice, machine, many).items() for word in ("--set", "{}={}".format(*pair))]
            sets += ["--set", f"gpu.devices={len(rest)}"] if words[0] == "run" and gpu and len(rest) > 1 else []
            fixed = [self.maniple, *words, "--machine", machine, "-q", "--format", "json", *sets, *common]
            outcome = self.run(fixed, rest, environment)
            if not is_refused(outcome) or refused == 6:
                return fixed, rest, environment, made, outcome, refused
            refused += 1
            many //= 2

    def case(self, number_of_case):
        """Runs a case: comparisons, cases refused and given up, and what is wrong with it."""
        dice = random.Random(f"{self.options.seed}/{number_of_case}")
        with tempfile.TemporaryDirectory(prefix="hunt-") as folder:
            fixed, rest, environment, made, expected, refused = self.reference(dice, folder)
            ways = [self.draw_way(dice) for _ in range(WAYS)]
            if self.options.case is not None:
                print(made, expected.shell(), *(" ".join(way) for way in ways), sep="\n")
            if is_refused(expected) or expected.status == 124:
                return 0, refused, expected.status == 124, []
            wrong = []
            if expected.status not in (0, 3):
                wrong.append([f"case {number_of_case}: status {expected.status}", made, expected.shell(), expected.words[-600:]])
            pairs = 0
            for way in ways:
                found = self.run([*fixed, *way], rest, environment)
                if found.status == 124 or any(words in found.words for words in NO_WAY):
                    continue
                pairs += 1
                notes = same.differences(expected, found)
                if notes:
                    wrong.append([f"case {number_of_case}: {len(notes)} differences", made, expected.shell(), found.shell(),
                                  *notes[:8]])
            return pairs, refused, False, wrong

    def all(self):
        start, pairs, refused, long, wrong, next_case = time.monotonic(), 0, 0, 0, 0, 0
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            running = set()
            while True:
                over = pairs >= self.options.pairs or time.monotonic() - start > 60 * self.options.minutes
                while not over and len(running) < self.options.jobs:
                    running.add(pool.submit(self.case, next_case))
                    next_case += 1
                if not running:
                    break
                done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                for each in done:
                    more, no, late, bad = each.result()
                    pairs, refused, long, wrong = pairs + more, refused + no, long + late, wrong + len(bad)
                    for notes in bad:
                        print("\n  ".join(line for line in notes if line), flush=True)
        print(f"seed {self.options.seed}: {pairs} comparisons of {next_case} cases in {time.monotonic() - start:.0f} s; "
              f"{wrong} are wrong; {refused} machines were refused, {long} cases took too long")
        if pairs < self.options.pairs:
            print(f"fewer than {self.options.pairs} comparisons: give more --minutes")
        return wrong > 0 or pairs < self.options.pairs


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    for name, default in [("seed", 1), ("pairs", 1000), ("minutes", 15), ("case", None), ("jobs", 2)]:
        parser.add_argument(f"--{name}", type=int, default=default)
    hunt = Hunt(parser.parse_args())
    if hunt.options.case is None:
        return hunt.all()
    pairs, _, _, wrong = hunt.case(hunt.options.case)
    for notes in wrong:
        print("\n  ".join(line for line in notes if line))
    print(f"{pairs} comparisons, {len(wrong)} are wrong")
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
