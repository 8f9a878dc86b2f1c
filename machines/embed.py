#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the machine files named on the command line as a C table, so that the program carries them with it."""
import os
import sys


def literal(line):
    text = line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("?", "\\?")
    return '        "' + text + '\\n"'


def main():
    output, *paths = sys.argv[1:]
    with open(output, "w", encoding="utf-8") as out:
        out.write('/* Made from the machine files by machines/embed.py. */\n#include "machines.h"\n\n')
        out.write("const struct mnp_machine_file mnp_built_in_machines[] = {\n")
        for path in paths:
            name = os.path.splitext(os.path.basename(path))[0]
            with open(path, encoding="utf-8") as source:
                lines = source.read().split("\n")
            out.write('    {.name = "%s",\n     .text =\n%s},\n' % (name, "\n".join(map(literal, lines))))
        out.write("    {.name = 0},\n};\n")


main()
