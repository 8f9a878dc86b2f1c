#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a server makes and takes at the places that it is told: files of others are refused, nobody else can connect, whatever the
umask, nothing of the user's is removed, and launches that are cancelled leave no files. Usage: places.py MANIPLE KERNEL-RUNNER SANITIZERS"""
import os
import pathlib
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

import protocol as p

MANIPLE = str(pathlib.Path(sys.argv[1]).resolve())
cases = p.Cases()
work = pathlib.Path(tempfile.mkdtemp())


def serve(*words, memory="memory", seconds=20, umask=None, **variables):
    """A server that has begun, or what it said when it could not."""
    process = subprocess.Popen([MANIPLE, "serve", "--machine", "manycore-2", "--cores", "1", "--memory", work / memory, "--memory-size",
                                "1MiB", *map(str, words)], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               preexec_fn=None if umask is None else lambda: os.umask(umask), env=dict(os.environ, **variables))
    line = process.stderr.readline()
    return process, line


def end(process):
    process.send_signal(signal.SIGTERM)
    process.communicate()


def refused(name, pattern, *words, **options):
    process, line = serve(*words, **options)
    if line.startswith("serving"):
        end(process)
    process.communicate()
    cases.ok(process.returncode == 2 and pattern in line, name, f"{process.returncode} {line}")


def rights(path):
    return stat.S_IMODE(os.lstat(work / path).st_mode)


for umask in (0, 0o22, 0o77):
    process, line = serve("--socket", "socket", "--fifos", "fifo", umask=umask)
    found = [rights(name) for name in ("socket", "memory", "fifo.to-host", "fifo.to-guest")] if line.startswith("serving") else line
    cases.ok(found == [0o600] * 4, f"umask {umask:o}: only the user may connect and see the region", found)
    end(process)
    cases.ok(not os.listdir(work), "and nothing stays", os.listdir(work))

# ===== a region that is there already =====
for mode in (0o666, 0o640, 0o604):
    (work / "memory").write_bytes(b"")
    (work / "memory").chmod(mode)
    refused(f"a region of mode {mode:o}", "can be read or written by others", "--socket", "socket")
(work / "memory").chmod(0o600)
process, line = serve("--socket", "socket")
cases.ok(line.startswith("serving"), "one of mode 600, left by a server, is taken", line)
end(process)
os.link(work / "memory", work / "other") if (work / "memory").exists() else (work / "other").write_bytes(b"")
(work / "memory").unlink(missing_ok=True)
os.link(work / "other", work / "memory")
os.chmod(work / "other", 0o600)
refused("a region with another name", "has another name", "--socket", "socket")
os.unlink(work / "memory")
os.symlink(work / "other", work / "memory")
refused("a region that is a link", "cannot be made or opened", "--socket", "socket")
os.unlink(work / "memory")
os.mkfifo(work / "memory", 0o600)
refused("a region that is a FIFO", "is no file", "--socket", "socket")
os.unlink(work / "memory")
if os.geteuid() == 0:
    (work / "memory").write_bytes(b"")
    (work / "memory").chmod(0o600)
    os.chown(work / "memory", 12345, 12345)
    refused("a region of another user", "belongs to another user", "--socket", "socket")
    os.unlink(work / "memory")

# ===== sockets and FIFOs =====
(work / "mine").write_text("mine")
refused("a file in place of the socket", "cannot be listened on", "--socket", "mine")
cases.ok((work / "mine").read_text() == "mine", "and it stays")
left = socket.socket(socket.AF_UNIX)
left.bind(str(work / "left"))
left.close()
process, line = serve("--socket", "left")
cases.ok(line.startswith("serving"), "a socket that a killed server has left is taken", line)
end(process)
os.mkfifo(work / "fifo.to-host")
os.chmod(work / "fifo.to-host", 0o666)
refused("a FIFO that others may write to", "FIFO of yours alone", "--fifos", "fifo")
cases.ok((work / "fifo.to-host").exists(), "and it stays")

# ===== launches on a GPU =====
SLOW = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry slow()
{
    .reg .pred %p;
    .reg .b64 %r;
    mov.b64 %r, 0;
again:
    add.s64 %r, %r, 1;
    setp.lt.s64 %p, %r, 1000000000000;
    @%p bra again;
    ret;
}
"""
if pathlib.Path(sys.argv[2]).exists() and sys.argv[3] == "none":
    folder = work / "tmp"
    folder.mkdir()
    os.environ["TMPDIR"] = str(folder)
    server = p.Server(MANIPLE, "--threads", "1", "--coprocessors", "2", machine="rtx2060")
    guest, region = p.Guest(server), server.map()
    region[p.HEAD:p.HEAD + len(SLOW)] = SLOW
    statuses = set()
    for turn in range(3):
        reply = guest.ask(p.LAUNCH, p.launch(p.HEAD, len(SLOW), b"slow", kind=p.PTX, milliseconds=500))
        statuses.add(reply.status if reply else None)
    cases.ok(statuses == {p.LIMIT}, "kernels that run out of time are ended", statuses)
    cases.ok(len(os.listdir(folder)) <= 2, "and leave nothing but the folders of two coprocessors, in TMPDIR", os.listdir(folder))
    guest.close()
    region.close()
    server.stop()
    server.close()
    cases.ok(not os.listdir(folder), "which go with the server", os.listdir(folder))
shutil.rmtree(work)
sys.exit(cases.end())
