# SPDX-License-Identifier: BSD-3-Clause
"""Random A32 instructions for comparisons with other implementations (oracle.py, qemu.py)."""
DATA, PRIVATE, BLOCK = 0x10000, 0x20000, 40
# mov r10, #0x10000; add r10, #0x8000; mov r11, #0x10000; add r11, #0x9000; mov r12, #24
BASES = [0xE3A0A801, 0xE28AA902, 0xE3A0B801, 0xE28BBA09, 0xE3A0C018]


def field(value, at):
    return value << at


class Maker:
    """Makes instructions that the manual defines: no unpredictable ones, memory through r10–r12 alone."""

    def __init__(self, rng):
        self.r = rng

    def condition(self):
        return (14 if self.r.random() < 0.7 else self.r.randrange(14)) << 28

    def low(self):
        return self.r.randrange(10)  # r0–r9: changed freely

    def any(self):
        return self.r.randrange(15)

    def data(self):
        opcode, flags = self.r.randrange(16), self.r.randrange(2)
        if 8 <= opcode <= 11:
            flags = 1
        tests, moves = 8 <= opcode <= 11, opcode in (13, 15)  # whose unused register field is 0
        word = field(opcode, 21) | field(flags, 20) | field(0 if moves else self.any(), 16) | \
            field(0 if tests else self.low(), 12)
        form = self.r.randrange(4)
        if form == 0:
            return word | field(1, 25) | self.r.randrange(4096)
        if form == 1:
            return word | field(self.r.randrange(32), 7) | field(self.r.randrange(4), 5) | self.r.randrange(16)
        if form == 2:
            return word | self.any()
        return word | field(self.low(), 8) | field(self.r.randrange(4), 5) | 0x10 | self.any()

    def multiply(self):
        which = self.r.choice([0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 14, 15])
        high, low = self.r.sample(range(10), 2)
        return field(which, 20) | field(high, 16) | field(low if which >= 2 else 0, 12) | field(self.low(), 8) | 0x90 | self.low()

    def half_multiply(self):
        which = self.r.randrange(4)
        high, low = self.r.sample(range(10), 2)
        if which == 3 or (which == 1 and self.r.random() < 0.5):
            x = self.r.randrange(2) if which == 3 else 1
            low = 0
        else:
            x = 0 if which == 1 else self.r.randrange(2)
        return 0x01000080 | field(which, 21) | field(high, 16) | field(low, 12) | field(self.low(), 8) | \
            field(self.r.randrange(2), 6) | field(x, 5) | self.low()

    def dual(self):
        kind = self.r.randrange(4)
        high, low = self.r.sample(range(10), 2)
        m, s = self.low(), self.low()
        if kind == 0:
            what = self.r.randrange(4)
            if what < 2 or self.r.random() < 0.3:  # unicorn sets Q too often in SMLAD with an addend (QEMU before 6.0)
                low = 15
            return 0x07000010 | field(high, 16) | field(low, 12) | field(s, 8) | field(what, 5) | m
        if kind == 1:
            return 0x07400010 | field(high, 16) | field(low, 12) | field(s, 8) | field(self.r.randrange(4), 5) | m
        if kind == 2:
            op = self.r.choice([0, 1, 6, 7])
            if op < 2 and self.r.random() < 0.3:
                low = 15
            return 0x07500010 | field(high, 16) | field(low, 12) | field(s, 8) | field(op, 5) | m
        low = 15 if self.r.random() < 0.3 else low
        return 0x07800010 | field(high, 16) | field(low, 12) | field(s, 8) | m

    def parallel(self):
        return 0x06000010 | field(self.r.choice([1, 2, 3, 5, 6, 7]), 20) | field(self.any(), 16) | \
            field(self.low(), 12) | 0xF00 | field(self.r.choice([0, 1, 2, 3, 4, 7]), 5) | self.any()

    def packing(self):
        d, m, n = self.low(), self.any(), self.any()
        kind = self.r.randrange(6)
        if kind == 0:
            return 0x06800010 | field(n, 16) | field(d, 12) | field(self.r.randrange(32), 7) | field(self.r.randrange(2), 6) | m
        if kind == 1:
            return 0x06A00010 | field(self.r.randrange(2), 22) | field(self.r.randrange(32), 16) | field(d, 12) | \
                field(self.r.randrange(32), 7) | field(self.r.randrange(2), 6) | m
        if kind == 2:
            return 0x06A00F30 | field(self.r.randrange(2), 22) | field(self.r.randrange(16), 16) | field(d, 12) | m
        if kind == 3:
            return 0x06800070 | field(self.r.choice([0, 2, 3, 4, 6, 7]), 20) | field(self.r.choice([15, n]), 16) | \
                field(d, 12) | field(self.r.randrange(4), 10) | m
        if kind == 4:
            return 0x06800FB0 | field(n, 16) | field(d, 12) | m
        return self.r.choice([0x06BF0F30, 0x06BF0FB0, 0x06FF0FB0]) | field(d, 12) | m

    def miscellaneous(self):
        kind = self.r.randrange(5)
        if kind == 0:
            return 0x016F0F10 | field(self.low(), 12) | self.any()
        if kind == 1:
            return 0x01000050 | field(self.r.randrange(4), 21) | field(self.any(), 16) | field(self.low(), 12) | self.any()
        if kind == 2:
            return 0x010F0000 | field(self.low(), 12)
        if kind == 3:
            return 0x0120F000 | field(self.r.choice([4, 8, 12]), 16) | self.any()
        return 0x0320F000 | field(self.r.choice([4, 8, 12]), 16) | field(self.r.randrange(16), 8) | self.r.randrange(256)

    def transfer(self):
        """r10 and r11 point into the data; r11 stays a multiple of 8, as what is written back there is one."""
        load, up, pre = self.r.randrange(2), self.r.randrange(2), self.r.randrange(2)
        kind = self.r.randrange(6)
        base = 11 if kind == 4 or self.r.random() < 0.2 else 10
        back = int(self.r.random() < 0.3 if pre else 0)
        word = field(pre, 24) | field(up, 23) | field(back, 21) | field(base, 16)
        step = 8 if back or not pre else (4, 1, 0, 2, 8, 1)[kind]
        offset = self.r.randrange(256 // step) * step if step else 0
        split = field(offset >> 4, 8) | (offset & 15)
        if kind == 0:
            return 0x04000000 | word | field(load, 20) | field(self.low(), 12) | offset
        if kind == 1:
            return 0x04400000 | word | field(load, 20) | field(self.low(), 12) | offset
        if kind == 2:  # register offsets: r12 is 24
            return 0x06000000 | word | field(load, 20) | field(self.low(), 12) | field(self.r.randrange(3), 7) | 12
        if kind == 3:
            code = self.r.choice([1, 3]) if load else 1
            return 0x00400090 | word | field(load, 20) | field(self.low(), 12) | field(code, 5) | split
        if kind == 4:
            return 0x00400090 | word | field(self.r.randrange(5) * 2, 12) | field(self.r.choice([2, 3]), 5) | split
        return 0x005000D0 | word | field(self.low(), 12) | split

    def block(self):
        load = self.r.randrange(2)
        members = self.r.randrange(1, 1024)
        if self.r.random() < 0.3 and not load:
            members |= 0x4000
        return 0x08000000 | field(self.r.randrange(4), 23) | field(self.r.randrange(2), 21) | field(load, 20) | \
            field(10, 16) | members

    def swap(self):
        d, m = self.r.sample(range(10), 2)
        return 0x01000090 | field(self.r.randrange(2), 22) | field(11, 16) | field(d, 12) | m

    def exclusive(self):
        """A load and a store, one after the other, or with CLREX between them. (unicorn compares values where stores
        come between; the manual leaves that case to the implementation.)"""
        d, m = self.r.sample(range(10), 2)
        size = self.r.choice([0, 2, 3]) << 21
        middle = [0xF57FF01F] if self.r.random() < 0.3 else []
        return [0xE1900F9F | size | field(11, 16) | field(self.low(), 12)] + middle + \
            [self.condition() | 0x01800F90 | size | field(11, 16) | field(d, 12) | m]

    def branch(self):
        """Over the next instruction, or to it."""
        return 0x0A000000 | field(self.r.randrange(2), 24) | self.r.choice([0, 0xFFFFFF])

    def instruction(self):
        kind = self.r.random()
        for limit, make in ((0.3, self.data), (0.36, self.multiply), (0.42, self.half_multiply), (0.48, self.dual),
                            (0.56, self.parallel), (0.66, self.packing), (0.72, self.miscellaneous),
                            (0.88, self.transfer), (0.95, self.block), (0.97, self.swap), (1.0, self.branch)):
            if kind < limit:
                return self.condition() | make()
        raise AssertionError

    def words(self):
        """Every few instructions the base registers are set again, as write-back moves them."""
        result = [0xF57FF01F]  # CLREX: nothing is left of the block before
        while len(result) < BLOCK:
            result += BASES + [self.instruction() for _ in range(3)]
            if result[-1] >> 25 & 7 == 5:  # a branch must not skip what follows
                result[-1] = 0xE1A00000
            if self.r.random() < 0.05:
                result += self.exclusive() + [0xF57FF01F]
            if self.r.random() < 0.2:  # a branch over up to 7 instructions
                over = self.r.randrange(8)
                result.append(self.condition() | 0x0A000000 | field(self.r.randrange(2), 24) | (over - 1 & 0xFFFFFF))
                result += [self.condition() | self.data() for _ in range(over)]
        return result + [0xE1A00000]  # unicorn may miss the end behind MSR


def interesting(rng):
    return rng.choice([rng.getrandbits(32), rng.getrandbits(8), 0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
                       rng.getrandbits(32) & 0x7FFF7FFF, 0x80008000, 0x7FFF8000])
