#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Inputs of the programs of Rodinia that `make validation` runs, of the sizes of Accel-Sim's runs: random numbers, on which no
kernel's control flow depends, and the graph of bfs out of a trace of it. Usage: rodinia_data.py FOLDER [BFS-TRACE]"""
import pathlib
import random
import struct
import sys

NODES, EDGES = 4096, 24576


def matrix(n, rnd):
    """A product of triangular matrices, so that lud divides by no small number."""
    lower = [[rnd.random() if i > j else float(i == j) for j in range(n)] for i in range(n)]
    upper = [[rnd.random() + 0.1 if i <= j else 0 for j in range(n)] for i in range(n)]
    rows = [[sum(lower[i][k] * upper[k][j] for k in range(min(i, j) + 1)) for j in range(n)] for i in range(n)]
    return f"{n}\n" + "".join(" ".join(f"{v:.6f}" for v in row) + "\n" for row in rows)


def storm(rnd):
    """A record of nn's files: a date, a name, a place, wind and pressure, in 49 columns."""
    date = (1950 + rnd.randrange(55), 1 + rnd.randrange(12), 1 + rnd.randrange(28), 6 * rnd.randrange(4), 1 + rnd.randrange(28))
    name = rnd.choice("ALBERTO BERYL CHRIS DEBBY ERNESTO".split())
    return "%4d %2d %2d %2d %2d %-9s %5.1f %5.1f %4d %4d\n" % (
        *date, name, 7 + rnd.random() * 63, rnd.random() * 358, 10 + rnd.randrange(155), rnd.randrange(900))


def film(width, height, frames, rnd):
    """An AVI file of grey frames without compression, for heartwall."""
    def chunk(tag, data):
        return tag + struct.pack("<I", len(data)) + data + (b"\0" if len(data) & 1 else b"")

    picture = bytes(rnd.randrange(256) for _ in range(width * height))
    head = struct.pack("<14I", 40000, len(picture) * 25, 0, 0x10, frames, 0, 1, len(picture), width, height, 0, 0, 0, 0)
    stream = b"vids\0\0\0\0" + struct.pack("<IHHIIIIIIII", 0, 0, 0, 0, 1, 25, 0, frames, len(picture), 0, 0) + struct.pack(
        "<4h", 0, 0, width, height)
    form = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 0, len(picture), 0, 0, 0, 0)
    header = chunk(b"LIST", b"hdrl" + chunk(b"avih", head) + chunk(b"LIST", b"strl" + chunk(b"strh", stream) + chunk(b"strf", form)))
    movie, index = b"movi", b""
    for _ in range(frames):
        index += b"00db" + struct.pack("<III", 0x10, len(movie), len(picture))
        movie += chunk(b"00db", picture)
    return chunk(b"RIFF", b"AVI " + header + chunk(b"LIST", movie) + chunk(b"idx1", index))


def addresses(mask, words):
    """Address of each lane: a list, a base and a stride, or a base and differences."""
    lanes = [lane for lane in range(32) if mask >> lane & 1]
    if words[0] == "0":
        return {lane: int(word, 16) for lane, word in zip(lanes, words[1:])}
    base = int(words[1], 16)
    if words[0] == "1":
        return {lane: base + int(words[2]) * (lane - lanes[0]) for lane in lanes}
    found = {lanes[0]: base}
    for lane, word in zip(lanes[1:], words[2:]):
        base += int(word)
        found[lane] = base
    return found


def graph(trace):
    """The graph of which a trace of bfs has every edge: which edges a node reads, and which node each of them leads to."""
    edges_at, visited_at = 0x7fc841508000, 0x7fc841522000  # where that trace has its arrays
    edges_of, ends = {}, {}
    for kernel in range(1, 17, 2):
        block = warp = 0
        last = {}
        for line in open(trace / f"kernel-{kernel}.traceg", encoding="utf-8"):
            if line.startswith("thread block"):
                block = int(line.split("=")[1].split(",")[0])
            elif line.startswith("warp ="):
                warp, last = int(line.split("=")[1]), {}
            elif "LDG" in line and int(line.split()[1], 16):
                words = line.split()
                behind = 5 + int(words[2]) + int(words[4 + int(words[2])])
                for lane, address in addresses(int(words[1], 16), words[behind + 1:]).items():
                    node = block * 512 + warp * 32 + lane
                    if edges_at <= address < edges_at + 4 * EDGES:
                        last[lane] = (address - edges_at) // 4
                        edges_of.setdefault(node, set()).add(last[lane])
                    elif visited_at <= address < visited_at + NODES and lane in last:
                        ends[last.pop(lane)] = address - visited_at
    nodes = [(min(edges_of[n]), len(edges_of[n])) if n in edges_of else (0, 0) for n in range(NODES)]
    return (f"{NODES}\n" + "".join(f"{first} {count}\n" for first, count in nodes) + f"\n0\n\n{EDGES}\n" +
            "".join(f"{ends.get(edge, 0)} 1\n" for edge in range(EDGES)))


def main():
    folder, rnd = pathlib.Path(sys.argv[1]), random.Random(1)
    folder.mkdir(parents=True, exist_ok=True)
    files = {"gold.txt": "0\n",
             "temp.dat": "".join(f"{323 + rnd.random() * 10:.6f}\n" for _ in range(900)),
             "power.dat": "".join(f"{rnd.random() * 1e-3:.6f}\n" for _ in range(900)),
             "64.dat": matrix(64, rnd),
             "matrix128x128.txt": "128 128\n" + "".join(" ".join(f"{rnd.random():.6f}" for _ in range(128)) + "\n"
                                                         for _ in range(128)),
             "filelist_4": "".join(f"data/cane4_{j}.db\n" for j in range(4))}
    files |= {f"cane4_{j}.db": "".join(storm(rnd) for _ in range(10691)) for j in range(4)}
    if len(sys.argv) > 2:
        files["graph4096.txt"] = graph(pathlib.Path(sys.argv[2]))
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "test.avi").write_bytes(film(744, 656, 2, random.Random(2)))


main()
