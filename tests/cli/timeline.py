#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `maniple timeline` writes is a trace of Perfetto's: it is decoded here by the rules of protocol buffers alone, or,
where the package `perfetto` is installed, also by its descriptions. Slices nest, and their times add up to what the run has
counted otherwise. Usage: timeline.py MANIPLE TRACEGEN"""
import collections
import json
import pathlib
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

MANIPLE, TRACEGEN = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])


def maniple(*words):
    return subprocess.run([MANIPLE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def refused(name, pattern, *words):
    done = maniple(*words)
    ok(done.returncode == 2 and pattern in done.stderr, name, done.returncode, done.stderr)


# ===== decoding =====

def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """(number, value) of a message: whole numbers, doubles, bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = struct.unpack("<d", data[at:at + 8])[0], at + 8
        elif kind == 2:
            length, at = varint(data, at)
            value, at = bytes(data[at:at + length]), at + length
            assert len(value) == length
        else:
            raise ValueError(f"wire type {kind}")
        yield key >> 3, value


def message(data, *repeated):
    """A message as a dictionary; `repeated` fields are lists."""
    found = {}
    for number, value in fields(data):
        if number in repeated:
            found.setdefault(number, []).append(value)
        else:
            found[number] = value
    return found


Track = collections.namedtuple("Track", "name parent unit slices counters")
Slice = collections.namedtuple("Slice", "name begin end depth numbers")


class Trace:
    """Tracks by number, with their slices and counters. Raises where slices do not nest."""

    def __init__(self, data):
        self.tracks, names, words, stacks, last = {}, {}, {}, collections.defaultdict(list), {}
        for _, packet in fields(data):
            packet = message(packet)
            if 12 in packet:
                interned = message(packet[12], 2, 3)
                for entry in map(message, interned.get(2, [])):
                    names[entry[1]] = entry[2].decode()
                for entry in map(message, interned.get(3, [])):
                    words[entry[1]] = entry[2].decode()
            if 60 in packet:
                track = message(packet[60])
                unit = message(track[8]).get(6, b"").decode() if 8 in track else None
                assert track[1] not in self.tracks and track.get(5, 0) in (0, *self.tracks)
                self.tracks[track[1]] = Track(track[2].decode(), track.get(5, 0), unit, [], [])
            if 11 in packet:
                event, time = message(packet[11], 4), packet[8]
                uuid = event[11]
                assert time >= last.get(uuid, 0), "time goes back on a track"
                last[uuid] = time
                if event[9] == 1:
                    numbers = {words[a[1]]: a[3] for a in map(message, event.get(4, []))}
                    stacks[uuid].append((names[event[10]], time, numbers))
                elif event[9] == 2:
                    name, begin, numbers = stacks[uuid].pop()
                    self.tracks[uuid].slices.append(Slice(name, begin, time, len(stacks[uuid]), numbers))
                else:
                    self.tracks[uuid].counters.append((time, event[44]))
        assert not any(stacks.values()), "a slice has no end"

    def root(self, track):
        while track.parent:
            track = self.tracks[track.parent]
        return track.name

    def under(self, root):
        return [track for track in self.tracks.values() if self.root(track) == root]

    def slices(self, root):
        return [each for track in self.under(root) for each in track.slices]


def decoded_by_perfetto(data):
    """The same packets by the package's descriptions, as what fields() yields; None: there is no such package."""
    try:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2
    except ImportError:
        return None
    trace = perfetto_trace_pb2.Trace()
    trace.ParseFromString(data)
    return trace


# ===== checks =====

def simulate(work, name, *options, kind=("matmul", "n=128")):
    if not (work / "trace").exists():
        subprocess.run([TRACEGEN, kind[0], work / "trace", "arch=86", *kind[1:]], check=True, capture_output=True)
    done = maniple("run", "--machine", "rtx3070", "-q", *options, "-o", work / name, work / "trace" / "kernelslist.g")
    assert done.returncode == 0, done.stderr
    return work / name


def trace_of(folder, *options):
    path = folder.with_suffix(".pftrace")
    done = maniple("timeline", folder, "-o", path, *options)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return path.read_bytes()


def counters_of(folder):
    statistics = json.loads((folder / "results.json").read_text())["total"]["statistics"]
    return {name: entry["value"] for name, entry in statistics.items()}


def check_totals(work):
    folder = simulate(work, "all", "--timeline", "ctas", "--timeline", "warps:0-1000000", "--sample", "1000")
    data, total = trace_of(folder, "--cycles"), counters_of(folder)
    trace = Trace(data)
    ctas, warps = trace.slices("CTAs"), trace.slices("Warps")
    ok(len(ctas) == total["gpu_ctas"] == 64, "there is a slice for each CTA", len(ctas))
    ok(sorted(each.numbers["cta"] for each in ctas) == list(range(64)), "which has its number")
    resident = 8 * sum(each.end - each.begin for each in ctas)
    ok(resident == total["resident_warp_cycles"], "their cycles times 8 warps are the warps' resident cycles",
       resident, total["resident_warp_cycles"])
    kernels = [each for each in trace.slices("Streams") if each.depth == 0]
    ok(len(kernels) == 1 and kernels[0].end - kernels[0].begin == total["gpu_sim_cycle"] and kernels[0].name == "matmul",
       "the kernel's slice has its cycles", kernels)
    launch = [each for each in trace.slices("Streams") if each.depth == 1]
    ok(len(launch) == 1 and launch[0].end - launch[0].begin == total["kernel_launch_cycle"] == 5000,
       "and inside it lies its launch latency", launch)
    inside = all(kernels[0].begin + 5000 <= each.begin and each.end <= kernels[0].end for each in ctas)
    ok(inside, "CTAs lie behind the launch and in the kernel")
    ok(len(warps) == 512 and all(any(cta.begin <= each.begin and each.end <= cta.end for cta in ctas) for each in warps),
       "each of 512 warps lies in a CTA", len(warps))
    packets = trace.slices("Packets, SM to L2 and back")
    ok(len(packets) == total["icnt_total_pkts_simt_to_mem"], "there is a slice for each packet to the L2", len(packets))
    check_counters(folder, trace)
    by_perfetto(data, trace)
    return folder, data


def check_counters(folder, trace):
    base = sqlite3.connect(folder / "results.sqlite")
    rows = collections.defaultdict(list)
    for name, value in base.execute(
            "SELECT name, value FROM sample JOIN statistic ON id = statistic ORDER BY statistic, cycle"):
        rows[name].append(value)
    tracks = {track.name: [value for _, value in track.counters] for track in trace.under("Counters") if track.parent}
    ok(tracks == dict(rows) and rows, "counters are the samples", list(tracks))
    times = [time for time, _ in next(track for track in trace.under("Counters") if track.parent).counters]
    ok(times[:3] == [0, 1000, 2000], "each holds from the beginning of its interval", times[:3])


def unknown_in(message_):
    """Whether a message has a field that the package does not know, at any depth."""
    from google.protobuf import unknown_fields
    if len(unknown_fields.UnknownFieldSet(message_)):
        return True
    for field, value in message_.ListFields():
        if field.type == field.TYPE_MESSAGE:
            inner = [value] if hasattr(value, "DESCRIPTOR") else value
            if any(map(unknown_in, inner)):
                return True
    return False


def by_perfetto(data, trace):
    theirs = decoded_by_perfetto(data)
    if theirs is None:
        ok(True, "the same by Perfetto's own descriptions # SKIP the Python package perfetto is not installed")
        return
    tracks = {packet.track_descriptor.uuid: (packet.track_descriptor.name, packet.track_descriptor.parent_uuid)
              for packet in theirs.packet if packet.HasField("track_descriptor")}
    events = collections.Counter(packet.track_event.track_uuid for packet in theirs.packet
                                 if packet.HasField("track_event"))
    ours = {uuid: (track.name, track.parent) for uuid, track in trace.tracks.items()}
    counts = {uuid: 2 * len(track.slices) + len(track.counters) for uuid, track in trace.tracks.items()}
    ok(tracks == ours and all(events[uuid] == number for uuid, number in counts.items()),
       "the same by Perfetto's own descriptions")
    unknown = [packet for packet in theirs.packet[:2000] if unknown_in(packet)]
    ok(not unknown, "which know every field", unknown[:1])


def check_gpu_packets(work, folder):
    """Kernels, copies and counters as packets for GPUs are the rows of the database."""
    data = trace_of(folder, "--cycles", "--gpu-packets")
    ok(data.startswith(trace_of(folder, "--cycles")), "packets for GPUs stand behind the tracks, which are as they were")
    names, stages, specs, values = {}, [], {}, collections.defaultdict(list)
    for _, packet in fields(data):
        packet = message(packet)
        if 12 in packet:
            for entry in map(message, message(packet[12], 24).get(24, [])):
                names[entry[1]] = (entry[2].decode(), entry[4])
        if 53 in packet:
            stage = message(packet[53], 6)
            launch = {key: tuple(message(size).values()) for key, size in fields(stage[21])} if 21 in stage else {}
            stages.append((names[stage[14]], names[stage[13]][0], packet[8], stage[2], launch))
        if 52 in packet:
            counters = message(packet[52], 2)
            for spec in map(message, message(counters[1], 1)[1] if 1 in counters else []):
                specs[spec[1]] = spec[2].decode()
            for each in map(message, counters.get(2, [])):
                values[specs[each[1]]].append((packet[8], each[3]))
    total = counters_of(folder)
    ok(stages == [(("matmul", 2), "stream 0", 0, total["gpu_sim_cycle"], {1: (8, 8, 1), 2: (16, 16, 1)})],
       "a kernel is a stage of its stream's queue, with grid and block", stages)
    trace = Trace(data)
    tracks = {track.name: track.counters for track in trace.under("Counters") if track.parent}
    ok(values and values == tracks, "counters are the samples", list(values)[:3], list(tracks)[:3])
    theirs = decoded_by_perfetto(data)
    if theirs is not None:
        unknown = [packet for packet in theirs.packet if (packet.HasField("gpu_render_stage_event") or
                   packet.HasField("gpu_counter_event")) and unknown_in(packet)]
        ok(sum(packet.HasField("gpu_render_stage_event") for packet in theirs.packet) == 1 and not unknown,
           "they are what Perfetto's descriptions say", unknown[:1])


def check_window(work, data):
    for word in ("cores", "accesses:9000-9100"):
        done = maniple("run", "--machine", "rtx3070", "-q", "--timeline", word, "-o", work / "wrong", work / "trace" / "kernelslist.g")
        ok(done.returncode == 2 and f"--timeline {word.split(':')[0]}: a machine of kind \"gpu\" has --timeline ctas and warps:T0-T1" in done.stderr,
           f"--timeline {word} of a GPU is refused", done.stderr)
    ok(trace_of(simulate(work, "again", "--timeline", "ctas", "--timeline", "warps:0-1000000", "--sample", "1000",
                         "--threads", "2", "--executor", "lockstep"), "--cycles") == data,
       "the trace is the same for another executor and two threads")
    trace = Trace(trace_of(simulate(work, "part", "--timeline", "warps:9000-9100"), "--cycles"))
    warps, packets = trace.slices("Warps"), trace.slices("Packets, SM to L2 and back")
    ok(warps and all(each.end >= 9000 and each.begin < 9100 for each in warps + packets) and not trace.slices("CTAs"),
       "a window has what overlaps it", len(warps), len(packets))
    plain = simulate(work, "plain")
    trace = Trace(trace_of(plain))
    kernel = trace.slices("Streams")[-1]
    cycles = counters_of(plain)["gpu_sim_cycle"]
    ok([track.name for track in trace.tracks.values()] == ["Streams", "stream 0"] and
       kernel.end - kernel.begin == cycles * 1_000_000_000 // 1_132_000_000,
       "a run without options has its kernels, in nanoseconds", kernel, cycles)
    ok((plain / "results.json").read_bytes().count(b'"hash"') and
       counters_of(plain) == counters_of(work / "all"), "what is written down changes no statistic")
    return plain


def check_many(work):
    """Kernels behind one another in a stream; the trace grows with CTAs, and stays below 64 bytes for each."""
    work = work / "many"
    work.mkdir()
    folder = simulate(work, "run", "--timeline", "ctas", kind=("vectoradd", "n=2097152"))
    data = trace_of(folder)
    ctas = len(Trace(data).slices("CTAs"))
    ok(ctas == counters_of(folder)["gpu_ctas"] > 2000 and len(data) < 64 * ctas + 8000,
       "8192 CTAs take at most 64 bytes each", ctas, len(data))


def check_program(work):
    done = maniple("app", "run", "vecadd", "-q", "--machine", "rtx3070", "--timeline", "ctas", "-o", work / "app")
    if done.returncode:
        why = [each for each in ("not built", "maniple-apps", "ASan runtime does not come first") if each in done.stderr]
        ok(why, "a program's timeline # SKIP programs are not built, or not with this sanitizer", done.stderr)
        return
    trace = Trace(trace_of(work / "app"))
    calls, streams = trace.slices("Calls of the program"), trace.slices("Streams")
    copies = [each for each in streams if each.name.startswith("copy")]
    names = [each.name for each in calls]
    ok("cudaMalloc" in names and names.count("cudaMemcpy") == len(copies) >= 3, "a program has its calls and copies", names)
    waits = [each for each in calls if each.name == "cudaMemcpy"]
    ok(all(any(wait.begin <= each.begin and each.end <= wait.end for wait in waits) for each in copies),
       "each copy that is waited for lies in its call")
    kernels = [each for each in streams if each.depth == 0 and "launch" in each.numbers]
    ok(kernels and not any(k.begin < c.end and c.begin < k.end for k in kernels for c in copies),
       "kernels and copies of a stream follow one another")


def check_processor(work, data):
    """Perfetto's own reader, where one is at hand, finds as many slices and says of none that it is lost."""
    processor = shutil.which("trace_processor_shell") or shutil.which("trace_processor")
    if not processor:
        ok(True, "the trace processor opens it # SKIP no trace processor is at hand")
        return
    (work / "all.pftrace").write_bytes(data)
    (work / "query.sql").write_text("SELECT 'slices' || count(*) FROM slice;")
    done = subprocess.run([processor, "-q", work / "query.sql", work / "all.pftrace"], capture_output=True, text=True,
                          timeout=100)
    found = re.search(r"slices(\d+)", done.stdout)
    expected = sum(len(track.slices) for track in Trace(data).tracks.values())
    ok(found and int(found[1]) == expected, "the trace processor opens it", expected, done.stdout, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        whole, data = check_totals(work)
        check_gpu_packets(work, whole)
        check_processor(work, data)
        plain = check_window(work, data)
        check_many(work)
        check_program(work)
        maniple("merge", plain, work / "all", "-o", work / "both.sqlite")
        refused("joined runs are refused", "holds 2 runs", "timeline", work / "both.sqlite", "-o", work / "x")
        refused("a file that is no database is", "no database", "timeline", MANIPLE, "-o", work / "x")
        refused("timeline without -o is", "maniple timeline takes", "timeline", plain)
        refused("a full disk is", "No space left", "timeline", work / "all", "-o", "/dev/full")
        refused("a window that is none is", "the window ends before it begins", "run", "--timeline", "warps:9-3", "-o", work / "x", "t")
        refused("nor is one without cycles", "a window of core cycles", "run", "--timeline", "warps:a-b", "-o", work / "x", "t")
        refused("--timeline without a folder is", "add -o DIR", "run", "--timeline", "ctas", "t")
        ok(not (work / "x").exists(), "and nothing is written")
    sys.exit(finish())


main()
