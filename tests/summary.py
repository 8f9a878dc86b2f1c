#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the test cases in meson's logs and prints "N passed, N failed". A case is a line of the Test Anything Protocol,
or a whole program that prints none. Failed tests are named, with their first failed cases. The first argument is the
number of configurations that did not even build."""
import json
import re
import sys

CASE = re.compile(r"^\s*(not )?ok\b(.*)$", re.M)
NOTES, CASES = 5, 3  # of a case that has failed; of a test


def count(entry):
    passed = failed = skipped = 0
    for bad, rest in CASE.findall(entry.get("stdout") or ""):
        if re.search(r"#\s*skip", rest, re.I):  # cmocka writes "not ok 1 # SKIP"
            skipped += 1
        elif bad:
            failed += 1
        else:
            passed += 1
    result = entry["result"]
    if result in ("OK", "EXPECTEDFAIL"):
        passed += passed + failed + skipped == 0
    elif result == "SKIP":
        skipped += passed + failed + skipped == 0
    else:
        failed += failed == 0  # it crashed, ran out of time, or failed without saying where
    return passed, failed, skipped


def failing(entry):
    """Names of the cases that failed, each with the first lines that the test has noted behind it."""
    lines = (entry.get("stdout") or "").splitlines()
    for i, line in enumerate(lines):
        match = CASE.match(line)
        if match and match.group(1) and not re.search(r"#\s*skip", line, re.I):
            notes = []
            for note in lines[i + 1:i + 1 + NOTES]:
                if not note.startswith("#"):
                    break
                notes.append(note)
            yield [line.strip(), *notes]


def main():
    totals = [0, int(sys.argv[1]), 0]
    for path in sys.argv[2:]:
        try:
            with open(path, encoding="utf-8") as lines:
                entries = [json.loads(line) for line in lines]
        except OSError:
            totals[1] += 1
            continue
        for entry in entries:
            counts = count(entry)
            totals = [a + b for a, b in zip(totals, counts)]
            if counts[1]:
                print(f"failed: {entry['name']} ({path.split('/')[0]}, {entry['result']})")
                for case in list(failing(entry))[:CASES]:
                    print(*(f"    {line[:200]}" for line in case), sep="\n")
    line = f"{totals[0]} passed, {totals[1]} failed"
    print(line + (f", {totals[2]} skipped" if totals[2] else ""))
    sys.exit(1 if totals[1] or not totals[0] else 0)


main()
