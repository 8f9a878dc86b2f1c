#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a text file as a C array, so that the program carries it. Usage: embed.py OUTPUT INPUT NAME."""
import sys

output, path, name = sys.argv[1:]
with open(path, "rb") as source:
    content = source.read() + b"\0"
with open(output, "w", encoding="ascii") as out:
    out.write(f"/* Made from {path.rsplit('/', 1)[-1]} by embed.py. */\nextern const char {name}[];\nconst char {name}[] = {{\n")
    for at in range(0, len(content), 20):
        out.write("    " + ", ".join(str(byte) for byte in content[at:at + 20]) + ",\n")
    out.write("};\n")
