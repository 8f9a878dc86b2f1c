#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands of a page of docs, or of the examples of a manual page, and compares what they print. In a block, a
line that begins with "$ " is a command; the lines behind it are its output, in order, where "..." stands for lines left
out. Runs of blanks count as one. A `cat` of a file that is not there writes it first, with the lines that the page shows.
Usage: tutorial.py BUILD [PAGE]; docs/tutorial.md without one. `--update` as a third word writes what was printed into the
page: a line takes the place of the one that it is most like, in order; what has no such line is told and stays."""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"
PLAIN = {"\\-": "-", "\\&": "", "\\e": "\\"}  # of roff


def block_lines(lines):
    """Numbers of the lines that stand in blocks of Markdown, or of a manual page's examples; None between two blocks."""
    roff = lines[0].startswith('.\\"')
    begin, end = (".nf", ".fi") if roff else ("```", "```")
    examples, within = not roff, False
    for number, line in enumerate(lines):
        if roff and line.startswith(".SH "):
            examples = line.startswith(".SH EXAMPLE")
        if line == (end if within else begin):
            within = not within
            yield None
        elif within and examples:
            yield number


def plain(line, roff):
    for coded, meant in PLAIN.items() if roff else ():
        line = line.replace(coded, meant)
    return line


def commands(lines):
    """Every command with its output, as (number, text) of lines."""
    roff = lines[0].startswith('.\\"')
    command, output = None, []
    for number in [*block_lines(lines), None]:
        text = plain(lines[number], roff) if number is not None else None
        if command and (text is None or text.startswith("$ ")):
            yield command, output
            command, output = None, []
        if text is not None and text.startswith("$ "):
            command, output = text[2:], []
        elif text is not None:
            output.append((number, text))


def first_missing(expected, printed):
    """The first expected line that does not follow where it should, or None. After "..." lines may be passed over."""
    place, gap = 0, False
    for line in expected:
        if line == "...":
            gap = True
            continue
        words = line.split()
        while gap and place < len(printed) and printed[place] != words:
            place += 1
        if place >= len(printed) or printed[place] != words:
            return line
        place, gap = place + 1, False
    return None


def likeness(one, other):
    """Of two lines whose figures may differ."""
    return difflib.SequenceMatcher(None, re.sub(r"\d+", "#", one).split(), re.sub(r"\d+", "#", other).split()).ratio()


def update(lines, output, printed):
    """Writes lines that were printed in place of those of the page. Returns those that nothing was like."""
    roff, place, lost = lines[0].startswith('.\\"'), 0, []
    for number, text in output:
        if text == "..." or not text.strip():
            continue
        ahead = [(likeness(text, line), -i) for i, line in enumerate(printed[place:]) if line.strip()]
        best, back = max(ahead, default=(0, 0))
        if best < 0.5:
            lost.append(text)
            continue
        line = printed[place - back].rstrip()
        if line.split() != text.split():
            lines[number] = line.replace("\\", "\\e").replace("-", "\\-") if roff else line
        place += 1 - back
    return lost


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    page = DOCS / (sys.argv[2] if sys.argv[2:] else "tutorial.md")
    writes = sys.argv[3:] == ["--update"]
    lines = page.read_text(encoding="utf-8").split("\n")
    steps = list(commands(lines))
    environment = {**os.environ, "PATH": f"{build}:{os.environ['PATH']}"}
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "build").symlink_to(build)
        (pathlib.Path(folder) / "apps").symlink_to(DOCS.parent / "apps")
        for count, (command, output) in enumerate(steps, 1):
            expected = [text for _, text in output]
            shown = re.fullmatch(r"cat (\S+)", command)
            if shown:
                (pathlib.Path(folder) / shown.group(1)).write_text("\n".join(expected) + "\n", encoding="utf-8")
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True,
                                  check=False)
            for text in update(lines, output, done.stdout.splitlines()) if writes and done.returncode == 0 else ():
                print(f"# {command[:60]}: nothing like it was printed: {text}")
            printed = [line.split() for line in done.stdout.splitlines() if line.strip()]
            missing = first_missing([line for line in expected if line.strip()], printed)
            good = done.returncode == 0 and missing is None
            failed += not good
            print(f"{'ok' if good else 'not ok'} {count} - {command[:100]}")
            if not good:
                print(f"# status {done.returncode}; not found where it should be: {missing}")
                print("# " + (done.stdout[-1500:] + done.stderr[-500:]).replace("\n", "\n# "))
    print(f"1..{len(steps)}")
    if writes:
        page.write_text("\n".join(lines), encoding="utf-8")
    sys.exit(failed > 0)


main()
