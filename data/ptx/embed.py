#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes compressed PTX (NAME.ptx.xz) as a C table for src/base/packed.h. Usage: embed.py OUTPUT TABLE FILE..."""
import lzma
import pathlib
import sys


def array(name, content):
    rows = (", ".join(map(str, content[at:at + 24])) for at in range(0, len(content), 24))
    return f"static const unsigned char {name}[] = {{\n" + "".join(f"    {row},\n" for row in rows) + "};\n"


def main():
    output, table, *paths = sys.argv[1:]
    arrays, entries = [], []
    for number, path in enumerate(map(pathlib.Path, paths)):
        content = path.read_bytes()
        arrays.append(array(f"packed_{number}", content))
        entries.append(f'    {{"{path.name.removesuffix(".ptx.xz")}", packed_{number}, sizeof packed_{number}, '
                       f"{len(lzma.decompress(content))}}},\n")
    with open(output, "w", encoding="ascii") as out:
        out.write('/* Made from data/ptx by its embed.py. */\n#include "base/packed.h"\n\n' + "".join(arrays))
        out.write(f"extern const struct mnp_packed {table}[];\nconst struct mnp_packed {table}[] = {{\n" + "".join(entries))
        out.write("    {0},\n};\n")


main()
