#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the map of a version of CUDA's static runtime, for programs and libraries without symbols (src/redirect/map.h), from
its archive libcudart_static.a: offsets of functions, and hashes of stretches of code that no relocation changes. A map has no
code. Usage: map.py ARCHIVE VERSION >VERSION.map, with the version as cudaRuntimeGetVersion has it, e.g. 13050."""
import bisect
import re
import struct
import sys

FACTOR, STEP, FIRST, STRETCHES, ENTRY = 0x9E3779B97F4A7C15, 16, 256, 24, 64
SHT_SYMTAB, SHT_RELA, STT_FUNC = 2, 4, 2


def hash_of(data):
    value = 0
    for byte in data:
        value = (value * FACTOR + byte + 1) % 2**64
    return value


def members(archive):
    """The files of an ar archive, in their order."""
    at = 8
    while at + 60 <= len(archive):
        size = int(archive[at + 48:at + 58])
        yield archive[at + 60:at + 60 + size]
        at += 60 + size + size % 2


class Object:
    def __init__(self, data):
        self.data = data
        table, size, count, names = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HHH", data, 58)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
        self.names = [self.text(self.sections[names], section[0]) for section in self.sections]

    def text(self, section, offset):
        begin = section[4] + offset
        return self.data[begin:self.data.index(b"\0", begin)].decode()

    def functions(self, inside):
        for section in self.sections:
            if section[1] != SHT_SYMTAB:
                continue
            for at in range(section[4], section[4] + section[5], 24):
                name, info, _, where, value, _ = struct.unpack_from("<IBBHQQ", self.data, at)
                if info & 15 == STT_FUNC and where == inside:
                    yield value, self.text(self.sections[section[6]], name)

    def relocations(self, inside):
        """Where the code is not the archive's after linking: places of relocations, and the instruction bytes before them
        that a linker may change with them."""
        for section in self.sections:
            if section[1] == SHT_RELA and section[7] == inside:
                for at in range(section[4], section[4] + section[5], 24):
                    yield struct.unpack_from("<Q", self.data, at)[0]


def main():
    archive, version = open(sys.argv[1], "rb").read(), int(sys.argv[2])
    # The object with the runtime, in an archive that may have others.
    for data in members(archive) if archive.startswith(b"!<arch>\n") else [archive]:
        if not data.startswith(b"\x7fELF"):
            continue
        thing = Object(data)
        for inside, name in enumerate(thing.names):
            functions = sorted(thing.functions(inside)) if name == ".text" else []
            if any(function == "__cudaRegisterFatBinary" for _, function in functions):
                return write(thing, inside, functions, version)
    sys.exit(f"{sys.argv[1]}: holds no static runtime")


def write(thing, inside, functions, version):
    begin, size = thing.sections[inside][4:6]
    code = thing.data[begin:begin + size]
    changed = sorted(set(thing.relocations(inside))) + [size + 4]
    edge, stretches = 0, []
    for place in changed:
        stop = place - 4  # opcode, ModRM and prefixes of an instruction that is relaxed
        if stop > edge:
            stretches.append((edge, stop - edge))
        edge = max(edge, place + 8)
    aligned = [(offset + -offset % STEP, length - -offset % STEP) for offset, length in stretches]
    longest = sorted((row for row in aligned if row[1] >= FIRST), key=lambda row: -row[1])[:STRETCHES]
    if not longest:
        sys.exit("the runtime has no long stretch of code without relocations")
    first = longest[0][0]
    print(f"version {version}")
    print(f"search {first:x} {hash_of(code[first:first + FIRST]):x}")
    for offset, length in sorted(longest):
        print(f"code {offset:x} {length:x} {hash_of(code[offset:offset + length]):x}")
    for offset, name in functions:
        if re.match("(__)?cuda", name):
            length = max(0, min(ENTRY, size - offset, changed[bisect.bisect_left(changed, offset - 3)] - 4 - offset))
            print(f"function {offset:x} {length:x} {hash_of(code[offset:offset + length]):x} {name}")


main()
