#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rules for the room of lines and of their copies in a divided L2, on a set of its own: which reads find nothing.

Usage: l2_room.py [--ways N] [--sets N] [--rounds N]

A set of a slice has as many places as ways. A line takes one where it belongs, and one more where a copy of it lies in the other
half; by symmetry the copies that other halves' sets have of these lines stand for those that this set has of theirs. Rules:
  one room        line and copy are used when they are read, and the least recent of all gives up its place
  copies first    the same, but copies give up their places before lines do
  random          any of them gives up its place
Patterns, by the share of the L2 that the lines take:
  chain   one SM reads all lines in one order, again and again: half of the sets belong to its own half
  all     SMs of both halves read the lines by turns, in about one order
  scale   half of the lines are read and the others written whole, then the other way round; either half reads a line
Prints the share of reads that go to DRAM, and the share whose data cross between the halves."""
import argparse
import random

PATTERNS = {"chain": (0.45, 0.54, 0.69, 0.87, 1.1), "all": (0.49, 0.72, 0.86, 1.24), "scale": (0.33, 0.56, 0.95)}
RULES = ("one room", "copies first", "random")


class Set:
    """Places of lines and copies; (line, True) is a copy."""
    def __init__(self, ways, rule, dice):
        self.ways, self.rule, self.dice = ways, rule, dice
        self.used, self.now = {}, 0

    def give_up(self):
        copies = [entry for entry in self.used if entry[1]] if self.rule == "copies first" else []
        pool = copies or list(self.used)
        del self.used[self.dice.choice(pool) if self.rule == "random" else min(pool, key=self.used.get)]

    def use(self, entry):
        """Whether the entry was there; it is now."""
        there = entry in self.used
        if not there and len(self.used) >= self.ways:
            self.give_up()
        self.now += 1
        self.used[entry] = self.now
        return there

    def read(self, line, far):
        """(goes to DRAM, crosses)"""
        if far and (line, True) in self.used:
            self.use((line, True))
            return False, False
        found = self.use((line, False))
        if far:
            self.use((line, True))
        return not found, far

    def write(self, line):
        self.used.pop((line, True), None)
        self.use((line, False))


def accesses(pattern, lines, number, round_, dice):
    """(line, whether it is read for the other half, whether it is written) of one round."""
    if pattern == "chain":
        return [(line, number % 2 == 1, False) for line in range(lines)]
    if pattern == "all":
        order = sorted(range(lines), key=lambda line: line + dice.gauss(0, 0.15 * lines))
        return [(line, dice.random() < 0.5, False) for line in order]
    half, found = lines // 2, []
    for i in range(half):
        first, second = (i, i + half) if round_ % 2 == 0 else (i + half, i)
        found += [(first, dice.random() < 0.5, False), (second, False, True)]
    return found


def simulate(pattern, share, rule, options):
    dice, reads, misses, crossings = random.Random(1), 0, 0, 0
    for number in range(options.sets):
        lines = max(2, round(share * options.ways + dice.uniform(-0.5, 0.5)))
        places = Set(options.ways, rule, dice)
        for round_ in range(options.rounds):
            for line, far, written in accesses(pattern, lines, number, round_, dice):
                if written:
                    places.write(line)
                    continue
                missed, crossed = places.read(line, far)
                if round_ >= options.rounds // 2:  # what comes before fills the set
                    reads, misses, crossings = reads + 1, misses + missed, crossings + crossed
    return misses / reads, crossings / reads


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ways", type=int, default=20)
    parser.add_argument("--sets", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    for pattern, shares in PATTERNS.items():
        for share in shares:
            cells = [simulate(pattern, share, rule, options) for rule in RULES]
            print(f"{pattern:6} {share:5.2f}  " + "  ".join(f"{rule}: {100 * m:3.0f} % DRAM, {100 * c:2.0f} % cross" for rule, (m, c) in zip(RULES, cells)))


if __name__ == "__main__":
    main()
