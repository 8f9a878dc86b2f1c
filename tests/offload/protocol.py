# SPDX-License-Identifier: BSD-3-Clause
"""The protocol of include/maniple/offload.h once more, in Python, for tests: a server that is started, and guests that
may say anything to it."""
import mmap
import os
import pathlib
import select
import signal
import socket
import struct
import subprocess
import tempfile
import time

MAGIC = 0x314F4E4D
HELLO, LAUNCH, REPLY, CANCEL, PING = 1, 2, 3, 4, 5
(OK, BAD_MESSAGE, BAD_SESSION, BAD_REQUEST, BAD_REGION, BUSY, PROGRAM, FAULT, LIMIT, STUCK, CANCELLED,
 LOST) = range(12)
IN, OUT, SPREAD, PRIVATE = 1, 2, 4, 8
HEAD = 65536
ELF, PTX = 1, 2


def check(data):
    value = 2166136261
    for byte in data:
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return value


def message(kind, sequence, session, payload=b"", magic=MAGIC, version=1, length=None, wrong=0):
    head = struct.pack("<IHHIIQI", magic, version, kind, sequence, 0, session,
                       len(payload) if length is None else length)
    return head + struct.pack("<I", check(head) ^ wrong) + payload


def launch(program_at, program_bytes, text=b"", buffers=(), arguments=(), kind=ELF, cores=4, entry=0, milliseconds=0,
           cycles=0, grid=(1, 1, 1), block=(1, 1, 1), counts=None):
    payload = struct.pack("<IIIIQQQ3I3II", kind, cores, entry, milliseconds, program_at, program_bytes, cycles, *grid,
                          *block, 0)
    payload += struct.pack("<III", *(counts or (len(buffers), len(arguments), len(text))))
    for buffer in buffers:
        payload += struct.pack("<QQQII", *buffer)
    for argument in arguments:
        payload += struct.pack("<QII", *argument)
    return payload + text


class Reply:
    def __init__(self, sequence, status, session, payload):
        self.sequence, self.status, self.session, self.payload = sequence, status, session, payload
        self.output = self.statistics = self.message = ""
        if len(payload) >= 64 and len(payload) != 80:
            fields = struct.unpack("<6Q4I", payload[:64])
            self.cycles, self.instructions, self.femtoseconds = fields[:3]
            self.program_status = fields[6]
            at = 64
            texts = []
            for count in fields[7:]:
                texts.append(payload[at:at + count].decode())
                at += count
            self.output, self.statistics, self.message = texts


class Server:
    """maniple serve, with a socket and a region of its own."""

    def __init__(self, maniple, *options, size=4 << 20, machine="manycore-2", wrapper=()):
        self.folder = tempfile.TemporaryDirectory(prefix="maniple-test-")
        base = pathlib.Path(self.folder.name)
        self.socket_path, self.log = str(base / "socket"), base / "log"
        self.memory = f"/dev/shm/maniple-test-{os.getpid()}-{base.name[-8:]}"
        self.command = [*wrapper, maniple, "serve", "--machine", machine, "--socket", self.socket_path, "--memory",
                        self.memory, "--memory-size", str(size), "--log", str(self.log), *options]
        self.size = size
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        until = time.monotonic() + 60
        while time.monotonic() < until and self.process.poll() is None:
            try:
                with socket.socket(socket.AF_UNIX) as probe:
                    probe.connect(self.socket_path)
                return
            except OSError:
                time.sleep(0.01)

    def map(self):
        file = os.open(self.memory, os.O_RDWR)
        region = mmap.mmap(file, self.size)
        os.close(file)
        return region

    def alive(self):
        return self.process.poll() is None

    def kill(self):
        self.process.kill()
        self.process.communicate()

    def stop(self):
        """Ends it in order; its exit status."""
        if self.alive():
            self.process.send_signal(signal.SIGTERM)
        self.summary = self.process.communicate(timeout=60)[0]
        return self.process.returncode

    def close(self):
        if self.alive():
            self.kill()
        if os.path.exists(self.memory):
            os.unlink(self.memory)
        self.folder.cleanup()


class Guest:
    def __init__(self, server, hello=True):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(server.socket_path)
        self.data = b""
        self.session = 0
        self.sequence = 0
        if hello:
            self.hello()

    def send(self, data):
        self.socket.sendall(data)

    def receive(self, seconds=20):
        """The next message; None: there is none in time, or the connection has ended."""
        until = time.monotonic() + seconds
        while True:
            if len(self.data) >= 32:
                magic, _, kind, sequence, status, session, length, _ = struct.unpack("<IHHIIQII", self.data[:32])
                assert magic == MAGIC and kind == REPLY, "the server has sent something else"
                if len(self.data) >= 32 + length:
                    payload, self.data = self.data[32:32 + length], self.data[32 + length:]
                    return Reply(sequence, status, session, payload)
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                return None
            got = self.socket.recv(65536)
            if not got:
                return None
            self.data += got

    def reply_to(self, sequence, seconds=20):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            reply = self.receive(until - time.monotonic())
            if reply is None or reply.sequence == sequence:
                return reply
        return None

    def hello(self):
        self.sequence += 1
        self.send(message(HELLO, self.sequence, 0))
        reply = self.reply_to(self.sequence)
        self.session = reply.session if reply else 0
        self.welcome = reply.payload if reply else b""
        return reply

    def ask(self, kind, payload=b"", seconds=20):
        self.sequence += 1
        self.send(message(kind, self.sequence, self.session, payload))
        return self.reply_to(self.sequence, seconds)

    def works(self):
        reply = self.ask(PING, b"12345")
        return reply is not None and reply.status == OK and reply.payload == b"12345"

    def close(self):
        self.socket.close()


class Cases:
    """The Test Anything Protocol."""

    def __init__(self):
        self.count = self.failed = 0

    def ok(self, condition, name, note=""):
        self.count += 1
        self.failed += not condition
        print(f"{'ok' if condition else 'not ok'} {self.count} - {name}", flush=True)
        if not condition and note:
            print("\n".join("# " + line for line in str(note).splitlines()))

    def end(self):
        print(f"1..{self.count}")
        return self.failed > 0
