#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program that is to go on from a damaged snapshot, whose hash and seal are right, ends with status 2 and a sentence, whatever is
wrong: nothing of its state is left for the exit handler to report. Usage: damaged_snapshot.py MANIPLE PROGRAM SNAPSHOT-TOOLS"""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

sys.dont_write_bytecode = True
maniple, program = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
sys.path.insert(0, sys.argv[3])
import sealed  # noqa: E402

work = pathlib.Path(tempfile.mkdtemp())
os.environ["XDG_STATE_HOME"] = str(work / "state")


def run(*words):
    return subprocess.run([maniple, "run", "-q", "--machine", "rtx2060", "--threads", "1", *map(str, words), "--", program],
                          capture_output=True, text=True, errors="replace", cwd=work)


made = run("--snapshot", "kept", "--snapshot-at", "2")
file = work / "kept" / "snapshot"
whole = sealed.Snapshot(file.read_bytes())
key = sealed.key_of_user()
ok(made.returncode == 0, "a snapshot", made.stderr)


def damaged(name, state):
    one = sealed.Snapshot(file_bytes)
    one.state = state
    file.write_bytes(one.bytes(key))
    shutil.rmtree(work / "rest", ignore_errors=True)
    done = run("--resume", "kept", "-o", "rest")
    ok(done.returncode == 2 and "maniple: error: " in done.stderr and not (work / "rest" / "results.json").exists(), name,
       done.returncode, done.stderr)


def with_number(place, number):
    return whole.state[:place] + struct.pack("<Q", number) + whole.state[place + 8:]


file_bytes = file.read_bytes()
done = run("--resume", "kept", "-o", "good")
ok(done.returncode == 0, "it is good", done.stderr)
engine = whole.state.index(b"maniple state 1")
for length in (0, 8, 100, engine, engine + 100, len(whole.state) // 2, len(whole.state) - 1):
    damaged(f"cut at {length} bytes", whole.state[:length])
damaged("bytes behind its end", whole.state + b"more")
operations = struct.unpack_from("<Q", whole.state, 8)[0]
before = 16 + 32 * operations + 24 # behind the hashes
numbers = engine - 16
for place, name in ((0, "calls"), (8, "kernels"), (before, "the streams' time"), (engine + 16, "units"), (engine + 24, "links"),
                    (engine + 48, "the engine's time"), (len(whole.state) - 8, "commands")):
    for number in (2 ** 64 - 1, 2 ** 63, 2 ** 32 + 1):
        if (name, number) != ("the streams' time", 2 ** 32 + 1):
            damaged(f"{number} for {name}", with_number(place, number))
sys.exit(finish())
