#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""libmaniple gives what `maniple run` gives: each statistic of the run and of each kernel, the state hash, the files, and the
errors. Usage: library.py MANIPLE TRACEGEN CLIENT HEADER ELF_FOLDER"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

MANIPLE, TRACEGEN, CLIENT, HEADER, ELF = (pathlib.Path(word).resolve() for word in sys.argv[1:6])


def call(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)


def wanted(statistics):
    """The lines of the client for statistics as JSON has them."""
    lines = []
    for name, entry in statistics.items():
        value = entry["value"]
        if name.endswith("_per_unit") or isinstance(value, dict):
            continue
        if isinstance(value, list):
            lines.append(" ".join([name, *map(str, value)]))
        else:
            text = value if isinstance(value, str) else f"{value:.6f}" if isinstance(value, float) else str(value)
            lines.append(f"{name} {text} {entry['unit']}")
    return lines


def matches(got, want):
    """Whether lines are those that are wanted, which say less."""
    return len(got) == len(want) and all(one == other or one.startswith(other + " ") for one, other in zip(got, want))


def compare(what, work, machine, source, *options, program=None):
    """A run by the client, and one by the command."""
    words = ["--", source, *(program or [])] if program is not None else [source]
    sets = [word for key in options for word in ("--set", key)]
    by_command = json.loads(call(MANIPLE, "run", "-q", "--machine", machine, *sets, "--format", "json", *words).stdout)
    given = ["--arguments", " ".join(program)] if program else []
    keys = [word for key in options for word in ("--key", key)]
    done = call(CLIENT, machine, source, *keys, *given, "--threads", "2", "--save", work / "saved")
    lines = done.stdout.splitlines()
    hash_of = by_command["total"]["hash"]
    ok(done.returncode == 0 and lines[0] == f"end 0 status 0 hash {hash_of} report no", f"{what}: end and state hash {lines[:1]} {done.stderr[:200]}")
    sections = "\n".join(lines[1:]).split("\nkernel ")
    ok(matches(sections[0].splitlines(), wanted(by_command["total"]["statistics"])), f"{what}: all statistics of the run")
    kernels = [section.splitlines() for section in sections[1:]]
    ok(len(kernels) == len(by_command["kernels"]) and
       all(lines[0] == kernel["name"] and matches(lines[1:], wanted(kernel["statistics"]))
           for lines, kernel in zip(kernels, by_command["kernels"])), f"{what}: {len(kernels)} kernels with theirs")
    saved = json.loads((work / "saved" / "results.json").read_text())
    ok(all(saved[part] == by_command[part] for part in ("machine", "kernels", "total")), f"{what}: results.json")
    report = call(MANIPLE, "report", work / "saved")
    ok(report.returncode == 0 and "Time" in report.stdout, f"{what}: a report reads the folder")
    return done


def errors(trace):
    for words, status, word in (
            (["nope", trace], 2, "there is no machine"),
            (["rtx3070", "/nowhere/list"], 2, "/nowhere/list"),
            (["rtx3070", trace, "--key", "sm.cuont=3"], 2, "sm.count"),
            (["rtx3070", trace, "--threads", "100000"], 2, "maniple_work.threads is 100000; give 1 to 1024"),
            (["rtx3070", trace, "--key", "sm.count=0"], 2, "sm.count"),
            (["rtx3070", ELF / "ep.elf"], 2, "maniple run"),
            (["manycore-2", trace], 2, "takes no traces of kernels"),
            (["rtx3070", trace, "--old", "4"], 2, "MANIPLE_WORK"),
            (["rtx3070", trace, "--old", "100000"], 2, "MANIPLE_WORK"),
            (["rtx3070", trace, "--save", "/proc/none/here"], 2, "/proc/none")):
        done = call(CLIENT, *words)
        ok(done.returncode == status and word in done.stderr and "--set" not in done.stderr, f"{' '.join(map(str, words[:4]))}: {done.stderr.strip()[:70]}")


def ends(trace):
    done = call(CLIENT, "rtx3070", trace, "--max-cycles", "2000")
    ok(done.stdout.startswith("end 1 "), "a run that is stopped at a cycle")
    done = call(CLIENT, "rtx3070", trace, "--end")
    ok(done.stdout.startswith("end 4 "), "a run that its caller ends")
    done = call(CLIENT, "manycore-1", ELF / "wrong.elf", "--key", "tile.count=9", "--arguments", "1")
    ok(done.stdout.startswith("end 3 ") and "report yes" in done.stdout.splitlines()[0], "a livelock, with its report")
    done = call(CLIENT, "rtx3070", trace, "--old", "16")
    ok(done.returncode == 0 and done.stdout.startswith("end 0 "), "a program with a smaller struct")


def warnings(trace):
    done = call(CLIENT, "a100", trace)
    ok("warning: the trace is of sm_86, the machine a100 is sm_80" in done.stderr, "warnings come to the caller")


def numbers(trace):
    for key, want in (("sm.count", "1 46"), ("l2.slice.size", "1 131072"), ("latency.clock.core", "1 1132000000"), ("sm.nothing", "0 0"),
                      ("sm", "0 0"), ("machine.description", "0 0")):
        done = call(CLIENT, "rtx3070", trace, "--number", key)
        ok(done.stdout.startswith(want), f"the number of {key}: {done.stdout.strip()}")


def languages(work):
    for compiler, language, flags in (("cc", "c", ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]),
                                      ("c++", "c++", ["-std=c++20", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror"])):
        if not shutil.which(compiler):
            continue
        source = work / f"header.{'c' if language == 'c' else 'cc'}"
        source.write_text(f'#include "{HEADER}"\nstruct maniple_work work = {{MANIPLE_WORK}};\nint main(void) {{ return work.size == 0; }}\n')
        done = call(compiler, *flags, "-fsyntax-only", source)
        ok(done.returncode == 0, f"the header is {language} {done.stderr[:200]}")


with tempfile.TemporaryDirectory() as name:
    place = pathlib.Path(name)
    call(TRACEGEN, "multi", place / "trace", "arch=86")
    listed = place / "trace" / "kernelslist.g"
    compare("a trace", place, "rtx3070", listed, "sm.count=8")
    done = compare("a program", place, "manycore-2", ELF / "fft.elf", "tile.count=16", program=["64"])
    ok("right on 16 cores" in done.stderr, "what the program writes comes to the caller")
    errors(listed)
    ends(listed)
    warnings(listed)
    numbers(listed)
    languages(place)
sys.exit(finish())
