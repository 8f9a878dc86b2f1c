#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random A32 programs, run by Maniple and by qemu-arm as the same ELF file, must leave the same registers, flags and
memory. The file holds many blocks of instructions, each with registers of its own, which it stores behind it; its end
writes all of that and the memory by semihosting, which both know.

Usage: qemu.py MANIPLE [INSTRUCTIONS [SEED [CORE]]]; CORE: interpreter (default) or translation. Ends with 77 (skipped)
where qemu-arm (Debian: qemu-user) is not installed.

Beside what oracle.py compares: Q of all dual multiplies, exclusives of doublewords, the pc as operand and base, loads of
the pc, BX, BLX and returns. Left out as there: what STREX does after stores in between, and CP15."""
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

from a32_random import DATA, PRIVATE, Maker, field, interesting

CODE, ARGUMENTS, STORED = 0x400000, 0x3F0000, 15  # words that a block stores: r0-r12, r14, status
MARK = b"A32 blocks\n\0"
CHUNK = 5000  # blocks in a program


class PlacedMaker(Maker):
    """Knows the address of what it makes, so that the pc may be used."""

    def dual(self):
        word = super().dual()
        if field(word, 0) & 0x0F800000 == 0x07000000 and self.r.random() < 0.5 and word >> 12 & 15 == 15:
            high = word >> 16 & 15  # an addend: Q is compared, too
            return word & ~0xF000 | field(self.r.choice([n for n in range(10) if n != high]), 12)
        return word

    def exclusive(self):
        if self.r.random() < 0.7:
            return super().exclusive()
        d, first, second = self.r.sample(range(0, 10, 2), 3)
        return [0xE1B00F9F | field(11, 16) | field(first, 12)] + ([0xF57FF01F] if self.r.random() < 0.3 else []) + \
            [self.condition() | 0x01A00F90 | field(11, 16) | field(d, 12) | second]

    def of_pc(self):
        """Operands, bases and targets of the pc; literals lie in what has been made already or comes soon."""
        kind, d = self.r.randrange(9), self.low()
        far, up = self.r.randrange(60), self.r.randrange(2) << 23
        if kind == 0:  # LDR, LDRB
            return [self.condition() | 0x050F0000 | up | field(self.r.choice([1, 5]), 20) | field(d, 12) | 4 * far]
        if kind == 1:  # LDRH, LDRSB, LDRSH, LDRD
            code = self.r.choice([0x1000B0, 0x1000D0, 0x1000F0, 0xD0])
            return [self.condition() | 0x014F0000 | up | code | field(d & ~1 if code == 0xD0 else d, 12) |
                    field(4 * far >> 4, 8) | 4 * far & 15]
        if kind == 2:  # data processing with an immediate or an immediate shift
            opcode = self.r.choice([0, 1, 2, 3, 4, 5, 6, 7, 12, 14])
            word = self.condition() | field(opcode, 21) | field(self.r.randrange(2), 20) | field(15, 16) | field(d, 12)
            return [word | (field(1, 25) | self.r.randrange(4096) if self.r.random() < 0.5 else
                            field(self.r.randrange(32), 7) | field(self.r.randrange(4), 5) | self.any())]
        if kind == 3:  # MOV, MVN and ADD of the pc, shifted
            return [self.condition() | self.r.choice([0x01A00000, 0x01E00000, 0x00800000 | field(self.any(), 16)]) |
                    field(d, 12) | field(self.r.randrange(32), 7) | field(self.r.randrange(4), 5) | 15]
        over = self.r.randrange(1, 5)
        skipped = [self.condition() | self.data() for _ in range(over)]
        if kind == 4:  # ADD pc, pc, #
            return [self.condition() | 0x028FF000 | 4 * (over - 1)] + skipped
        if kind in (5, 6):  # ADD d, pc, #; BX, BLX or MOV pc
            jump = self.r.choice([0x012FFF10, 0x012FFF30, 0x01A0F000])
            return [0xE28F0000 | field(d, 12) | 4 * over, self.condition() | jump | d] + skipped
        if kind == 7:  # BL over a branch to what does MOV pc, lr: a call and its return
            return [0xEB000000, 0xEA000001, self.condition() | self.data(), self.r.choice([0xE1A0F00E, 0xE12FFF1E])]
        base = self.r.choice([10, 11])  # the pc by way of memory: STR, then LDR or LDM
        store = [0xE28F0000 | field(d, 12) | 4 * (over + 1), 0xE5800000 | field(base, 16) | field(d, 12)]
        load = 0x0590F000 | field(base, 16) if self.r.random() < 0.5 else 0x08908000 | field(base, 16)
        return store + [self.condition() | load] + skipped

    def words(self):
        result = super().words()
        for _ in range(4):
            result += self.of_pc()
        return result + [0xE1A00000]


def load_literal(register, at, address):
    offset = address - at - 8
    assert 0 <= offset < 4096
    return 0xE59F0000 | field(register, 12) | offset


def place_block(at, words, registers, status, out):
    """The words of a block with what loads its registers before and stores them behind it."""
    literals = [status] + registers
    head = [0xEA000000 | len(literals) - 1] + literals
    here = at + 4 * len(head)
    setup = [0xE51F0000 | here + 8 - (at + 4), 0xE12CF000]  # the status, then the registers
    for register in range(15):
        place = here + 4 * len(setup)
        setup.append(0xE51F0000 | field(register, 12) | place + 8 - (at + 8 + 4 * register))
    code = head + setup + words
    here = at + 4 * len(code)
    code += [load_literal(13, here, here + 20), 0xE8AD5FFF, 0xE10F0000, 0xE58D0000, 0xEA000000, out]
    return code


def place_end(at, bytes_):
    """Opens the console and writes the mark and then the memory from DATA on, as often as something is left."""
    arguments = struct.pack("<12I", ARGUMENTS + 48, 4, 3, 0, 0, ARGUMENTS + 52, len(MARK), 0, 0, DATA, bytes_, 0)
    code = [0xE3A0483F,  # mov r4, #ARGUMENTS; SYS_OPEN, whose handle goes into the others' arguments
            0xE3A00001, 0xE1A01004, 0xEF123456, 0xE5840010, 0xE5840020, 0xE2844010]
    for following in (0xE2844010, 0xE1A00000):
        code += [0xE3A00005, 0xE1A01004, 0xEF123456,  # SYS_WRITE: r0 bytes are left
                 0xE5942004, 0xE5943008, 0xE0822003, 0xE0422000, 0xE5842004, 0xE5840008,
                 0xE3500000, 0x1AFFFFF4, following]
    code += [0xE3A00018, 0xE59F1000, 0xEF123456, 0x20026]
    return code, arguments + b":tt\0" + MARK


def write_elf(path, code, arguments, bytes_):
    parts = [(DATA, b"", bytes_, 6), (ARGUMENTS, arguments, len(arguments), 6),
             (CODE, struct.pack(f"<{len(code)}I", *code), 4 * len(code), 5)]
    offset, headers, body = 4096, b"", b""
    for address, content, size, flags in parts:
        headers += struct.pack("<8I", 1, offset + len(body), address, address, len(content), size, flags, 4096)
        body += content.ljust((len(content) + 4095) // 4096 * 4096, b"\0")
    start = b"\x7fELF\1\1\1" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 40, 1, CODE, 52, 0, 0x05000200, 52, 32,
                                                       len(parts), 40, 0, 0)
    with open(path, "wb") as out:
        out.write((start + headers).ljust(4096, b"\0") + body)
    os.chmod(path, 0o755)


def result_of(command, bytes_):
    done = subprocess.run(command, capture_output=True, check=False, timeout=600)
    text = done.stdout + done.stderr
    begin = text.find(MARK) + len(MARK)
    if done.returncode or begin < len(MARK) or len(text) < begin + bytes_:
        sys.exit(f"{command[0]}: status {done.returncode}, {len(text)} bytes\n{done.stderr[-2000:].decode(errors='replace')}")
    return text[begin:begin + bytes_]


def compare(ours, theirs, blocks):
    start = PRIVATE - DATA
    for number, (at, words, registers, status) in enumerate(blocks):
        mine, other = (struct.unpack_from(f"<{STORED}I", text, start + 4 * STORED * number) for text in (ours, theirs))
        if mine != other:
            print("registers", [hex(r) for r in registers], "status", hex(status), f"at 0x{at:x}")
            print("ours  ", [hex(r) for r in mine])
            print("theirs", [hex(r) for r in other])
            print("code", " ".join(f"{word:08x}" for word in words))
            sys.exit(1)
    if ours[:start] != theirs[:start]:
        sys.exit("the same registers, but memory differs")


def run_chunk(maniple, core, rng, total):
    maker, blocks, code, done = PlacedMaker(rng), [], [], 0
    while done < total and len(blocks) < CHUNK:
        words, registers = maker.words(), [interesting(rng) for _ in range(15)]
        status = interesting(rng) & 0xF80F0000
        code += place_block(CODE + 4 * len(code), words, registers, status, PRIVATE + 4 * STORED * len(blocks))
        blocks.append((CODE + 4 * (len(code) - 6 - len(words)), words, registers, status))
        done += len(words)
    bytes_ = PRIVATE - DATA + 4 * STORED * len(blocks)
    end, arguments = place_end(CODE + 4 * len(code), bytes_)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        path = os.path.join(folder, "random.elf")
        write_elf(path, code + end, arguments, bytes_)
        ours = result_of([maniple, "run", "-q", "--format", "json", "--machine", "manycore-1", "--cores", "1", "--core", core,
                          "--threads", "1", "--", path], bytes_)
        theirs = result_of(["qemu-arm", "-cpu", "arm1136", path], bytes_)
    compare(ours, theirs, blocks)
    return done


def main():
    if not shutil.which("qemu-arm"):
        print("skipped: qemu-arm (Debian: qemu-user) is not installed")
        sys.exit(77)
    total = int(sys.argv[2]) if len(sys.argv) > 2 else 300000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    core = sys.argv[4] if len(sys.argv) > 4 else "interpreter"
    rng, done = random.Random(seed), 0
    while done < total:
        done += run_chunk(sys.argv[1], core, rng, total - done)
    print(f"{done} instructions, seed {seed}, {core}: no difference")


main()
