#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds circles of calls between files of src/. X.c and X.h are one file here. A circle is a largest set of files of which
each calls, directly or through others, every other one; a call counts where a body names a function that another file
defines for all (or, in a header, inline). Calls through pointers do not count: they are the sanctioned way back up.

circles.txt says how many files of each room may lie in circles. The test fails when a room has more; --update writes the
numbers that there are, --edges ROOM lists the calls inside a room's circles."""
import argparse
import collections
import pathlib
import sys

import c_source

HERE = pathlib.Path(__file__).resolve().parent


def graph(sources):
    """Edges {file: {file: {(caller, callee)}}}; a file is its path without extension."""
    owners = collections.defaultdict(set)
    for path, source in sources.items():
        for name, (_, seen) in source.functions.items():
            if seen or path.endswith(".h"):
                owners[name].add(path.rsplit(".", 1)[0])
    edges = collections.defaultdict(lambda: collections.defaultdict(set))
    for path, source in sources.items():
        own = path.rsplit(".", 1)[0]
        for caller, name in source.calls:
            if name in source.functions or own in owners[name]:
                continue
            for owner in owners[name]:
                edges[own][owner].add((caller, name))
    return edges


def read_allowed(path):
    rows = [line.split() for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return {name: int(number) for name, number in rows}


def write_allowed(path, numbers):
    comment = [line for line in path.read_text().splitlines() if line.startswith("#")]
    path.write_text("\n".join(comment + [f"{name} {number}" for name, number in sorted(numbers.items())]) + "\n")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--source", default=str(HERE.parent.parent / "src"))
    options.add_argument("--allowed", default=str(HERE / "circles.txt"))
    options.add_argument("--update", action="store_true")
    options.add_argument("--edges")
    arguments = options.parse_args()
    sources = c_source.read(arguments.source)
    edges = graph(sources)
    circles = collections.defaultdict(list)
    for circle in c_source.components(edges):
        circles[" ".join(sorted({c_source.room(path) for path in circle})).replace(" ", "+")].append(circle)
    numbers = {name: sum(map(len, found)) for name, found in circles.items()}
    if arguments.update:
        write_allowed(pathlib.Path(arguments.allowed), numbers)
        return
    if arguments.edges:
        for circle in circles[arguments.edges]:
            for source in circle:
                for target in sorted(set(edges[source]) & set(circle)):
                    print(f"{source} -> {target}: " + ", ".join(sorted(f"{a} > {b}" for a, b in edges[source][target])))
        return
    allowed = read_allowed(pathlib.Path(arguments.allowed))
    rooms = sorted({c_source.room(path) for path in sources} | set(numbers))
    failed = 0
    print(f"1..{len(rooms)}")
    for count, name in enumerate(rooms, 1):
        number, limit = numbers.get(name, 0), allowed.get(name, 0)
        failed += number > limit
        print(f"{'not ok' if number > limit else 'ok'} {count} - {name}: {number} files in circles of calls, {limit} allowed")
        if number > limit:
            for circle in circles[name]:
                print("# " + " ".join(path[path.index("src/") + 4:] for path in circle))
        elif number < limit:
            print(f"# fewer than allowed: {pathlib.Path(__file__).name} --update keeps it so")
    sys.exit(failed > 0)


main()
