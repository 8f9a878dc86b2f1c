#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each mutation of tests/long/mutations.py finds the words that it breaks: files that move take them along."""
import ast
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tables(tree):
    """Rows of the lists of tuples that the script has: name, what is broken, file, words, …"""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List):
            yield from (row for row in ast.literal_eval(node.value) if isinstance(row, tuple) and len(row) > 4)


def main():
    rows = list(tables(ast.parse((ROOT / "tests/long/mutations.py").read_text())))
    wrong = [f"{name}: {path} has no {words!r}" for name, _, path, words, *_ in rows
             if not (ROOT / path).exists() or words.replace("\\n", "\n") not in (ROOT / path).read_text()]
    print("1..1")
    print(f"{'not ok' if wrong or not rows else 'ok'} 1 - the words of {len(rows)} mutations stand in their files")
    for line in wrong:
        print(f"# {line}")
    return bool(wrong) or not rows


sys.exit(main())
