# SPDX-License-Identifier: BSD-3-Clause
"""What is simulated in the runs of the pages: the same on every host, kept in figures.csv when pages are written, and simulated
again by tests, so that a page whose figures no longer come out is noticed."""
import csv
import os
import pathlib
import tempfile

import runs

FILE = pathlib.Path(__file__).with_name("figures.csv")
FIELDS = ("page", "command", "figures")


def is_kept(command):
    """One run of each kind of results: those on several threads and in single cycles have the bytes of `serial`."""
    words = command.words
    if command.kind != "run" or command.policy() or command.turn:
        return False
    if "--executor" in words:
        return words[words.index("--executor") + 1].startswith(("serial", "relaxed")) and "--window" not in words
    return "--threads" not in words or words[words.index("--threads") + 1] == "1"


def text_of(statistics):
    return " ".join(f"{name}={statistics[name]}" for name in runs.STATISTICS if name in statistics)


def load():
    if not FILE.exists():
        return []
    with open(FILE, newline="", encoding="utf-8") as source:
        return list(csv.DictReader(source))


def keep(page, find, commands):
    """Replaces the rows of a page by those of its runs, as far as they have been made."""
    rows = [row for row in load() if row["page"] != page]
    for command in dict.fromkeys(commands):
        result = find(command) if is_kept(command) else None
        if result and "failed" not in result:
            rows.append({"page": page, "command": command.text(), "figures": text_of(result["statistics"])})
    rows.sort(key=lambda row: row["page"])
    with tempfile.NamedTemporaryFile("w", dir=FILE.parent, delete=False, newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.chmod(out.name, 0o644)
    os.replace(out.name, FILE)


def check(runner, words):
    """Simulates the rows again that have all of the words; prints what differs. False: something does, or there are none."""
    rows = [row for row in load() if all(word in f"{row['page']} {row['command']}" for word in words)]
    different = []
    for row in rows:
        with tempfile.TemporaryDirectory() as folder:
            results = runner.run(row["command"].split()[1:], folder)
        if "failed" in results:
            different.append(f"{row['command']}: {results['failed']}")
            continue
        statistics = results["total"]["statistics"]
        made = text_of({name: statistics[name]["value"] for name in runs.STATISTICS if name in statistics})
        if made != row["figures"]:
            different.append(f"{row['command']}: {made}, the pages have {row['figures']}")
    print("\n".join(different + [f"{len(rows)} runs of pages simulated again, {len(different)} differences"]))
    return bool(rows) and not different
