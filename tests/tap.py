# SPDX-License-Identifier: BSD-3-Clause
"""Cases of a test in Python, in TAP: ok() for each of them, and finish() behind the last one. tap.sh is the same for shell scripts."""

MOST_NOTED = 1500  # characters of a note
_counts = {"cases": 0, "failed": 0}


def ok(good, name, *notes):
    """A case, and whether it passed. Notes say why it failed, if it did."""
    _counts["cases"] += 1
    _counts["failed"] += not good
    print(f"{'ok' if good else 'not ok'} {_counts['cases']} - {name}", flush=True)
    for note in notes if not good else ():
        print("\n".join(f"# {line}" for line in str(note)[:MOST_NOTED].splitlines()), flush=True)


def skip(name, why):
    """A case that cannot run here."""
    _counts["cases"] += 1
    print(f"ok {_counts['cases']} - {name} # SKIP {why}", flush=True)


def finish():
    """The plan of what has run. Returns the exit status of the test."""
    print(f"1..{_counts['cases']}")
    return 1 if _counts["failed"] else 0
