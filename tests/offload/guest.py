#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs with the guest library, on this host: right results, the cycles of `maniple run`, a server that comes late, is
killed and stopped, launches at the same time, the doorbell and the FIFOs, and kernels on a GPU.
Usage: guest.py MANIPLE ELF-FOLDER SANITIZERS PROGRAM…"""
import array
import json
import lzma
import os
import pathlib
import random
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

import protocol as p

MANIPLE, ELF, SANITIZERS = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
PROGRAMS = {pathlib.Path(path).name.removeprefix("offload-"): path for path in sys.argv[4:]}
NOISE = int(os.environ.get("MANIPLE_SEED", "1"))
cases = p.Cases()


def begin(server, name, *words, **variables):
    environment = dict(os.environ, MANIPLE_DEVICE=f"local:{server.socket_path}:{server.memory}",
                       MANIPLE_PROGRAMS=str(ELF), **variables)
    return subprocess.Popen([PROGRAMS[name], *map(str, words)], env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


def finish(process, seconds=120):
    try:
        text = process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        text = process.communicate()[0] + "\nit hangs"
    return process.returncode, text


def run(server, name, *words, **variables):
    return finish(begin(server, name, *words, **variables))


def right_results(server):
    for name, words in (("matmul", (5, 40)), ("ncc", (16, 33))):
        status, text = run(server, name, *words)
        cases.ok(status == 0 and "right" in text, f"{name} on {words[0]} cores, {words[1]} rows", text)
    status, text = run(server, "probe", "bandwidth", "1")
    cases.ok(status == 0, "the region is copied to and from", text)
    status, text = run(server, "probe", "latency", "50")
    median = re.search(r"empty launch: .*median ([0-9.]+) us", text)
    cases.ok(status == 0 and median, f"an empty launch: median {median[1] if median else '?'} us", text)
    for kind, word in ((5, "status 7"), (2, "status 8")):
        status, text = run(server, "probe", "fault", kind)
        cases.ok(status == 0 and word in text, f"a program that goes wrong gives {word}", text)


def wrong_words():
    """Errors of programs on a host without a server."""
    environment = {name: value for name, value in os.environ.items() if name != "MANIPLE_DEVICE"}
    for words, wanted in ((("matmul", "0", "8"), "set MANIPLE_DEVICE=local:SOCKET:MEMORY"), (("matmul", "0", "abc"), 'rows: "abc" is no number'),
                          (("ncc", "x"), 'cores: "x" is no number')):
        done = subprocess.run([PROGRAMS[words[0]], *words[1:]], env=environment, capture_output=True, text=True, timeout=60)
        cases.ok(done.returncode == 2 and wanted in done.stderr, f"{' '.join(words)}: {wanted}", done.stderr)


def same_cycles(server):
    """A launch without buffers is the program that `maniple run` runs."""
    guest, region = p.Guest(server), server.map()
    for name, words in (("barrier", ("2", "2", "64")), ("fft", ("64",))):
        data = (ELF / f"{name}.elf").read_bytes()
        region[p.HEAD:p.HEAD + len(data)] = data
        text = " ".join((f"{name}.elf", *words)).encode()
        reply = guest.ask(p.LAUNCH, p.launch(p.HEAD, len(data), text, cores=16))
        out = subprocess.run([MANIPLE, "run", "--machine", "manycore-2", "--cores", "16", "--threads", "1", "--format", "json",
                              "--", str(ELF / f"{name}.elf"), *words], capture_output=True, text=True, check=True).stdout
        total = json.loads(out)["total"]["statistics"]
        told = dict(line.split()[:2] for line in reply.statistics.splitlines())
        cases.ok(reply.cycles == total["global_cycles"]["value"] and reply.instructions == total["instructions"]["value"] and
                 all(int(told[key]) == total[key]["value"] for key in ("s_events", "noc_hops", "l1d_misses")) and
                 reply.femtoseconds == reply.cycles * 10**6,
                 f"{name} takes the cycles, and has the statistics, of a run of its own ({reply.cycles})", told)
    guest.close()
    region.close()


def late_killed_stopped():
    server = p.Server(MANIPLE, "--threads", "1")
    try:
        server.kill()
        process = begin(server, "matmul", 4, 8)
        time.sleep(0.5)
        server.start()
        status, text = finish(process)
        cases.ok(status == 0 and "right" in text, "a server that comes later is found", text)
        process = begin(server, "probe", "survive", MANIPLE_PROBE_SECONDS="3")
        for _ in range(3):
            time.sleep(0.3)
            server.kill()
            time.sleep(0.2)
            server.start()
        server.process.send_signal(signal.SIGSTOP)
        time.sleep(2.3)  # longer than the guest waits
        server.process.send_signal(signal.SIGCONT)
        status, text = finish(process)
        counts = re.search(r"survived: (\d+) .* result, (\d+) without; the longest took (\d+) ms", text)
        cases.ok(status == 0 and counts and int(counts[1]) > 5 and int(counts[3]) < 12000,
                 "a guest outlives a server that is killed three times, and stopped", text[-1500:])
        print("#", counts[0] if counts else text[-300:])
        cases.ok(server.stop() == 0, "the server ends in order")
        status, text = run(server, "matmul", 4, 8)
        cases.ok(status == 2 and "no such device" in text, "without a server a guest says so", text)
    finally:
        server.close()


def at_the_same_time():
    server = p.Server(MANIPLE, "--threads", "1", "--coprocessors", "3", "-o", "/dev/shm/maniple-test-out")
    try:
        region = server.map()
        data = (ELF / "wrong.elf").read_bytes()
        region[p.HEAD:p.HEAD + len(data)] = data
        guests = [p.Guest(server) for _ in range(3)]
        begin_time = time.monotonic()
        for guest in guests:
            guest.send(p.message(p.LAUNCH, 7, guest.session,
                                 p.launch(p.HEAD, len(data), b"wrong 2", milliseconds=700)))
        statuses = [guest.reply_to(7).status for guest in guests]
        spent = time.monotonic() - begin_time
        cases.ok(statuses == [p.LIMIT] * 3 and 0.69 < spent < 1.35, f"three launches of 0.7 s run at once ({spent:.2f} s)")
        region.close()
        cases.ok(server.stop() == 0, "the server ends in order")
        told = json.loads(pathlib.Path("/dev/shm/maniple-test-out/offloads.json").read_text())
        cases.ok(told["format"] == "maniple-offloads-1" and [row["status"] for row in told["offloads"]] == ["limit"] * 3 and
                 told["total"]["without_success"] == 3 and
                 sum(row["whole_ns"] for row in told["offloads"]) == told["total"]["whole_ns"], "offloads.json tells them")
    finally:
        server.close()
        subprocess.run(["rm", "-rf", "/dev/shm/maniple-test-out"], check=True)


class Rings(p.Guest):
    """As QEMU's ivshmem-doorbell: a client of the ivshmem server, and rings in the region."""

    def __init__(self, path, region):
        self.door = socket.socket(socket.AF_UNIX)
        self.door.connect(path)
        self.said = [self.listen() for _ in range(5)]
        self.bell = self.said[3][1]
        self.region, self.taken, self.sent = region, 0, 0
        self.data, self.session, self.sequence = b"", 0, 0

    def listen(self):
        data, control, _, _ = self.door.recvmsg(8, socket.CMSG_SPACE(4))
        files = array.array("i")
        for _, _, content in control:
            files.frombytes(content[:4])
        return struct.unpack("<q", data)[0], files[0] if files else None

    def send(self, data):
        for byte in data:
            while self.sent - struct.unpack("<I", self.region[4100:4104])[0] & 0xFFFFFFFF >= 16384:
                time.sleep(0.001)
            self.region[16384 + self.sent % 16384] = byte
            self.sent += 1
            self.region[4096:4100] = struct.pack("<I", self.sent)
            if self.sent % 4096 == 0:
                os.write(self.bell, struct.pack("<Q", 1))
        os.write(self.bell, struct.pack("<Q", 1))

    def receive(self, seconds=20):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            written = struct.unpack("<I", self.region[4160:4164])[0]
            while self.taken != written:
                self.data += self.region[32768 + self.taken % 16384:32769 + self.taken % 16384]
                self.taken += 1
            self.region[4164:4168] = struct.pack("<I", self.taken)
            if len(self.data) >= 32:
                _, _, _, sequence, status, session, length, _ = struct.unpack("<IHHIIQII", self.data[:32])
                if len(self.data) >= 32 + length:
                    payload, self.data = self.data[32:32 + length], self.data[32 + length:]
                    return p.Reply(sequence, status, session, payload)
            time.sleep(0.0005)
        return None


def late_reply(bell):
    """A reply that nobody took stays in the ring in front of the one to a HELLO: the host's count never goes back."""
    before = bell.taken
    bell.send(p.message(p.PING, 1, 1))
    while struct.unpack("<I", bell.region[4160:4164])[0] == before:
        time.sleep(0.001)
    bell.send(p.message(p.HELLO, 2, 0))
    first, second = bell.receive(), bell.receive()
    cases.ok(first and second and (first.sequence, first.status, second.sequence, second.status) ==
             (1, p.BAD_SESSION, 2, p.OK), "the reply to a HELLO stands behind what was not yet taken")


class Fifos(p.Guest):
    """As a guest by semihosting: two FIFOs, and a count of what may be read."""

    def __init__(self, path, region):
        self.out = os.open(f"{path}.to-host", os.O_WRONLY)
        self.into = os.open(f"{path}.to-guest", os.O_RDONLY)
        self.region, self.taken, self.generation = region, 0, 0
        self.data, self.session, self.sequence = b"", 0, 1000

    def send(self, data):
        if struct.unpack_from("<H", data, 6)[0] == p.HELLO:
            self.generation, self.taken = struct.unpack_from("<I", data, 8)[0], 0
        os.write(self.out, data)

    def receive(self, seconds=20):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            generation, count = struct.unpack("<II", self.region[4224:4232])
            if generation == self.generation and count > self.taken:
                got = os.read(self.into, count - self.taken)
                self.taken += len(got)
                self.data += got
            if len(self.data) >= 32:
                _, _, _, sequence, status, session, length, _ = struct.unpack("<IHHIIQII", self.data[:32])
                if len(self.data) >= 32 + length:
                    payload, self.data = self.data[32:32 + length], self.data[32 + length:]
                    return p.Reply(sequence, status, session, payload)
            time.sleep(0.0005)
        return None


def other_transports():
    base = f"/dev/shm/maniple-test-ways-{os.getpid()}"
    server = p.Server(MANIPLE, "--threads", "1", "--doorbell", base + ".bell", "--fifos", base)
    try:
        region = server.map()
        data = (ELF / "fibonacci.elf").read_bytes()
        region[p.HEAD:p.HEAD + len(data)] = data
        bell = Rings(base + ".bell", region)
        cases.ok([number for number, _ in bell.said] == [0, 1, -1, 0, 1] and
                 os.fstat(bell.said[2][1]).st_ino == os.stat(server.memory).st_ino,
                 "the doorbell's server introduces itself as the ivshmem protocol wants it", bell.said)
        late_reply(bell)
        for guest, name in ((bell, "doorbell"), (Fifos(base, region), "FIFOs")):
            reply = guest.hello()
            cases.ok(reply and reply.status == p.OK and guest.works(), f"a session by the {name}")
            reply = guest.ask(p.LAUNCH, p.launch(p.HEAD, len(data), b"fibonacci 5"))
            cases.ok(reply and reply.status == p.OK and "right on 4" in reply.output, f"a launch by the {name}")
            guest.send(p.message(p.PING, 1, 1) + random.Random(NOISE).randbytes(3000))
            guest.hello()
            cases.ok(guest.works(), f"a new session by the {name} after noise")
            for _ in range(250):  # more than the rings hold
                guest.ask(p.PING, bytes(64))
            cases.ok(guest.works(), f"the {name} wrap around")
        region[4096:4104] = b"\xff" * 8  # counts that cannot be
        os.write(bell.bell, struct.pack("<Q", 1))
        other = p.Guest(server)
        cases.ok(other.works(), "rings with impossible counts hinder nobody")
        other.close()
        second = socket.socket(socket.AF_UNIX)
        second.connect(base + ".bell")
        cases.ok(select.select([second], [], [], 5)[0] and not second.recv(8), "a second guest at the doorbell is sent away")
        bell.door.close()
        for file in (2, 3, 4):
            os.close(bell.said[file][1])
        time.sleep(0.2)
        third = Rings(base + ".bell", region)
        cases.ok(third.hello() is not None and third.works(), "when the first has gone, the next one comes in")
        region.close()
        cases.ok(server.stop() == 0 and not os.path.exists(base + ".to-host"), "the server ends in order")
    finally:
        server.close()


def gpu():
    if SANITIZERS != "none" or not (pathlib.Path(MANIPLE).parent / "maniple-kernel").exists():
        print(f"ok {cases.count + 1} - kernels on a GPU # SKIP not with sanitizers, or not built")
        cases.count += 1
        return
    server = p.Server(MANIPLE, "--threads", "1", machine="gtx480")
    try:
        with tempfile.TemporaryDirectory() as folder:
            ptx = pathlib.Path(folder, "vecadd.ptx")
            ptx.write_bytes(lzma.decompress((ELF.parents[2] / "data/ptx/apps/vecadd.ptx.xz").read_bytes()))
            status, text = run(server, "vecadd", 1000, ptx)
        cases.ok(status == 0 and "right" in text, "a kernel of PTX on a GPU machine", text)
        status, text = run(server, "vecadd", 1000, ELF / "empty.elf")
        cases.ok(status == 2 and "cannot be loaded" in text, "what is no PTX is refused", text)
        status, text = run(server, "matmul", 4, 8)
        cases.ok(status == 2 and "makes no sense" in text, "a GPU takes no programs of other machines", text)
        guest, region = p.Guest(server), server.map()
        source = b""".version 3.2
.target sm_20
.address_size 64
.visible .entry wild(.param .u64 at) { .reg .b64 %rd<2>; .reg .b32 %r<2>;
 ld.param.u64 %rd1, [at]; mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; ret; }
.visible .entry endless() { .reg .b32 %n; LOOP: add.u32 %n, %n, 1; bra LOOP; }
"""
        region[p.HEAD:p.HEAD + len(source)] = source
        reply = guest.ask(p.LAUNCH, p.launch(p.HEAD, len(source), b"wild", arguments=[(64, 8, 0)], kind=p.PTX))
        cases.ok(reply and reply.status == p.FAULT and reply.message, "a kernel that writes nowhere is a fault",
                 vars(reply) if reply else "no reply")
        reply = guest.ask(p.LAUNCH, p.launch(p.HEAD, len(source), b"endless", kind=p.PTX, milliseconds=1500))
        cases.ok(reply and reply.status == p.LIMIT, "a kernel without end is ended", vars(reply) if reply else "no reply")
        reply = guest.ask(p.LAUNCH, p.launch(p.HEAD, len(source), b"missing", kind=p.PTX))
        cases.ok(reply and reply.status == p.PROGRAM, "a kernel that is not in the module is refused")
        region.close()
        guest.close()
        cases.ok(server.stop() == 0, "the server ends in order")
    finally:
        server.close()


def main():
    server = p.Server(MANIPLE, "--threads", "1")
    try:
        wrong_words()
        right_results(server)
        same_cycles(server)
        cases.ok(server.stop() == 0, "the server ends in order")
    finally:
        server.close()
    late_killed_stopped()
    at_the_same_time()
    other_transports()
    gpu()
    return cases.end()


sys.exit(main())
