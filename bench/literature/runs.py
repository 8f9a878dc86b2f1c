# SPDX-License-Identifier: BSD-3-Clause
"""Commands of the reproduction, run once and kept.

A command is described (Command), run (Runner.make), and its result kept as one small JSON file, named after a hash of the
command, with the version of the sources, host, date, load and CPU seconds in it. So an interrupted reproduction goes on
where it was, and the pages can be written anew without a run. A result of other sources is made again, unless told to be
taken (--kept).
"""
import dataclasses
import datetime
import hashlib
import json
import os
import pathlib
import platform
import statistics
import struct
import subprocess
import tempfile
import time

import functional

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ("src", "include", "machines", "apps", "meson.build")
THREADS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 15, 16, 24, 32)  # that predictions are made for
ROUNDS = 3  # samples of a time in a session, taken in turn with those of other commands
MARGIN = 1.1  # a range is this much wider than the greatest change that was seen, which the next session may exceed
FEWEST = 20  # commands measured in several sessions, from which on a range is stated of them
BUSY = 0.15  # processors that others use, with which a host counts as quiet
TRUSTED = 0.2  # a prediction is shown if that for two threads is as near to what was measured
# The authors' executors as the authors ran them: OpenMP's threads wait actively, and are bound to processors.
POLICIES = {"openmp": {"OMP_WAIT_POLICY": "active", "OMP_PROC_BIND": "close"}}
STATISTICS = ("gpu_sim_cycle", "gpgpu_n_tot_w_icount", "L1I_total_cache_accesses", "L2_total_cache_accesses",
              "total_dram_reads", "icnt_total_pkts_mem_to_simt", "gpu_sim_insn", "global_cycles", "instructions", "s_events",
              "noc_hops", "instructions_alu", "instructions_multiply", "instructions_load", "instructions_store",
              "instructions_branch", "instructions_synchronisation")


@dataclasses.dataclass(frozen=True)
class Command:
    """A run ("run"), its record of costs with a prediction ("record"), an A32 program in a functional simulator ("qemu",
    "unicorn"), or the keys of a machine ("machine")."""
    kind: str
    words: tuple
    turn: int = 0  # of several runs of the same command
    timed: bool = True  # its time is of interest, not only what is simulated

    def key(self):
        return hashlib.sha256(json.dumps([self.kind, self.words, self.turn]).encode()).hexdigest()[:20]

    def policy(self):
        """Variables of the environment that its executor wants."""
        return POLICIES.get(self.words[self.words.index("--executor") + 1], {}) if "--executor" in self.words else {}

    def text(self):
        """The command as it can be typed."""
        words = " ".join(self.words)
        if self.policy():
            return " ".join(f"{name}={value}" for name, value in self.policy().items()) + f" build/maniple {words}"
        if self.kind == "record":
            return f"build/maniple {words} --costs -o DIR; build/maniple scaling DIR…"
        return {"qemu": "qemu-arm", "unicorn": "bench/literature/unicorn_core.py"}.get(self.kind, "build/maniple") + f" {words}"


def app(words, machine, *options):
    """A run of one of the workloads of apps/gpu; `words` are its name and sizes."""
    return Command("run", ("app", "run", *words.split(), "--machine", machine, *options))


def untimed(words, machine, *options):
    """The same for what is simulated alone."""
    return dataclasses.replace(app(words, machine, *options), timed=False)


def record(words, machine, *options):
    return Command("record", ("app", "run", *words.split(), "--machine", machine, "--threads", "1", *options))


def by_purpose(workloads, first):
    """The commands of several workloads: those of the first purposes, of all of them, before the others."""
    rest = [what for what in workloads[0] if what not in first]
    return [each[what] for what in (*first, *rest) for each in workloads if what in each]


def version_of_sources():
    """A hash over what results can depend on."""
    digest = hashlib.sha256()
    for name in SOURCES:
        path = ROOT / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]


def commit_of_sources():
    """The last commit that changed what results can depend on; with a plus where there are changes behind it, empty without git."""
    try:
        def git(*words):
            return subprocess.run(["git", "-C", str(ROOT), *words, "--", *SOURCES], capture_output=True, text=True, check=True).stdout
        commit = git("log", "-1", "--format=%h", "--abbrev=8").strip()
        return commit + "+" if commit and git("status", "--porcelain").strip() else commit
    except (OSError, subprocess.CalledProcessError):
        return ""


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def compiler(build):
    """What built it: the first line that the compiler of the build says of itself, and the kind of build."""
    try:
        with open(f"{build}/meson-info/intro-targets.json", encoding="utf-8") as file:
            words = next(source["compiler"] for target in json.load(file) for source in target["target_sources"]
                         if source.get("language") == "c")
        said = subprocess.run([words[-1], "--version"], capture_output=True, text=True, check=True).stdout
        with open(f"{build}/meson-info/intro-buildoptions.json", encoding="utf-8") as file:
            kind = next(option["value"] for option in json.load(file) if option["name"] == "buildtype")
        return f"{said.splitlines()[0]}, {kind}"
    except (OSError, KeyError, StopIteration, ValueError, IndexError, subprocess.CalledProcessError):
        return "an unknown compiler"


def host(build):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} processors ({processor()}), {memory:.0f} GiB, {platform.system()}; {compiler(build)}"


def use_of_processors(seconds=0.3):
    """Processors that are in use, by whomever."""
    def look():
        with open("/proc/stat", encoding="utf-8") as file:
            times = [int(word) for word in file.readline().split()[1:9]]
        return sum(times) - times[3] - times[4]
    before = look()
    time.sleep(seconds)
    return (look() - before) / os.sysconf("SC_CLK_TCK") / seconds


class Runner:
    def __init__(self, build, folder, records, kept, wait=600, session=None):
        """`wait`: seconds for which all runs together wait for a quiet host; without one no time is kept. `session`: a name under
        which all times are measured once more; None: what has its samples is not."""
        self.build, self.folder, self.records, self.kept, self.wait = build, pathlib.Path(folder), records, kept, wait
        self.session, self.changes = session, None
        self.version, self.commit = version_of_sources(), commit_of_sources()
        self.looked = (0, None)  # when the use of the processors was last measured, and what it was
        self.folder.mkdir(parents=True, exist_ok=True)

    def find(self, command):
        """The kept result, or None."""
        try:
            result = json.loads((self.folder / f"{command.key()}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return result if self.kept or result["version"] == self.version else None

    def find_with_range(self, command):
        """The kept result, with the range in which its time comes out again, as far as sessions tell it."""
        result = self.find(command)
        if result and command.kind == "record":
            result["again"] = self.factor("predictions")
        if result and result.get("wall_range"):
            factor = self.factor(kind_of_threads(command.words))
            result["again"] = factor
            if factor:
                result["wall_range"] = [result["wall"] / factor, result["wall"] * factor]
        return result

    def factor(self, kind):
        """By how much times may differ between the medians of two sessions, on one thread, on several, or on OpenMP's, or of all
        "predictions" the speed-ups: the greatest change seen and MARGIN; None where there are too few to tell."""
        if self.changes is None:
            self.changes = {}
            for path in self.folder.glob("*.json"):
                result = json.loads(path.read_text(encoding="utf-8"))
                if (change := between_sessions(result.get("samples", []))) is not None:
                    self.changes.setdefault(kind_of_threads(result["command"].split()), []).append(change)
                self.changes.setdefault("predictions", []).extend(between_records(result))
        changes = self.changes.get(kind, [])
        return MARGIN * max(changes) if len(changes) >= FEWEST else None

    def look(self):
        """The processors that others use, which the end of one run says for the beginning of the next."""
        when, used = self.looked
        if time.monotonic() - when > 0.5:
            used = use_of_processors()
            self.looked = (time.monotonic(), used)
        return used

    def wait_for_quiet(self):
        """Returns the processors that others use; as long as that is too much it waits, up to what is left of `wait`."""
        while (used := self.look()) > BUSY and self.wait > 0:
            began = time.monotonic()
            time.sleep(5)
            self.wait -= time.monotonic() - began
        return used

    def needs(self, command, turn=0):
        """Whether there is no result yet, or a time that has no more than `turn` samples of a quiet host."""
        found = self.find(command)
        if not found or "failed" in found:
            return turn == 0
        if command.kind == "record":
            fresh = found.get("quiet") and self.session in (None, found.get("session"))
            return not fresh and turn == 0 and self.may_be_quiet()
        if command.kind == "run" and not command.timed:  # it is compared with runs of the present sources, and needs no quiet host
            return found["version"] != self.version and turn == 0
        return command.kind == "run" and self.samples(found) <= turn and self.may_be_quiet()

    def samples(self, found):
        """Times of a quiet host, of the session at hand if there is one."""
        return sum(sample["quiet"] and self.session in (None, sample.get("session")) for sample in found.get("samples", []))

    def lacks(self, command):
        """Whether it has a time, and fewer samples of a quiet host than are wanted."""
        return command.kind == "run" and command.timed and self.samples(self.find(command) or {}) < ROUNDS

    def may_be_quiet(self):
        return self.wait > 0 or self.look() <= BUSY

    def estimate(self, command):
        """Seconds that a command took last time, on whatever sources."""
        try:
            return json.loads((self.folder / f"{command.key()}.json").read_text(encoding="utf-8"))["took"]
        except (OSError, ValueError, KeyError):
            return 5

    def make(self, command):
        """Runs a command and keeps what came of it; a failure is kept, too, with its words, until the next call."""
        earlier, before = self.find(command), self.wait_for_quiet() if command.timed or command.kind == "record" else 0
        began, used = time.monotonic(), os.times()
        made = {"run": self.make_run, "record": self.make_record, "machine": self.make_machine,
                "qemu": lambda one: functional.make_qemu(one.words),
                "unicorn": lambda one: functional.make_unicorn(one.words)}[command.kind](command)
        now, after = os.times(), 0
        if command.kind == "record" or (command.kind == "run" and command.timed):
            self.looked = (0, None)
            after = self.look()
        if command.kind == "run" and command.timed and "failed" not in made:
            self.add_sample(made, earlier or {}, before, after)
        self.changes = None
        made["quiet"] = max(before, after) <= BUSY
        if command.kind == "record":
            made.update(session=self.session, before=(earlier or {}).get("rows") if (earlier or {}).get("quiet") else None)
        made.update(version=self.version, commit=self.commit, command=command.text(), host=host(self.build), load=round(os.getloadavg()[0], 1),
                    when=datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
                    took=round(time.monotonic() - began, 2), records=self.records,
                    cpu=round(now.children_user + now.children_system - used.children_user - used.children_system, 3))
        with tempfile.NamedTemporaryFile("w", dir=self.folder, delete=False, encoding="utf-8") as file:
            json.dump(made, file, indent=1)
        os.replace(file.name, self.folder / f"{command.key()}.json")
        return made

    def add_sample(self, made, earlier, before, after):
        """Adds the time of a run to those of the same command; the median of those of a quiet host counts, None: there are none.
        Times of other sources count as long as what is simulated is the same."""
        if earlier.get("version") == self.version and earlier.get("all", made["all"]) != made["all"]:
            made["failed"] = "two runs of the same command gave different results"
        samples = earlier.get("samples", []) if earlier.get("statistics") == made["statistics"] else []
        quiet = max(before, after) <= BUSY
        made["samples"] = samples + [{"wall": made["wall"], "cpu_seconds": made["cpu_seconds"], "quiet": quiet, "session": self.session}]
        for what in ("wall", "cpu_seconds"):
            values = [sample[what] for sample in made["samples"] if sample["quiet"]]
            made[what] = statistics.median(values) if values else None
            made[f"{what}_range"] = [min(values), max(values)] if values else None

    def run(self, words, folder, policy=None):
        """A run of maniple into a folder; its results, or the words of the failure. A program goes behind the options."""
        at = words.index("--") if "--" in words else len(words)
        done = subprocess.run([f"{self.build}/maniple", *words[:at], "-q", "-o", folder, *words[at:]], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, env=dict(os.environ, **(policy or {})),
                              cwd=ROOT, check=False)
        try:
            with open(f"{folder}/results.json", encoding="utf-8") as file:
                results = json.load(file)
        except (OSError, ValueError):
            results = None
        if "No space left on device" in done.stderr:
            raise OSError(28, "No space left on device")
        if done.returncode or not results:
            said = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()
            return {"failed": f"status {done.returncode}: {said[-1][:200]}"}
        return results

    def make_run(self, command):
        words = list(command.words)
        if "translation" in words:  # what is not translated yet is compiled before, so that this is in no figure
            at = words.index("--")
            subprocess.run([f"{self.build}/maniple", *words[:at], "-q", "--max-cycles", "1", *words[at:]], cwd=ROOT,
                           check=False, stdin=subprocess.DEVNULL, capture_output=True)
        with tempfile.TemporaryDirectory() as folder:
            results = self.run(words, folder, command.policy())
        if "failed" in results:
            return results
        statistics, run = results["total"]["statistics"], results["run"]
        whole = json.dumps([results.get("kernels"), results["total"]], sort_keys=True)
        return {"statistics": {name: statistics[name]["value"] for name in STATISTICS if name in statistics},
                "all": hashlib.sha256(whole.encode()).hexdigest(), "hash": results["total"]["hash"],
                "wall": run["wall_seconds"], "cpu_seconds": run["cpu_seconds"], "windows": run.get("windows", 0),
                "peak": run["peak_memory_bytes"],
                "grids": [k["grid"][0] * k["grid"][1] * k["grid"][2] for k in results.get("kernels", []) if "grid" in k]}

    def make_record(self, command):
        with tempfile.TemporaryDirectory() as work:  # `maniple scaling` measures the executors' meetings on this host

            folders = [f"{work}/{i}" for i in range(self.records)]
            for folder in folders:
                results = self.run([*command.words, "--costs"], folder)
                if "failed" in results:
                    return results
            done = subprocess.run([f"{self.build}/maniple", "scaling", *folders, "-t", ",".join(map(str, THREADS))],
                                  capture_output=True, text=True, check=False)
            if done.returncode:
                return {"failed": done.stderr.strip()[-200:]}
            rows = [line.split() for line in done.stdout.splitlines()]
            shares, program = profile([f"{folder}/costs.bin" for folder in folders])
            return {"shares": shares, "program": program, "windows": results["run"]["windows"],
                    "hash": results["total"]["hash"],
                    "rows": {f"{row[0]} {row[2]}": [float(row[3]), float(row[7])] for row in rows
                             if len(row) >= 9 and row[1] == "1" and row[2].isdigit()}}

    def make_machine(self, command):
        """The keys of a machine with their values."""
        done = subprocess.run([f"{self.build}/maniple", *command.words], capture_output=True, text=True, check=False)
        if done.returncode:
            return {"failed": done.stderr.strip()[-200:]}
        groups, keys = [], {}
        for line in done.stdout.splitlines():
            words = line.split("//")[0].strip()
            if words.endswith("{"):
                groups.append(words.split(":")[0])
            elif words.startswith("}"):
                groups.pop()
            elif " = " in words:
                name, value = words.rstrip(";").split(" = ", 1)
                keys[".".join([*groups, name])] = value
        return {"keys": keys}


def kind_of_threads(words):
    """What a command runs on, by which its time is disturbed more or less."""
    if "openmp" in words:
        return "OpenMP's threads"
    return "several" if "--threads" in words and words[words.index("--threads") + 1] != "1" else "one thread"


def between_sessions(samples):
    """By how much the medians of the sessions of a command differ, at least 1; None where there is but one."""
    sessions = {}
    for sample in samples:
        if sample["quiet"]:
            sessions.setdefault(sample.get("session"), []).append(sample["wall"])
    times = [statistics.median(walls) for walls in sessions.values() if len(walls) >= ROUNDS]
    return max(times) / min(times) if len(times) > 1 else None


def between_records(result):
    """By how much predicted speed-ups over one thread differ between a record and that of the session before, at least 1 each."""
    now, before = result.get("rows"), result.get("before")
    if not (now and before and result.get("quiet")):
        return []
    shown = {row.split()[0] for _, row, _ in TWO.values()}
    speeds = [(rows["cost 1"][0] / rows[row][0] for rows in (now, before))
              for row in now if row in before and row.split()[0] in shown and row != "cost 1"]
    return [max(pair) / min(pair) for pair in map(tuple, speeds)]


# ===== what units took =====

HEAD, UNIT = struct.Struct("=8sIIQQQ"), struct.Struct("=32sIHH")
PROGRAM = 1e6  # nanoseconds: between two windows only the program itself takes longer, between its launches


class Record:
    """A record of what units took (src/results/scaling/costs.h), window by window."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        _, count, _, self.windows, self.ticks, self.nanoseconds = HEAD.unpack_from(data)
        names = [UNIT.unpack_from(data, HEAD.size + i * UNIT.size)[0].split(b"\0")[0].decode() for i in range(count)]
        self.kinds = [name.rstrip("0123456789 ") for name in names]
        self.words = memoryview(data)[HEAD.size + count * UNIT.size:].cast("I")

    def __iter__(self):
        at = 0
        for _ in range(self.windows):
            end = at + 3 + 2 * self.words[at]
            yield self.words[at + 1], self.words[at + 3:end:2].tolist(), self.words[at + 4:end:2].tolist()
            at = end


def profile(paths):
    """Of records of the same run: shares of the simulation's time by model of the unit, with what is between; and the seconds of
    the program itself, which are no simulation. The least of the records counts, as in `maniple scaling`."""
    records = [Record(path) for path in paths]
    first = records[0]
    spent, between, program = dict.fromkeys(first.kinds, 0), 0, 0
    most = PROGRAM * first.ticks / first.nanoseconds
    for windows in zip(*records):
        rest = min(window[0] for window in windows)
        if rest > most:
            program += rest
        else:
            between += rest
        for unit, *ticks in zip(windows[0][1], *(window[2] for window in windows)):
            spent[first.kinds[unit]] += min(ticks)
    whole = (sum(spent.values()) + between) or 1
    shares = {kind: value / whole for kind, value in spent.items()}
    return shares, program * first.nanoseconds / first.ticks / 1e9


# ===== what is predicted =====

# The program's own time is left out of all of them: it is the same for every executor, and no simulator's.

def seconds_of(record, row):
    if not record or "failed" in record or row not in record["rows"]:
        return None
    return record["rows"][row][0] - record.get("program", 0)


def predicted(cycles, executor, threads):
    """Seconds of an executor that meets every cycle, of a record of single cycles; None where it is not to be trusted."""
    return seconds_of(cycles, f"{executor} {threads}") if executor in (cycles or {}).get("trusted", ()) else None


def predicted_window(safe, threads):
    return seconds_of(safe, f"cost {threads}") if "window" in (safe or {}).get("trusted", ()) else None


def sequential(result):
    """Seconds of one thread in the windows of a record."""
    return seconds_of(result, "cost 1")


# Runs on two threads, by what they are for: the executor of the prediction that they check, its row, and its record.
TWO = {"lockstep2": ("lockstep", "lockstep 2", "cycles"), "domains2": ("domains", "domains 2", "cycles"),
       "pool2": ("pool", "pool 2", "cycles"), "openmp2": ("openmp", "openmp 2", "cycles"),
       "static2": ("openmp", "openmp 2", "cycles"), "dynamic2": ("openmp-dynamic", "openmp-dynamic 2", "cycles"),
       "window2": ("window", "cost 2", "safe"), **{f"relaxed{n}": ("window", "cost 2", f"late{n}") for n in (64, 256, 1024)}}


def checked(each):
    """The results of a workload by purpose. Predictions of an executor are trusted if that for two threads agrees with what was
    measured; of others none is shown."""
    one, base = sequential(each.get("cycles")), (each.get("cycle") or {}).get("wall")
    for purpose, (executor, row, record) in TWO.items():
        measured_two, seconds = (each.get(purpose) or {}).get("wall"), seconds_of(each.get(record), row)
        if one and base and measured_two and seconds and abs(one / seconds / (base / measured_two) - 1) <= TRUSTED:
            each[record].setdefault("trusted", []).append(executor)
    return each
