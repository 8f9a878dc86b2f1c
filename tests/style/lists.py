#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lists of rows (X-macros) that every tool can follow. Rows name functions in full, so that a search for a function finds
who calls it: no macro of src/ makes the name of a function by pasting (##). Names of struct fields and of constants of an
enumeration may be made so. A header is a list of rows or declarations, not both by turns, and no include leads back."""
import collections
import pathlib
import re
import sys

import c_source

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src"
FAMILIES = {"mathlib", "execute/lanes"}  # a macro defines the same function for each type of element or lane
PASTED = re.compile(r"(?:\w+\s*##\s*)+\w+\s*\(|##\s*\w+\s*\(")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def files():
    return sorted(path for path in SOURCE.rglob("*") if path.suffix in {".c", ".h", ".cu", ".cuh"})


def plain(path):
    """The text without comments, lines kept."""
    return COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), path.read_text(encoding="utf-8"))


def name(path):
    return str(path.relative_to(SOURCE))


def within(path, places):
    return any(name(path) == place or name(path).startswith(place + "/") for place in places)


def pasted(path, text):
    if within(path, FAMILIES):
        return
    for macro in re.finditer(r"^[ \t]*#[ \t]*define\b(?:[^\n]*\\\n)*[^\n]*", text, re.M):
        for match in PASTED.finditer(macro[0]):
            line = text.count("\n", 0, macro.start() + match.start()) + 1
            yield f"src/{name(path)}:{line}: makes the name of a function: {match[0].rstrip('(').strip()}"


def outside_guard(text):
    """The first line of a header that stands outside its guard; None: there is none, or it has no guard."""
    guard = re.match(r"\s*#ifndef (\w+_H)\n#define \1\n", text)
    depth = 1
    for line in text[guard.end():].split("\n") if guard else []:
        if depth == 0 and line.strip():
            return line
        depth += bool(re.match(r"#\s*if", line)) - bool(re.match(r"#\s*endif", line))
    return None


def two_faced(path, text):
    if path.suffix == ".h" and (re.search(r"^#elif !defined\(\w+_H\)", text, re.M) or outside_guard(text)):
        yield f"src/{name(path)}: rows in one place, declarations in another; make it a list and a header"


def cycles(texts):
    edges = collections.defaultdict(dict)
    for path, text in texts.items():
        for included in re.findall(r'^#include "([^"]+)"', text, re.M):
            found = [place for place in (SOURCE / included, path.parent / included) if place in texts]
            if found:
                edges[name(path)][name(found[0])] = True
    for path in texts:  # a file that includes itself is a circle of one
        if name(path) in edges[name(path)]:
            yield f"src/{name(path)} includes itself"
    for circle in c_source.components(edges):
        yield "includes lead back: " + " ".join(circle)


def main():
    texts = {path: plain(path) for path in files()}
    each = [
        ("macros of src/ make no names of functions", [line for p, t in texts.items() for line in pasted(p, t)]),
        ("no header has two faces", [line for p, t in texts.items() for line in two_faced(p, t)]),
        ("no include leads back", list(cycles(texts))),
    ]
    print(f"1..{len(each)}")
    for number, (what, wrong) in enumerate(each, 1):
        print(f"{'not ok' if wrong else 'ok'} {number} - {what}")
        for line in wrong:
            print(f"# {line}")
    return any(wrong for _, wrong in each)


sys.exit(main())
