# SPDX-License-Identifier: BSD-3-Clause
"""Programs of the coprocessor in functional simulators, which have no clock, caches, mesh or other cores: qemu-arm, a process
for each core, and Unicorn (unicorn_core.py), the same translator as a library.

A core of the coprocessor starts with its number and the number of cores in registers. They know nothing of that, so a
program is given a beginning that sets them, and memory where the coprocessor has its shared memory."""
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ELF = HERE.parents[1] / "apps" / "manycore" / "elf"
LIMIT = 600  # seconds
BEGINNING, SHARED, BYTES = 0x70000000, 0x80000000, 40 << 20


def there():
    return shutil.which("qemu-arm") is not None


def with_beginning(elf, core, cores):
    """An ELF file with a segment that sets r0 to r3 and jumps to the program's start, and one of shared memory."""
    entry, headers = struct.unpack_from("<II", elf, 24)
    size, count = struct.unpack_from("<HH", elf, 42)
    parts = [struct.unpack_from("<8I", elf, headers + i * size) for i in range(count)]
    parts = [part for part in parts if part[0] == 1 and part[2] and part[2] != SHARED]
    side = 1
    while side * side < cores:
        side += 1
    # ldr rN, [pc, #12], four times, and the same of the pc: each word lies five behind
    words = [0xE59F0000 | r << 12 | 12 for r in range(4)] + [0xE59FF00C]
    words += [core, cores, side, BYTES // cores & ~7, entry]
    start = struct.pack(f"<{len(words)}I", *words)
    at = (len(elf) + 4095) // 4096 * 4096
    parts += [(1, at, BEGINNING, BEGINNING, len(start), len(start), 5, 4096), (1, at, SHARED, SHARED, 0, BYTES, 6, 4096)]
    table = at + 4096
    head = bytearray(elf[:52])
    struct.pack_into("<II", head, 24, BEGINNING, table)
    struct.pack_into("<I", head, 32, 0)
    struct.pack_into("<HHHHH", head, 42, 32, len(parts), 40, 0, 0)
    body = bytes(head) + elf[52:]
    return body.ljust(at, b"\0") + start.ljust(4096, b"\0") + b"".join(struct.pack("<8I", *part) for part in parts)


def make_qemu(words):
    """Words: program, its arguments, "@", core, cores. CPU seconds of the process, and whether it said that it was right."""
    at = words.index("@")
    program, arguments, core, cores = words[0], words[1:at], int(words[at + 1]), int(words[at + 2])
    if not there():
        return {"failed": "qemu-arm is not installed (Debian: qemu-user)", "absent": True}
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/{program}"
        with open(path, "wb") as file:
            file.write(with_beginning((ELF / f"{program}.elf").read_bytes(), core, cores))
        os.chmod(path, 0o755)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run(["qemu-arm", "-cpu", "arm1136", path, *arguments], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            return {"failed": f"not ended in {LIMIT} s"}
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = (done.stdout + done.stderr).strip()
    if done.returncode:
        return {"failed": f"status {done.returncode}: {said[-200:]}"}
    return {"seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, "said": said[-200:]}


def unicorn_python():
    """A Python that has Unicorn: this one, or the system's, to which Debian's package belongs."""
    for python in (sys.executable, "/usr/bin/python3"):
        if shutil.which(python) and not subprocess.run([python, "-c", "import unicorn"], capture_output=True, check=False).returncode:
            return python
    return None


def make_unicorn(words):
    """As make_qemu, but of the core alone, translation included: neither a process nor a file is in the seconds."""
    python = unicorn_python()
    if not python:
        return {"failed": "Unicorn is not installed (Debian: python3-unicorn)", "absent": True}
    try:
        done = subprocess.run([python, str(HERE / "unicorn_core.py"), *words], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return {"failed": f"not ended in {LIMIT} s"}
    if done.returncode:
        return {"failed": f"status {done.returncode}: {(done.stderr or done.stdout).strip()[-200:]}"}
    seconds, _, said = done.stdout.partition(" ")
    return {"seconds": float(seconds), "said": said.strip()[-200:]}
