#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes compressed PTX (NAME.ptx.xz) as a C table for src/base/packed.h. Usage: embed.py OUTPUT TABLE FILE..."""
import hashlib
import lzma
import pathlib
import sys


def main():
    output, table, *paths = sys.argv[1:]
    arrays, entries = [], []
    for number, path in enumerate(map(pathlib.Path, paths)):
        content, symbol = path.read_bytes(), f"{table}_{number}"
        # The assembler copies the file: a compiler takes seconds for such an array. The hash has it compiled again after a change.
        arrays.append(f"/* {hashlib.sha256(content).hexdigest()} */\nextern const unsigned char {symbol}[];\n"
                      f'__asm__(".pushsection .rodata\\n{symbol}:\\n.incbin \\"{path.resolve()}\\"\\n.popsection\\n");\n')
        entries.append(f'    {{"{path.name.removesuffix(".ptx.xz")}", {symbol}, {len(content)}, '
                       f"{len(lzma.decompress(content))}}},\n")
    with open(output, "w", encoding="ascii") as out:
        out.write('/* Made from data/ptx by its embed.py. */\n#include "base/packed.h"\n\n' + "".join(arrays))
        out.write(f"extern const struct mnp_packed {table}[];\nconst struct mnp_packed {table}[] = {{\n" + "".join(entries))
        out.write("    {0},\n};\n")


main()
