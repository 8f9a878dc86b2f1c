#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of README and the manual can be made again: a paragraph, list or table with a measured figure has a command, or a
link to a script, a test or a laboratory page that has one, in itself or in the block before or behind; pages name no target
of make that the Makefile lacks. Blocks of code are commands, since pages print commands above what these print; tests run
the tutorial and reading-results.md whole."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RUN_WHOLE = {"docs/tutorial.md", "docs/reading-results.md"}
FIGURE = re.compile(r"(?<![\w.])[+-]?\d[\d.,]*(?: to [\d.,]+)? ?(?:%|(?:s|seconds|minutes?|min|ms|µs|us|MB|KB|GB/s|MIPS)\b(?! of))"
                    r"|\|\s*[+-]?[\d,]*\.\d+\s*\|")
COMMAND = re.compile(r"`[^`]*(?:maniple |make |bench/|build/|tests/|python3|\.py|\.sh|--[a-z]|mpirun|apps/)[^`]*`"
                     r"|\]\([^)]*(?:bench/|tests/|lab/|\.py|\.sh|\.csv|examples/|validation)[^)]*\)")
IN_CODE = re.compile(r"maniple|make |bench|python3|build/|mpirun")
TARGET = re.compile(r"`make ([a-z][a-z-]*)")
FEWEST = 40  # blocks with figures: fewer of them, and the expressions above have lost their sense


def manual():
    table = (ROOT / "docs/README.md").read_text(encoding="utf-8").split("## Manual")[1].split("## Reference")[0]
    return ["README.md"] + ["docs/" + name for name in dict.fromkeys(re.findall(r"\(([a-z-]+\.md)\)", table))]


def blocks(text):
    """[(number of its first line, [(line, whether it is code)])], divided by empty lines."""
    found, block, code = [], [], False
    for number, line in enumerate(text.splitlines() + [""], 1):
        fence = line.startswith("```")
        code ^= fence
        if line.strip() or code:
            block.append((line, code or fence))
        elif block:
            found.append((number - len(block), block))
            block = []
    return found


def has_figure(block):
    return any(not code and FIGURE.search(re.sub(r"`[^`]*`", "", line)) for line, code in block)


def has_command(block):
    return any((IN_CODE if code else COMMAND).search(line) for line, code in block)


def main():
    alone, count, unknown = [], 0, []
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.search(r"^\.PHONY: (.*)", makefile, re.M)[1].split())
    for page in manual():
        text = (ROOT / page).read_text(encoding="utf-8")
        unknown += [f"{page}: make {target}" for target in TARGET.findall(text) if target not in targets]
        if page in RUN_WHOLE:
            continue
        all_blocks = blocks(text)
        known = [has_command(block) for _, block in all_blocks]
        for place, (line, block) in enumerate(all_blocks):
            if has_figure(block):
                count += 1
                alone += [] if any(known[max(0, place - 1):place + 2]) else [f"{page}:{line}: {block[0][0][:100]}"]
    checks = ((not alone, "figures of README and the manual have a command beside them", alone),
              (count >= FEWEST, f"figures are found ({count} blocks)", []),
              (not unknown, "targets of make that pages name are in the Makefile", unknown))
    for number, (good, what, notes) in enumerate(checks, 1):
        print(f"{'ok' if good else 'not ok'} {number} - {what}")
        for note in notes:
            print(f"# {note}")
    print(f"1..{len(checks)}")
    return 0 if all(good for good, _, _ in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
