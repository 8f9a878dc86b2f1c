#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One core of the coprocessor in Unicorn, the translator of QEMU as a library (Debian: python3-unicorn).

Usage: unicorn_core.py PROGRAM ARGUMENT… @ CORE CORES
Prints the CPU seconds that the core took, translation included and the loading left out, and what the program said. The
program asks for output and its end by semihosting, as it does everywhere."""
import struct
import sys
import time

import unicorn
from unicorn import arm_const

import functional

PAGE = 4096
WRITE, COMMAND_LINE, EXIT = 0x04, 0x15, 0x20  # semihosting calls that programs of the coprocessor make
STACK = 16 << 20


class Core:
    """A processor with the program's segments, and what it said; `status` is None until it ends."""

    def __init__(self, elf, line):
        self.said, self.status, self.line = bytearray(), None, line.encode() + b"\0"
        self.machine = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_ARM)
        self.machine.ctl_set_cpu_model(arm_const.UC_CPU_ARM_1136)
        self.entry = struct.unpack_from("<I", elf, 24)[0]
        headers, count = struct.unpack_from("<I", elf, 28)[0], struct.unpack_from("<H", elf, 44)[0]
        taken = set()
        for i in range(count):
            _, offset, address, _, in_file, in_memory, _, _ = struct.unpack_from("<8I", elf, headers + 32 * i)
            pages = [page for page in range(address // PAGE, (address + in_memory - 1) // PAGE + 1) if page not in taken]
            taken.update(pages)
            if pages:
                self.machine.mem_map(pages[0] * PAGE, len(pages) * PAGE)
            self.machine.mem_write(address, elf[offset:offset + in_file])
        self.machine.mem_map(functional.BEGINNING - STACK, STACK)  # it ends where the beginning lies
        self.machine.reg_write(arm_const.UC_ARM_REG_SP, functional.BEGINNING - 16)
        self.machine.hook_add(unicorn.UC_HOOK_INTR, self.call)

    def call(self, machine, *_):
        """A semihosting call: its number in r0, the address of a text or of its arguments in r1."""
        number, argument = machine.reg_read(arm_const.UC_ARM_REG_R0), machine.reg_read(arm_const.UC_ARM_REG_R1)
        if number == WRITE:
            while (byte := machine.mem_read(argument, 1)) != b"\0":
                self.said += byte
                argument += 1
        elif number == COMMAND_LINE:
            address, size = struct.unpack("<II", machine.mem_read(argument, 8))
            machine.mem_write(address, self.line[:size])
            machine.mem_write(argument + 4, struct.pack("<I", len(self.line) - 1))
            machine.reg_write(arm_const.UC_ARM_REG_R0, 0)
        else:
            self.status = struct.unpack("<II", machine.mem_read(argument, 8))[1] if number == EXIT else 1
            machine.emu_stop()

    def run(self):
        before = time.process_time()
        self.machine.emu_start(self.entry, 0)
        return time.process_time() - before


def main():
    at = sys.argv.index("@")
    words, core, cores = sys.argv[1:at], int(sys.argv[at + 1]), int(sys.argv[at + 2])
    elf = functional.with_beginning((functional.ELF / f"{words[0]}.elf").read_bytes(), core, cores)
    processor = Core(elf, " ".join(words))
    seconds = processor.run()
    sys.stdout.write(f"{seconds:.6f} {processor.said.decode(errors='replace').strip()}\n")
    return 1 if processor.status is None else processor.status


if __name__ == "__main__":
    sys.exit(main())
