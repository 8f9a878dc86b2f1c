#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Linux in QEMU beside a server: right results by every way of control, programs that go wrong, a server that is killed
and stopped while launches are under way, a guest that is killed, simulated time, and a program without Linux. Usage: system.py BUILD-FOLDER"""
import lzma
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "offload"))
from protocol import Cases, Server  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()
ELF = ROOT / "apps" / "manycore" / "elf"
cases = Cases()


def begin(program, *words, options=()):
    files = [word for name in ("product", "subtraction", "empty", "fibonacci", "wrong", "matmul")
             for word in ("--with", str(ELF / f"{name}.elf"))]
    machine = () if "--machine" in options else ("--machine", "manycore-2", "--cores", "16")
    return subprocess.Popen([BUILD / "maniple", "system", *machine, *options, *files, "--", BUILD / "guest" / program,
                             *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(process, seconds=300):
    try:
        text = process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        return None, process.communicate()[0] + "\nit hangs"
    return process.returncode, text


def run(program, *words, options=()):
    return finish(begin(program, *words, options=options))


def children(process):
    """The processes that `maniple system` has started: {"maniple": server, "qemu-system-arm": QEMU}."""
    found = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            stat = (entry / "stat").read_text()
            if int(stat.rsplit(")", 1)[1].split()[1]) == process.pid:
                found[stat.split("(")[1].rsplit(")", 1)[0][:15]] = int(entry.name)
        except OSError:
            continue
    return found


def wait_for_launches(process):
    """Until the guest has begun: the server has written the line of an offload."""
    for line in process.stdout:
        if line.startswith("offload 1:"):
            return


def ways():
    for way in ("port", "doorbell", "fifos"):
        status, text = run("matmul", 0, 40, options=("--control", way))
        cases.ok(status == 0 and "right" in text, f"a matrix product by {way}", text)
        status, text = run("probe", "latency", 100, options=("--control", way))
        median = re.search(r"empty launch: .*median ([0-9.]+) us", text)
        cases.ok(status == 0 and median, f"empty launches by {way}, median {median[1] if median else '?'} us", text)
    status, text = run("ncc", 0, 40)
    cases.ok(status == 0 and "right" in text, "a background subtraction", text)
    status, text = run("probe", "bandwidth", 16)
    rates = [float(rate) for rate in re.findall(r"([0-9.]+) GB/s", text)]
    cases.ok(status == 0 and len(rates) == 10 and sorted(rates)[5] >= 1, f"the region is copied at {rates} GB/s", text)


def wrong_programs():
    for kind, word in ((5, "status 7"), (2, "status 8")):
        status, text = run("probe", "fault", kind)
        cases.ok(status == 0 and word in text, f"a program that goes wrong gives {word} in the guest", text)


def simulated_time():
    status, text = run("probe", "duration", 8, options=("--time", "simulated"))
    errors = [float(error) for error in re.findall(r"more by (-?[0-9.]+) us", text)]
    # What is added is the guest's way, in the host's time: only the shortest is not that of whatever else the host does.
    cases.ok(status == 0 and len(errors) == 8 and 0 <= min(errors) < 2000,
             f"simulated time is that of the launches, and more by {errors} us", text)


def server_trouble():
    process = begin("probe", "survive")
    wait_for_launches(process)
    server = children(process)["maniple"]
    words = pathlib.Path(f"/proc/{server}/cmdline").read_text().split("\0")[:-1]
    words = [word for word in words if not word.startswith("--while-open")]
    os.kill(server, signal.SIGKILL)
    time.sleep(0.3)
    other = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)
    other.send_signal(signal.SIGSTOP)
    time.sleep(2.3)
    other.send_signal(signal.SIGCONT)
    status, text = finish(process)
    counts = re.search(r"survived: (\d+) .* result, (\d+) without; the longest took (\d+) ms; (\d+) stale", text)
    cases.ok(status == 0 and counts and int(counts[1]) > 5 and int(counts[2]) < 20,
             "a guest outlives a server that is killed, replaced and stopped", text[-1500:])
    print("#", counts[0] if counts else text[-300:])
    other.terminate()
    other.wait()


def guest_trouble():
    process = begin("probe", "survive")
    wait_for_launches(process)
    own = children(process)
    words = pathlib.Path(f"/proc/{own['maniple']}/cmdline").read_text().split("\0")
    places = [words[words.index("--memory") + 1], str(pathlib.Path(words[words.index("--socket") + 1]).parent)]
    os.kill(own["qemu-system-arm"], signal.SIGKILL)
    begin_time = time.monotonic()
    status, text = finish(process, 30)
    cases.ok(status == 2 and "QEMU has ended" in text and time.monotonic() - begin_time < 20,
             "a guest that is killed is told, and the server ends", text[-800:])
    left = [place for place in places if os.path.exists(place)]
    cases.ok(not left, "nothing is left behind", "\n".join(left))


def bare():
    """A program without an operating system, with a server and without one."""
    server = Server(BUILD / "maniple", "--fifos", f"/tmp/maniple-bare-{os.getpid()}", size=16 << 20)
    prefix = f"/tmp/maniple-bare-{os.getpid()}"
    command = ["qemu-system-arm", "-M", "virt,highmem=off", "-cpu", "cortex-a15", "-m", "64", "-display", "none", "-nodefaults",
               "-object", f"memory-backend-file,id=region,share=on,mem-path={server.memory},size=16M",
               "-device", "ivshmem-plain,memdev=region", "-kernel", str(BUILD / "guest" / "bare"), "-semihosting-config"]
    try:
        for where, status, word in ((prefix, 0, "right on 4"), (prefix + ".none", 2, "no such device")):
            words = f"enable=on,target=native,arg=bare,arg={where},arg={ELF}/fibonacci.elf"
            done = subprocess.run(command + [words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
            cases.ok(done.returncode == status and word in done.stdout, f"without an operating system: {word}", done.stdout)
        cases.ok(server.stop() == 0, "its server ends in order")
    finally:
        server.close()


def main():
    subprocess.run([ROOT / "apps" / "system" / "build.sh", BUILD], check=True)
    for part in (ways, wrong_programs, simulated_time, server_trouble, guest_trouble, bare):
        part()
    ptx = pathlib.Path(BUILD) / "guest/vecadd.ptx"
    ptx.write_bytes(lzma.decompress((ROOT / "data/ptx/apps/vecadd.ptx.xz").read_bytes()))
    status, text = run("vecadd", 500, options=("--machine", "gtx480", "--with", str(ptx)))
    cases.ok(status == 0 and "right" in text, "a kernel of PTX on a GPU machine", text)
    return cases.end()


sys.exit(main())
