#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes system.words as the C tables that src/frontend/sass/system.h declares. Usage: embed.py OUTPUT INPUT."""
import sys


def main():
    output, path = sys.argv[1:]
    functions = []
    with open(path, encoding="ascii") as source:
        for line in (line for line in source if not line.startswith("#")):
            words = line.split()
            if len(words) == 3:
                functions.append((words, []))
            else:
                functions[-1][1].append(words)
    with open(output, "w", encoding="ascii") as out:
        out.write('/* Made from data/sass/system.words by embed.py. */\n#include "frontend/sass/system.h"\n\n')
        for number, (_, code) in enumerate(functions):
            rows = "".join(f"    {{0x{low}, 0x{high}}},\n" for low, high in code)
            out.write(f"static const uint64_t code_{number}[][2] = {{\n{rows}}};\n")
        rows = "".join(f'    {{"{name}", {first}, {last}, {len(code)}, code_{number}}},\n'
                       for number, ((name, first, last), code) in enumerate(functions))
        out.write(f"const struct sass_system_row sass_system_rows[] = {{\n{rows}}};\n")
        out.write(f"const uint32_t sass_system_count = {len(functions)};\n")


main()
