#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands of a page of docs, or of the examples of a manual page, and compares what they print. In a block, a line that begins with "$ " is a command;
the lines behind it are its output, in order, where "..." stands for lines left out. Runs of blanks count as one. A `cat` of
a file that is not there writes it first, with the lines that the page shows. Usage: tutorial.py BUILD [PAGE]; docs/tutorial.md without one."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"


def blocks(text):
    """Of Markdown, or of roff."""
    if not text.startswith(".\\\""):
        return re.findall(r"^```\n(.*?)^```", text, flags=re.M | re.S)
    examples = text[text.index(".SH EXAMPLE"):].split("\n.SH ")[0]
    plain = examples.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
    return re.findall(r"^\.nf\n(.*?)^\.fi", plain, flags=re.M | re.S)


def commands(text):
    for block in blocks(text):
        command, output = None, []
        for line in block.splitlines():
            if line.startswith("$ "):
                if command:
                    yield command, output
                command, output = line[2:], []
            else:
                output.append(line)
        if command:
            yield command, output


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


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    steps = list(commands((DOCS / (sys.argv[2] if sys.argv[2:] else "tutorial.md")).read_text(encoding="utf-8")))
    environment = {**os.environ, "PATH": f"{build}:{os.environ['PATH']}"}
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "build").symlink_to(build)
        for count, (command, expected) in enumerate(steps, 1):
            shown = re.fullmatch(r"cat (\S+)", command)
            if shown:
                (pathlib.Path(folder) / shown.group(1)).write_text("\n".join(expected) + "\n", encoding="utf-8")
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True,
                                  check=False)
            printed = [line.split() for line in done.stdout.splitlines() if line.strip()]
            missing = first_missing([line for line in expected if line.strip()], printed)
            good = done.returncode == 0 and missing is None
            failed += not good
            print(f"{'ok' if good else 'not ok'} {count} - {command[:100]}")
            if not good:
                print(f"# status {done.returncode}; not found where it should be: {missing}")
                print("# " + (done.stdout[-1500:] + done.stderr[-500:]).replace("\n", "\n# "))
    print(f"1..{len(steps)}")
    sys.exit(failed > 0)


main()
