#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots between kernels: a run that is taken up again has the results of one that never stopped, byte by byte but for
"run", whatever executes either half; and snapshots that do not fit are refused. Usage: snapshot.py MANIPLE TRACEGEN ELF"""
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

sys.dont_write_bytecode = True
import sealed  # noqa: E402

maniple, tracegen, elf = (str(pathlib.Path(a).resolve()) for a in sys.argv[1:4])
work = pathlib.Path(tempfile.mkdtemp())
os.environ["XDG_STATE_HOME"] = str(work / "state")


def make_traces():
    """A list of six launches of three kernels with copies between them, and one in which streams run side by side."""
    lines = []
    for name, kind, options in (("a", "vectoradd", ["n=8192"]), ("b", "atomics", ["blocks=8"]),
                                ("c", "gather", ["blocks=8", "rounds=2"])):
        folder = work / name
        subprocess.run([tracegen, kind, folder, *options], check=True, stdout=subprocess.DEVNULL)
        text = (folder / "kernel-1.traceg").read_text()
        (work / f"{name}.traceg").write_text(text)
        (work / f"{name}2.traceg").write_text(re.sub(r"(-cuda stream id = )\d+", r"\g<1>7", text))
        lines += [f"MemcpyHtoD,0x7f1000000{'abc'.index(name)}00,4096", f"{name}.traceg"]
    (work / "kernelslist.g").write_text("\n".join(lines + lines) + "\n")
    (work / "beside.g").write_text("\n".join(["a.traceg", "b2.traceg", "c.traceg", "a2.traceg", "c2.traceg", "b.traceg"]) + "\n")
    subprocess.run([maniple, "convert", work / "kernelslist.g", "-o", work / "packed.mtrace"], check=True, capture_output=True)


def run(*words, status=0):
    done = subprocess.run([maniple, "run", "-q", "--machine", "rtx2060", *map(str, words)], capture_output=True, text=True)
    return done if done.returncode == status else ok(False, f"status {status}: {' '.join(map(str, words))}", done.stderr)


def results(*words):
    got = json.loads(run("--format", "json", *words).stdout)
    del got["run"]
    return got


def ends_without(*words):
    """How the results end of a run that has not taken the snapshot that was asked for; None: it has taken it."""
    done = subprocess.run([maniple, "run", "-q", "--machine", "rtx2060", "--format", "json", *map(str, words)], capture_output=True,
                          text=True)
    return json.loads(done.stdout)["total"]["end"] if done.returncode == 2 and "no snapshot was taken" in done.stderr else None


def refused(name, pattern, *words):
    done = subprocess.run([maniple, "run", "-q", *map(str, words)], capture_output=True, text=True)
    ok(done.returncode == 2 and re.search(pattern, done.stderr) and not done.stdout, name, f"{done.returncode} {done.stderr}")


make_traces()
kept = work / "kept"
ways = (["--threads", 1], ["--threads", 2], ["--executor", "serial", "--no-skip"], ["--executor", "lockstep", "--threads", 2],
        ["--window", 5, "--threads", 2])
for trace, options in (("kernelslist.g", []), ("packed.mtrace", ["--set", "memcpy_warms_l2=true"]),
                       ("kernelslist.g", ["--kernels", "2-6", "--set", "launch.flush_l2=true"]), ("beside.g", [])):
    whole = results(work / trace, *options)
    for at in range(1, 6):
        first, second = ways[at % len(ways)], ways[(2 * at + 1) % len(ways)]
        words = ["--snapshot", kept, "--snapshot-at", at, *first, *options, work / trace]
        if trace == "beside.g" and (untaken := ends_without(*words)):
            ok(untaken == "finished", f"{trace}: no snapshot behind launch {at} is status 2, beside whole results", untaken)
            continue # kernels ran side by side to the end
        part = results(*words)
        rest = results("--resume", kept, *second, *options, work / trace)
        ok(part["total"]["end"] == "snapshot" and part["kernels"] == whole["kernels"][:len(part["kernels"])]
           and len(part["kernels"]) < len(whole["kernels"]) and rest == whole,
           f"{trace} {' '.join(options)}: behind launch {at}, {len(part['kernels'])} kernels and the others", part["total"]["end"])

whole = results(work / "kernelslist.g")
ok(results("--snapshot", kept, work / "kernelslist.g") == whole, "keeping snapshots changes nothing")
hashes = [line for line in run("--hash", work / "kernelslist.g").stdout.splitlines() if line.startswith("epoch")]
run("--snapshot", kept, "--snapshot-at", 3, work / "kernelslist.g")
later = [line for line in run("--hash", "--resume", kept, work / "kernelslist.g").stdout.splitlines() if line.startswith("epoch")]
ok(0 < len(later) < len(hashes) and hashes[-len(later):] == later, "epochs behind it have the hashes of the whole run", later[:2])
limit = whole["kernels"][0]["statistics"]["gpu_sim_cycle"]["value"] + 100
run("--snapshot", kept, "--max-cycles", limit, work / "kernelslist.g", status=3)
ok(results("--resume", kept, work / "kernelslist.g") == whole, "a run stopped by a limit goes on from its last snapshot")

# ===== some launches of a trace, by two names =====
for words, expected in (("from:atomic to:gather", [2, 3, 5, 6]), ("from:gather", [3, 4, 5, 6]), ("1,from:gather to:add", [1, 3, 4, 6])):
    names = [kernel["name"] for kernel in whole["kernels"]]
    words = words.replace("atomic", names[1]).replace("gather", names[2]).replace("add", names[0])
    got = [kernel["id"] for kernel in results("--kernels", words, work / "kernelslist.g")["kernels"]]
    ok(got == expected, f"--kernels '{words}'", got)

# ===== what does not fit =====
run("--snapshot", kept, "--snapshot-at", 3, work / "kernelslist.g")
trace = [work / "kernelslist.g"]
refused("no snapshot", "there is no snapshot in it: a run leaves one", "--resume", work, "--machine", "rtx2060", *trace)
refused("another machine", "of another machine .rtx2060.* --machine .*kept/machine.resolved", "--resume", kept, "--machine",
        "rtx3070", *trace)
refused("another value", "rtx2060 with other values", "--resume", kept, "--machine", "rtx2060", "--set", "sm.ctas=8", *trace)
refused("another input", "of another input .*kernelslist.g", "--resume", kept, "--machine", "rtx2060", work / "beside.g")
refused("other launches", "without --kernels: go on with the same", "--resume", kept, "--machine", "rtx2060", "--kernels", "1-5",
        *trace)
ok(results("--machine", kept / "machine.resolved", "--resume", kept, *trace)["kernels"] == whole["kernels"],
   "the machine beside it is the one")
whole_file = (kept / "snapshot").read_bytes()
place = whole_file.index(b"rtx2060") - 20
other = bytearray(whole_file)
other[place] ^= 1
(kept / "snapshot").write_bytes(other)
refused("a changed byte", "is damaged or cut short: take it again", "--resume", kept, "--machine", "rtx2060", *trace)
for length in (0, 10, 100, len(whole_file) // 2, len(whole_file) - 1):
    (kept / "snapshot").write_bytes(whole_file[:length])
    refused(f"cut at {length} bytes", "is damaged or cut short|is not a snapshot of this version", "--resume", kept, "--machine",
            "rtx2060", *trace)

# ===== crafted ones: every hash is right, and the seal where it is said =====
snapshot = sealed.Snapshot(whole_file)
key = sealed.key_of_user()
resume = ["--resume", kept, "--machine", "rtx2060", *trace]


def crafted(name, pattern, with_key=key, **changes):
    one = sealed.Snapshot(whole_file)
    for field, value in changes.items():
        setattr(one, field, value)
    (kept / "snapshot").write_bytes(one.bytes(with_key))
    refused(name, pattern, *resume)


def numbers_at(place, *numbers):
    """The state with other numbers there."""
    return snapshot.state[:place] + struct.pack(f"<{len(numbers)}Q", *numbers) + snapshot.state[place + 8 * len(numbers):]


damaged = "kept/snapshot: the snapshot is damaged or cut short: take it again"
(kept / "snapshot").write_bytes(snapshot.bytes(key))
ok(results(*resume[:2], *trace) == whole, "one that is put together again is the same")
crafted("of somebody else", "kept/snapshot: the snapshot is not one that you have taken: .*snapshot.key", (1, 2))
for length in (2 ** 64 - 1, 2 ** 63, 2 ** 40, len(snapshot.state) + 1, len(snapshot.state) - 1, 0):
    crafted(f"{length} bytes unpacked", damaged, length=length)
for packed in (2 ** 64 - 1, 2 ** 63, 0, 7):
    crafted(f"{packed} bytes packed", damaged, packed=packed)
crafted("no frame", damaged, frame=b"none" * 10)
crafted("launch 2^32", damaged, launch=2 ** 32)
state = "kept: the snapshot is (damaged|cut short|of another machine)"
for part in (0, 1):
    for number in (2 ** 64 - 1, 2 ** 32, 2 ** 63):
        crafted(f"{number} in place {part} of the state", state, state=numbers_at(8 * part, number))
engine = snapshot.state.index(b"maniple state 1")
for place, what in enumerate(("units", "links", "epoch", "memories", "now")):
    crafted(f"other {what}", state, state=numbers_at(engine + 16 + 8 * place, 12345678901))
for launches in (2 ** 64 - 1, 1000):
    crafted(f"{launches} launches and copies", "kept: the snapshot is of more launches and copies than there are",
            state=snapshot.state[:-8] + struct.pack("<Q", launches))
for length in (0, 8, engine + 10, len(snapshot.state) // 2, len(snapshot.state) - 1):
    crafted(f"a state cut at {length} bytes", state, state=snapshot.state[:length])
noise, bad = random.Random(5), []
for turn in range(int(os.environ.get("MANIPLE_TEST_TURNS", 25))): # numbers of parts, of what was counted, and of the engine
    changed = bytearray(snapshot.state)
    for _ in range(noise.randrange(1, 5)):
        at = noise.randrange(0, engine + 64, 8)
        changed[at:at + 8] = noise.choice((0, 1, 255, 2 ** 31, 2 ** 32 - 1, 2 ** 63, 2 ** 64 - 1, noise.randrange(2 ** 64))).to_bytes(8, "little")
    one = sealed.Snapshot(whole_file)
    one.state = bytes(changed)
    (kept / "snapshot").write_bytes(one.bytes(key))
    done = subprocess.run([maniple, "run", "-q", *map(str, resume)], capture_output=True, text=True, errors="replace")
    if done.returncode not in (0, 2) or "ERROR: " in done.stderr:
        bad.append((turn, done.returncode, done.stderr[-400:]))
ok(not bad, "changed numbers are refused, or counted", bad[:3])
(pathlib.Path(os.environ["XDG_STATE_HOME"]) / "maniple" / "snapshot.key").chmod(0o644)
(kept / "snapshot").write_bytes(whole_file)
refused("a key that others can read", "snapshot.key: this is no key that only you can read", *resume)
refused("behind the last launch", "nothing follows that launch", "--snapshot", kept, "--snapshot-at", 6, *trace)
refused("nowhere to keep it", "add --snapshot DIR", "--snapshot-at", 1, *trace)
refused("relaxed", "executor relaxed has no snapshots; use window", "--snapshot", kept, "--executor", "relaxed:500", *trace)
refused("a mesh", "not a machine of kind", "--snapshot", kept, "--cores", 4, "--", elf)
sys.exit(finish())
