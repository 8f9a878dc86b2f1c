#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the PTX files named on the command line as a C function that finds them by name."""
import os
import sys


def literal(line):
    return '        "' + line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", " ") + '\\n"'


def main():
    output, *paths = sys.argv[1:]
    with open(output, "w", encoding="utf-8") as out:
        out.write('/* Made from the PTX files by src/mathlib/embed.py. */\n#include "mathlib/common/kernels.h"\n\n')
        out.write("#include <string.h>\n\nconst char *mathlib_ptx(const char *file)\n{\n")
        for path in paths:
            name = os.path.splitext(os.path.basename(path))[0]
            with open(path, encoding="utf-8") as source:
                lines = [line for line in source.read().split("\n") if line.strip()]
            out.write('    if (strcmp(file, "%s") == 0)\n        return\n%s;\n' % (name, "\n".join(map(literal, lines))))
        out.write("    return 0;\n}\n")


main()
