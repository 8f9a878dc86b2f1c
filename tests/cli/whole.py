#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A run that is killed while it saves leaves its folder as it was, or with all of its results: it is killed at each call of the
system that changes a folder, one after another (strace), and the folder is looked at from outside. Usage: whole.py MANIPLE TRACEGEN"""
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok, skip  # noqa: E402  pylint: disable=wrong-import-position

MANIPLE, TRACEGEN = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
work = pathlib.Path(tempfile.mkdtemp())
CALLS = "rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,mkdir,symlink,symlinkat,fsync"
FILES = ["machine.resolved", "results.json", "results.sqlite", "stats.txt"]


def skip(why):
    print(f"1..0 # SKIP {why}")
    shutil.rmtree(work)
    sys.exit(0)


def run(folder, ctas, *words, before=()):
    return subprocess.run([*before, MANIPLE, "run", "-q", "--machine", "rtx2060", "--threads", "1", "-o", folder, *words,
                           f"t{ctas}/kernelslist.g"], cwd=work, capture_output=True, text=True)


def state(folder):
    """Which run's results a folder has: the same in each of its files; None: it is empty."""
    folder = work / folder
    if not any((folder / name).exists() for name in FILES + ["samples.csv", "epochs.csv"]):
        return None
    results = json.loads((folder / "results.json").read_text())
    database = sqlite3.connect(folder / "results.sqlite")
    found = {results["run"]["input"], database.execute("SELECT input FROM run").fetchone()[0]}
    database.close()
    if results["total"]["hash"] not in (folder / "stats.txt").read_text():
        found.add("stats.txt of another")
    found.add("samples" if (folder / "samples.csv").exists() else "none")
    return tuple(sorted(found))


def names(folder):
    return sorted(os.listdir(work / folder))


for ctas in (4, 6):
    subprocess.run([TRACEGEN, "vectoradd", work / f"t{ctas}", f"n={ctas * 1024}"], check=True, stdout=subprocess.DEVNULL)
if not shutil.which("strace") or subprocess.run(["strace", "-o", "/dev/null", "true"]).returncode:
    skip("strace is not at hand, or may not be used here")
run("old", 4, "--sample", "100", "--hash")
run("new", 6)
old, new = state("old"), state("new")
ok(old and new and old != new and names("new") == FILES, "two runs whose results differ", old, new, names("new"))


def kill_each(name, fill, expected_before, expected_after, other=()):
    """Kills a run at the first call, at the second, …, until one gets through."""
    wrong, points, seen = [], 0, set()
    for call in CALLS.split(","):
        for when in range(1, 40):
            shutil.rmtree(work / "place", ignore_errors=True)
            (work / "place").mkdir()
            fill(work / "place" / "out")
            done = run("place/out", 6, before=["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                                               f"inject={call}:signal=KILL:when={when}"])
            if done.returncode == 0:
                break
            points += 1
            try:
                found = state("place/out") if (work / "place" / "out").exists() else None
                litter = [each for each in names("place/out") if each not in (*FILES, "samples.csv", "epochs.csv", *other)] \
                    if (work / "place" / "out").exists() else []
            except (OSError, ValueError, sqlite3.Error) as problem:
                found, litter = problem, []
            seen.add(str(found))
            if found not in (expected_before, expected_after) or litter or any(not (work / "place" / "out" / each).exists() for each in other):
                wrong.append((call, when, found, litter))
            done = run("place/out", 6) # and the next one is not disturbed by what is left
            if done.returncode or state("place/out") != expected_after or sorted(names("place/out")) != sorted([*FILES, *other]) or \
                    names("place") != ["out"]:
                wrong.append((call, when, "the next run", done.stderr, names("place"), names("place/out")))
    ok(not wrong and points > 5, f"{name}: killed at {points} places", seen, *wrong)


kill_each("into a folder that is not there", lambda path: None, None, new)
kill_each("in place of older results", lambda path: shutil.copytree(work / "old", path), old, new)


def with_others(path):
    shutil.copytree(work / "old", path)
    (path / "notes.txt").write_text("mine")
    os.symlink("notes.txt", path / "link")


kill_each("beside files of the user's", with_others, old, new, ("notes.txt", "link"))

# ===== where folders cannot be exchanged =====
shutil.rmtree(work / "place")
shutil.copytree(work / "old", work / "place" / "out")
(work / "place" / "out" / "more").mkdir()
(work / "place" / "out" / "more" / "file").write_text("mine")
done = run("place/out", 6)
ok(done.returncode == 0 and json.loads((work / "place/out/results.json").read_text())["run"]["input"] == "t6/kernelslist.g" and
   (work / "place/out/more/file").read_text() == "mine" and names("place") == ["out"], "a folder with folders in it", done.stderr,
   names("place"))
done = subprocess.run([MANIPLE, "run", "-q", "--machine", "rtx2060", "-o", ".", "../../t6/kernelslist.g"], cwd=work / "place/out",
                      capture_output=True, text=True)
ok(done.returncode == 0 and names("place") == ["out"] and "results.json" in names("place/out"), "the working directory", done.stderr)
shutil.rmtree(work)
sys.exit(finish())
