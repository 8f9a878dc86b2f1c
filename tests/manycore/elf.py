#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a small A32 ELF file, whole or wrong in one way. Usage: elf.py FILE [KEY=VALUE…] [WORD…]

Words are instructions in hexadecimal, loaded at 0x8000. Keys change header fields: class, data, machine, type, entry,
flags; `stored` cuts the file off."""
import struct
import sys

header = {"class": 1, "data": 1, "machine": 40, "type": 2, "entry": 0x8000, "flags": 0x05000200, "stored": 1 << 30}
words = []
for argument in sys.argv[2:]:
    key, _, value = argument.partition("=")
    if value:
        header[key] = int(value, 0)
    else:
        words.append(int(argument, 16))
code = struct.pack(f"<{len(words)}I", *words)
ident = b"\x7fELF" + bytes([header["class"], header["data"], 1]) + bytes(9)
content = ident + struct.pack("<HHIIIIIHHHHHH", header["type"], header["machine"], 1, header["entry"], 52, 0,
                              header["flags"], 52, 32, 1, 40, 0, 0)
content += struct.pack("<8I", 1, 4096, 0x8000, 0x8000, len(code), len(code), 5, 4096)
content = content.ljust(4096, b"\0") + code
with open(sys.argv[1], "wb") as out:
    out.write(content[:header["stored"]])
