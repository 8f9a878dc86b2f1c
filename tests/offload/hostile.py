#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A guest that says anything but what it should, a region that changes under the server, programs that go wrong: each
ends in an error on both sides, nothing hangs, the server serves on, and nothing of the region changes but results.
Usage: hostile.py MANIPLE ELF-FOLDER"""
import os
import pathlib
import random
import struct
import sys
import time

import protocol as p

MANIPLE, ELF = sys.argv[1], pathlib.Path(sys.argv[2])
cases = p.Cases()


def put(region, name, at=p.HEAD):
    data = (ELF / f"{name}.elf").read_bytes()
    region[at:at + len(data)] = data
    return at, len(data)


def bad_messages(server):
    guest = p.Guest(server, hello=False)
    reply = guest.ask(p.PING)
    cases.ok(reply and reply.status == p.BAD_SESSION, "a ping without a session is refused")
    guest.hello()
    cases.ok(guest.works(), "a HELLO begins a session")
    guest.send(random.Random(1).randbytes(20000))
    cases.ok(guest.works(), "20000 bytes of noise are passed over")
    guest.send(p.message(p.PING, 50, guest.session, b"abc", wrong=1) + p.message(p.PING, 51, guest.session, magic=7) +
               p.message(p.PING, 52, guest.session, version=9) + p.message(p.PING, 53, guest.session, length=1 << 31))
    guest.sequence = 60
    reply = guest.ask(p.PING)
    cases.ok(reply and reply.status == p.OK, "headers with a wrong check, magic, version or length are passed over")
    for kind, payload, name in ((77, b"", "an unknown type"), (p.REPLY, b"", "a reply"), (p.HELLO, b"x", "a long HELLO"),
                                (p.PING, bytes(65), "a long ping"), (p.CANCEL, b"", "an empty cancellation"),
                                (p.LAUNCH, b"", "an empty launch"), (p.LAUNCH, bytes(79), "a launch that is cut off"),
                                (p.LAUNCH, p.launch(p.HEAD, 8, counts=(64, 64, 4095)), "a launch without its tables")):
        reply = guest.ask(kind, payload)
        cases.ok(reply and reply.status in (p.BAD_MESSAGE, p.BAD_REQUEST, p.BAD_SESSION) and guest.works(),
                 f"{name} is refused", vars(reply) if reply else "no reply")
    reply = guest.ask(p.CANCEL, struct.pack("<I", 4711))
    cases.ok(reply and reply.status == p.BAD_REQUEST, "a cancellation of nothing is refused")
    old = guest.session
    guest.send(p.message(p.LAUNCH, 200, old, bytes(200))[:100])  # a program that died while it wrote
    guest.hello()
    cases.ok(guest.session not in (0, old) and guest.works(), "a HELLO behind half a message begins a new session")
    guest.session, new = old, guest.session
    reply = guest.ask(p.PING)
    cases.ok(reply and reply.status == p.BAD_SESSION, "the session before is over")
    guest.session = new
    guest.close()


def bad_places(server):
    guest, region = p.Guest(server), server.map()
    at, length = put(region, "fibonacci")
    size = server.size
    for program in ((0, length), (p.HEAD - 1, length), (size - 1, 2), (2**64 - 8, 16), (at, 2**63), (at, 0)):
        reply = guest.ask(p.LAUNCH, p.launch(*program))
        cases.ok(reply and reply.status == p.BAD_REGION, f"a program of {program[1]} bytes at {program[0]} is refused")
    for buffer in ((0, 64, 0x80000000, 0, p.OUT), (size, 1, 0x80000000, 0, p.IN), (size - 63, 64, 0x80000000, 0, p.OUT),
                   (2**64 - 64, 128, 0x80000000, 0, p.OUT)):
        reply = guest.ask(p.LAUNCH, p.launch(at, length, buffers=[buffer]))
        cases.ok(reply and reply.status == p.BAD_REGION, f"a buffer of {buffer[1]} bytes at {buffer[0]} is refused")
    free = size // 2
    for buffer, name in (((free, 64, 0x7FFFFFC1, 0, p.OUT), "before shared memory"),
                         ((free, 64, 0x80000000 + 40 * 2**20 - 63, 0, p.IN), "behind shared memory"),
                         ((free, 64, 2**64 - 32, 0, p.IN), "around the end of all addresses"),
                         ((free, 64 * 5, 0, 64, p.IN | p.SPREAD), "over a fifth bank of four"),
                         ((free, 64, 40 * 2**20 // 4 - 63, 64, p.OUT | p.SPREAD), "behind a bank"),
                         ((free, 4096, 0x8000, 0, p.IN | p.PRIVATE), "over the program"),
                         ((free, 4096, 0xFFFFF000, 0, p.IN | p.PRIVATE), "at the end of private memory")):
        reply = guest.ask(p.LAUNCH, p.launch(at, length, buffers=[buffer]))
        cases.ok(reply and reply.status == p.PROGRAM and reply.message, f"a buffer that lies {name} is refused",
                 vars(reply) if reply else "no reply")
    reply = guest.ask(p.LAUNCH, p.launch(at, length, entry=0x8002))
    cases.ok(reply and reply.status == p.PROGRAM, "an entry inside of an instruction is refused")
    region[size - 4096:] = bytes(4096)
    reply = guest.ask(p.LAUNCH, p.launch(size - 4096, 4096))
    cases.ok(reply and reply.status == p.PROGRAM and "ELF" in reply.message, "zeroes are no program")
    guest.close()
    region.close()


def damaged_programs(server):
    guest, region = p.Guest(server), server.map()
    at, length = put(region, "matmul")
    whole, noise = bytes(region[at:at + length]), random.Random(2)
    statuses = set()
    for _ in range(40):
        for _ in range(3):
            region[at + noise.randrange(min(length, 400))] = noise.randrange(256)
        reply = guest.ask(p.LAUNCH, p.launch(at, length, b"matmul 4", milliseconds=1000))
        statuses.add(reply.status if reply else None)
        region[at:at + length] = whole
    cases.ok(None not in statuses and statuses <= {p.OK, p.PROGRAM, p.FAULT, p.LIMIT, p.STUCK},
             "40 damaged programs each get a reply", statuses)
    reply = guest.ask(p.LAUNCH, p.launch(at, length, b"matmul 4"))
    cases.ok(reply and reply.status == p.OK and "right on 4 cores" in reply.output, "the program itself still runs")
    guest.close()
    region.close()


def wrong_programs(server):
    guest, region = p.Guest(server), server.map()
    at, length = put(region, "wrong")
    reply = guest.ask(p.LAUNCH, p.launch(at, length, b"wrong 5"))
    cases.ok(reply and reply.status == p.FAULT and "0x70000000" in reply.message, "a fault is told, with its address")
    reply = guest.ask(p.LAUNCH, p.launch(at, length, b"wrong 2", cycles=100000))
    cases.ok(reply and reply.status == p.LIMIT and "100000 cycles" in reply.message, "a limit of cycles ends a loop")
    begin = time.monotonic()
    reply = guest.ask(p.LAUNCH, p.launch(at, length, b"wrong 2", milliseconds=300))
    spent = time.monotonic() - begin
    cases.ok(reply and reply.status == p.LIMIT and 0.29 < spent < 15, f"a limit of 300 ms ends one ({spent:.2f} s)")
    guest.sequence += 1
    running = guest.sequence
    guest.send(p.message(p.LAUNCH, running, guest.session, p.launch(at, length, b"wrong 2")))
    cases.ok(guest.works(), "the server answers while a program runs")
    guest.sequence += 1
    guest.send(p.message(p.CANCEL, guest.sequence, guest.session, struct.pack("<I", running)))
    statuses = {reply.sequence: reply.status for reply in (guest.receive(), guest.receive()) if reply}
    cases.ok(statuses == {running: p.CANCELLED, guest.sequence: p.OK}, "a launch that runs is cancelled", statuses)
    put(region, "fibonacci")
    reply = guest.ask(p.LAUNCH, p.launch(at, (ELF / "fibonacci.elf").stat().st_size, b"fibonacci 5"))
    cases.ok(reply and reply.status == p.OK and "right on 4 cores" in reply.output, "and the next one runs")
    guest.close()
    region.close()


def replays(server):
    guest, region = p.Guest(server), server.map()
    at, length = put(region, "fibonacci")
    first = p.message(p.LAUNCH, 10, guest.session, p.launch(at, length, b"fibonacci 5"))
    guest.send(first + first)
    replies = [guest.receive(), guest.receive()]
    cases.ok(all(replies) and sorted(reply.status for reply in replies) == [p.OK, p.BAD_MESSAGE],
             "a launch that is sent twice runs once")
    guest.sequence = 10
    many = b"".join(p.message(p.LAUNCH, 11 + i, guest.session, p.launch(at, length, b"fibonacci 5")) for i in range(60))
    guest.send(many)
    replies = [guest.receive() for _ in range(60)]
    statuses = [reply.status for reply in replies if reply]
    cases.ok(len(statuses) == 60 and statuses.count(p.BUSY) >= 1 and statuses.count(p.OK) >= 32,
             f"of 60 launches at once those that are too many are refused ({statuses.count(p.BUSY)})")
    guest.sequence = 100
    cases.ok(guest.works(), "and the session goes on")
    guest.close()
    region.close()


def results_alone(server):
    """Nothing of the region is written but the buffers that are results."""
    guest, region = p.Guest(server), server.map()
    noise = random.Random(3)
    region[p.HEAD:] = noise.randbytes(server.size - p.HEAD)
    at, length = put(region, "product")
    n, rows, place = 8, 8, p.HEAD + 65536
    a = [noise.randrange(-99, 99) for _ in range(rows * n)]
    b = [noise.randrange(-99, 99) for _ in range(n * n)]
    piece, size = rows // 4 * n * 4, rows * n * 4
    region[place:place + size] = struct.pack(f"<{rows * n}i", *a)
    region[place + 4096:place + 4096 + n * n * 4] = struct.pack(f"<{n * n}i", *b)
    before = bytes(region)
    reply = guest.ask(p.LAUNCH, p.launch(at, length, f"product {rows} {n}".encode(), buffers=[
        (place, size, 1536, piece, p.IN | p.SPREAD), (place + 8192, size, 1536 + piece, piece, p.OUT | p.SPREAD),
        (place + 4096, n * n * 4, 0x100000, 0, p.IN | p.PRIVATE)]))
    after = bytes(region)
    c = [sum(a[i * n + k] * b[k * n + j] for k in range(n)) for i in range(rows) for j in range(n)]
    cases.ok(reply and reply.status == p.OK and after[place + 8192:place + 8192 + size] == struct.pack(f"<{rows * n}i", *c),
             "a matrix product is right", vars(reply) if reply else "no reply")
    cases.ok(after[:place + 8192] == before[:place + 8192] and after[place + 8192 + size:] == before[place + 8192 + size:],
             "nothing but the result has changed in the region")
    guest.close()
    region.close()


def gone_guests(server):
    region = server.map()
    at, length = put(region, "wrong")
    for _ in range(5):
        guest = p.Guest(server)
        guest.send(p.message(p.LAUNCH, 5, guest.session, p.launch(at, length, b"wrong 2")))
        guest.close()
    guests = [p.Guest(server, hello=False) for _ in range(12)]  # that say nothing
    guest = p.Guest(server)
    cases.ok(guest.works(), "guests that leave with launches running, and silent ones, hinder nobody")
    for silent in guests:
        silent.close()
    begin = time.monotonic()
    put(region, "fibonacci")
    reply = guest.ask(p.LAUNCH, p.launch(at, (ELF / "fibonacci.elf").stat().st_size, b"fibonacci 5"))
    cases.ok(reply and reply.status == p.OK, f"their launches are ended ({time.monotonic() - begin:.2f} s)")
    try:
        guest.send(p.message(p.PING, 1, guest.session, bytes(64)) * 20000)  # and never reads
    except OSError:
        pass  # it was given up while it wrote
    time.sleep(0.2)
    other = p.Guest(server)
    cases.ok(other.works(), "a guest that does not read its replies hinders nobody")
    other.close()
    guest.close()
    region.close()


def random_guests(server):
    """Guests that do anything, in any order, with any numbers, while the region changes under the server."""
    noise, guests, region = random.Random(7), [], server.map()
    names = ("fibonacci", "matmul", "wrong", "product")
    numbers = (0, 1, 7, p.HEAD, server.size, 2 ** 31, 2 ** 32 - 1, 2 ** 63, 2 ** 64 - 1)
    for _ in range(int(os.environ.get("MANIPLE_TEST_TURNS", 300))):
        if not guests or (len(guests) < 8 and noise.random() < 0.2):
            guests.append(p.Guest(server, hello=noise.random() < 0.8))
        guest = noise.choice(guests)
        guest.sequence += noise.choice((1, 1, 1, 0, 1000))
        step = noise.randrange(8)
        try:
            if step < 3:
                at, length = put(region, noise.choice(names))
                any_number = lambda usual: usual if noise.random() < 0.7 else noise.choice(numbers)
                buffers = [(any_number(p.HEAD + 65536), any_number(64), any_number(0x80000000), any_number(0) % 2 ** 32,
                            noise.randrange(16)) for _ in range(noise.choice((0, 0, 1, 3)))]
                guest.send(p.message(p.LAUNCH, guest.sequence % 2 ** 32, guest.session, p.launch(
                    any_number(at), any_number(length), noise.choice((b"fibonacci 5", b"matmul 4", b"wrong 2", b"wrong 5", b"")), buffers=buffers,
                    kind=noise.choice((p.ELF, p.ELF, p.PTX, 9)), cores=any_number(1) % 2 ** 32, entry=any_number(0) % 2 ** 32,
                    cycles=any_number(1000), milliseconds=200)))
            elif step == 3:
                guest.send(p.message(p.CANCEL, guest.sequence % 2 ** 32, guest.session, struct.pack("<I", guest.sequence % 2 ** 32)))
            elif step == 4:
                guest.send(noise.randbytes(noise.randrange(1, 3000)))
            elif step == 5:
                guest.send(p.message(noise.randrange(9), guest.sequence % 2 ** 32, guest.session, noise.randbytes(noise.randrange(200))))
            elif step == 6:
                at = noise.randrange(server.size - 4096)
                region[at:at + 4096] = noise.randbytes(4096)
            else:
                guests.remove(guest)
                guest.close()
        except OSError:
            guests.remove(guest) # it was given up
    for guest in guests:
        guest.close()
    region.close()
    last = p.Guest(server)
    cases.ok(server.alive() and last.works(), "guests that do anything hinder nobody", server.log.read_text()[-600:])
    last.close()


def idle_guests(server):
    """More than the server has places for: those that say nothing, then those that have a session and do nothing."""
    for begins, seconds in ((False, 6), (True, 15)):
        guests = [p.Guest(server, hello=begins) for _ in range(16)]
        begin = time.monotonic()
        guest = p.Guest(server)
        works = guest.works()
        spent = time.monotonic() - begin
        cases.ok(works and spent < seconds, f"16 idle guests {'with' if begins else 'without'} sessions make room ({spent:.1f} s)")
        busy = guests[1:]
        cases.ok(not begins or sum(other.works() for other in busy) >= 14, "but for one, they stay")
        for other in guests + [guest]:
            other.close()


def changed_regions(server):
    guest = p.Guest(server)
    region = server.map()
    at, length = put(region, "fibonacci")
    region.close()
    os.truncate(server.memory, p.HEAD)
    reply = guest.ask(p.LAUNCH, p.launch(at, length, b"fibonacci 5"))
    cases.ok(reply and reply.status == p.BAD_REGION and "shorter" in reply.message, "a region that was cut off is told")
    os.truncate(server.memory, server.size)
    with open(server.memory, "r+b") as file:
        file.seek(at)
        file.write((ELF / "fibonacci.elf").read_bytes())
    reply = guest.ask(p.LAUNCH, p.launch(at, length, b"fibonacci 5"))
    cases.ok(reply and reply.status == p.OK, "and serves again when it is whole")
    os.unlink(server.memory)
    reply = guest.ask(p.LAUNCH, p.launch(at, length, b"fibonacci 5"))
    cases.ok(reply and reply.status == p.BAD_REGION and "removed" in reply.message, "a region that was removed is told")
    reply = guest.hello()
    cases.ok(reply and reply.status == p.BAD_REGION, "and there are no new sessions")
    guest.close()


def main():
    server = p.Server(MANIPLE, "--threads", "1")
    try:
        for part in (bad_messages, bad_places, damaged_programs, wrong_programs, replays, results_alone, gone_guests,
                     random_guests, idle_guests, changed_regions):
            part(server)
            if not server.alive():
                cases.ok(False, f"the server has outlived {part.__name__}", server.log.read_text()[-2000:])
                break
        log = server.log.read_text()
        status = server.stop()
        cases.ok(status == 0 and "offloads" in server.summary, "the server ends in order, with a summary", server.summary)
        cases.ok(not os.path.exists(server.memory), "and leaves no region behind")
        cases.ok(log.count("\noffload ") == int(server.summary.split(":")[1].split()[0]), "each offload has its line")
    finally:
        server.close()
    return cases.end()


sys.exit(main())
