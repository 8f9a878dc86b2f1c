#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Figures 7, 9 and 10 of Raghav et al. (TPDS 2015): the coprocessor's benchmarks from 128 to 4096 cores.

  bench/manycore.py run MANIPLE [WORD…]   simulates what bench/manycore.csv has no row for yet; words choose programs,
                                          machines or numbers of cores (fft manycore-2 4096); --again: what it has, too;
                                          --simulated: cycles and counts alone, on a host that others use
  bench/manycore.py threads MANIPLE [WORD…]  each program at a size of 2 s and more with one and with two threads, in turns,
                                          into bench/manycore-threads.csv, and writes the table
  bench/manycore.py quiet MANIPLE [WORD…] what only a quiet host can say: `threads`, then times of rows that have none, and the
                                          tables; --again: all times of 4096 cores. An interrupted call goes on where it was
  bench/manycore.py check MANIPLE WORD…   simulates rows of bench/manycore.csv again, and fails if what is simulated differs
  bench/manycore.py plot                  draws docs/figures/manycore-*.svg from it
  bench/manycore.py table                 writes both files' tables into docs/lab/manycore.md; --current: says whether they are those
Simulated figures are the same on every host and for both kinds of core, which is checked on 4096 cores; S-MIPS are
instructions per second of CPU time, on one thread, with translated cores. Translations are compiled before."""
import csv
import json
import os
import subprocess
import sys
import time

import lab_page

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "manycore.csv")
PAGE = lab_page.LAB / "manycore.md"
FIGURES = os.path.join(HERE, "..", "docs", "figures")
ELF = os.path.join(HERE, "..", "apps", "manycore", "elf")
CORES = [1, 128, 256, 512, 1024, 2048, 4096]
# Acronym: command line; the sizes of the paper's table 2, and the work that it does not state. XC is none of the paper's:
# background subtraction by normalised cross-correlation.
PROGRAMS = {
    "IDCT": "idct 4096", "DQ": "dequantise 4096", "NCC": "cut 4096", "MM": "matmul 4096", "FFT": "fft 4096",
    "EPCC": "atomic 4096 20000", "EP": "ep 18", "BC": "barrier 0 1 4096 20000", "B-MSD": "barrier 1 1 4096 20000",
    "BMSD-T": "barrier 2 1 4096 20000", "XC": "ncc 4096"}
PARALLEL = ["IDCT", "DQ", "NCC", "MM", "FFT", "EPCC", "EP", "XC"]
BARRIERS = ["BC", "B-MSD", "BMSD-T"]
# Sizes at which one thread takes 2 s and more, and the cores; each barrier of BC takes so many hops that 1024 cores do.
LONG = {"IDCT": ("idct 1048576", 4096), "DQ": ("dequantise 2621440", 4096), "NCC": ("cut 65000", 4096),
        "MM": ("matmul 65000", 4096), "FFT": ("fft 4096 4", 4096), "EPCC": ("atomic 16384 20000", 4096), "EP": ("ep 20", 4096),
        "BC": ("barrier 0 1 1024 20000", 1024), "B-MSD": ("barrier 1 1 65536 20000", 4096),
        "BMSD-T": ("barrier 2 1 65536 20000", 4096)}
THREADS = os.path.join(HERE, "manycore-threads.csv")
FRESH = 6 * 3600  # seconds for which `quiet` takes times of threads as made by the call that was interrupted
THREAD_FIELDS = ["program", "machine", "command", "cores", "instructions", "windows", "cpu_seconds_1", "wall_seconds_1",
                 "cpu_seconds_2", "wall_seconds_2", "threads_started", "made"]
ROUNDS = 2  # in turns; of the wall times the least counts
# Interpreted as well, BC of 4096 cores would take as long again.
SLOW = {("BC", "manycore-2", 4096)}
COUNTS = ["global_cycles", "instructions", "s_events", "s_event_wait_cycles", "noc_hops", "noc_packets", "noc_busiest_link",
          "instructions_alu", "instructions_multiply", "instructions_load", "instructions_store", "instructions_branch",
          "instructions_synchronisation"]
INTERPRETED = [4096]  # numbers of cores for which interpreted cores are timed, too
TEXTS = ["program", "machine", "end", "cpu_seconds", "interpreter_cpu_seconds"]
FIELDS = ["program", "machine", "cores", "end"] + COUNTS + ["cpu_seconds", "interpreter_cpu_seconds", "peak_memory_bytes"]


def load():
    if not os.path.exists(DATA):
        return {}
    with open(DATA, newline="", encoding="utf-8") as source:
        rows = [{name: row.get(name, "") if name in TEXTS else int(row[name]) for name in FIELDS}
                for row in csv.DictReader(source)]
    return {(row["program"], row["machine"], row["cores"]): row for row in rows}


def save(rows):
    order = list(PROGRAMS)
    keys = sorted(rows, key=lambda key: (key[1], order.index(key[0]), key[2]))
    with open(DATA, "w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in keys)


def simulate(maniple, program, machine, cores, kind):
    row = measure(maniple, PROGRAMS[program], machine, cores, kind, 1)
    statistics, end = row["total"]["statistics"], row["total"]["end"]
    done = {name: statistics[name]["value"] for name in COUNTS}
    done.update(program=program, machine=machine, cores=cores, end=end, cpu_seconds=f"{row['run']['cpu_seconds']:.3f}",
                peak_memory_bytes=row["run"]["peak_memory_bytes"])
    return done


def measure(maniple, words, machine, cores, kind, threads):
    """The results of a program that found its own right."""
    program, words = words, words.split()  # the whole is its name in messages
    command = [maniple, "run", "-q", "--threads", str(threads), "--format", "json", "--machine", machine, "--cores", str(cores)]
    command += ["--core", kind]
    if kind == "translation":
        subprocess.run(command + ["--max-cycles", "1", "--", os.path.join(ELF, words[0] + ".elf")], capture_output=True,
                       check=False)
    done = subprocess.run(command + ["--", os.path.join(ELF, words[0] + ".elf")] + words[1:], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0 or ": right on" not in done.stderr:
        sys.exit(f"{program} on {cores} cores of {machine}: status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def threads(maniple, words, fresh=False):
    """`fresh`: programs that were timed in the last hours are not timed again."""
    rows = []
    if os.path.exists(THREADS):
        with open(THREADS, newline="", encoding="utf-8") as source:
            rows = list(csv.DictReader(source))
    for program, (command, cores) in LONG.items():
        if words and program not in words:
            continue
        if fresh and any(row["program"] == program and time.time() - float(row.get("made") or 0) < FRESH for row in rows):
            continue
        best = {}
        for _ in range(ROUNDS):
            for count in (1, 2):
                results = measure(maniple, command, "manycore-2", cores, "translation", count)
                if count not in best or results["run"]["wall_seconds"] < best[count]["run"]["wall_seconds"]:
                    best[count] = results
        if best[1]["total"] != best[2]["total"]:
            sys.exit(f"{program}: two threads give other results than one")
        one, two = best[1]["run"], best[2]["run"]
        row = {"program": program, "machine": "manycore-2", "command": command, "cores": cores,
               "instructions": best[1]["total"]["statistics"]["instructions"]["value"], "windows": two["windows"],
               "cpu_seconds_1": f"{one['cpu_seconds']:.3f}", "wall_seconds_1": f"{one['wall_seconds']:.3f}",
               "cpu_seconds_2": f"{two['cpu_seconds']:.3f}", "wall_seconds_2": f"{two['wall_seconds']:.3f}",
               "threads_started": two["threads_started"], "made": int(time.time())}
        rows = [each for each in rows if each["program"] != program] + [row]
        with open(THREADS, "w", newline="", encoding="utf-8") as out:
            writer = csv.DictWriter(out, THREAD_FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        print(f"{program:7} {row['wall_seconds_1']} s with one thread, {row['wall_seconds_2']} s with two", flush=True)
    write_tables()


def run(maniple, words):
    again, simulated = "--again" in words, "--simulated" in words
    words = [word for word in words if not word.startswith("--")]
    rows = load()
    for cores in CORES:
        for machine in ("manycore-1", "manycore-2"):
            for program in PROGRAMS:
                key = (program, machine, cores)
                chosen = all(any(word == str(part) for part in key) for word in words)
                if not chosen or (key in rows and (simulated or rows[key]["cpu_seconds"]) and not again):
                    continue
                row = simulate(maniple, *key, "translation")
                if simulated:
                    row["cpu_seconds"] = row["interpreter_cpu_seconds"] = ""
                elif cores in INTERPRETED and key not in SLOW:
                    other = simulate(maniple, *key, "interpreter")
                    row["interpreter_cpu_seconds"] = other["cpu_seconds"]
                    different = [name for name in COUNTS if row[name] != other[name]]
                    if different:
                        sys.exit(f"{key}: translated cores differ from interpreted ones in {different}")
                rows = load()
                rows[key] = row
                save(rows)
                print(f"{machine} {cores:5} {program:7} {row['global_cycles']:12,} cycles  IPC {ipc(row):8.1f}  "
                      f"{row['cpu_seconds'] or '–':>8} s  {mips(row) or 0:7.1f} S-MIPS", flush=True)


def check(maniple, words):
    """Rows of the file, chosen by words that are parts of their key, come out as they stand there."""
    different, count = [], 0
    for key, row in load().items():
        if not all(any(word == str(part) for part in key) for word in words):
            continue
        made = simulate(maniple, *key, "interpreter")
        different += [f"{key}: {name} is {made[name]:,}, the file has {row[name]:,}" for name in COUNTS if made[name] != row[name]]
        count += 1
    for line in different:
        print(line)
    print(f"{count} rows simulated again, {len(different)} differences")
    return bool(different) or not count


def ipc(row):
    return row["instructions"] / row["global_cycles"]


def mips(row):
    """None: there is no time of a quiet host."""
    return row["instructions"] / 1e6 / float(row["cpu_seconds"]) if row["cpu_seconds"] else None


def interpreted(row):
    seconds = row["interpreter_cpu_seconds"]
    return f"{float(seconds):.2f} | {row['instructions'] / 1e6 / float(seconds):,.0f}" if seconds else " | "


def times(row):
    """Cells of a table: seconds and speed, translated and interpreted, and cycles in a second."""
    if not row["cpu_seconds"]:
        return "– | – | – | – | –"
    seconds = float(row["cpu_seconds"])
    return f"{seconds:.2f} | {mips(row):,.0f} | {interpreted(row)} | {row['global_cycles'] / seconds:,.0f}"


# ===== plots =====
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 460, 320, 58, 34, 84, 42
COLOURS = ["#1b6ca8", "#d1495b", "#2e8540", "#8e5ea2", "#c77700", "#00798c", "#444444", "#7a4419", "#e377c2", "#6b8e23"]


def ticks(low, high):
    value, all_ticks = low, []
    while value <= high * 1.0001:
        all_ticks.append(value)
        value *= 10
    return all_ticks


def plot(name, title, axis, curves, low, high, dashed=()):
    """Curves {label: [(cores, value)]} over logarithmic axes."""
    import math
    across, down = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    x = lambda cores: LEFT + across * (math.log2(cores) - 7) / 5
    y = lambda value: TOP + down * (1 - math.log10(max(value, low) / low) / math.log10(high / low))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
           'font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="#fff"/>',
           f'<text x="{LEFT}" y="18" font-size="13">{title}</text>']
    for cores in CORES[1:]:
        out.append(f'<path stroke="#ddd" d="M{x(cores):.1f} {TOP}v{down}"/><text x="{x(cores):.1f}" '
                   f'y="{TOP + down + 16}" text-anchor="middle">{cores}</text>')
    for value in ticks(low, high):
        out.append(f'<path stroke="#ddd" d="M{LEFT} {y(value):.1f}h{across}"/><text x="{LEFT - 6}" '
                   f'y="{y(value) + 4:.1f}" text-anchor="end">{value:,g}</text>')
    out.append(f'<text x="{LEFT + across / 2}" y="{HEIGHT - 8}" text-anchor="middle">cores</text>')
    out.append(f'<text transform="translate(13 {TOP + down / 2}) rotate(-90)" text-anchor="middle">{axis}</text>')
    places = []
    for i, (label, points) in enumerate(curves.items()):
        if not points:
            continue
        path = "L".join(f"{x(cores):.1f} {y(value):.1f}" for cores, value in points)
        style = ' stroke-dasharray="5 3"' if label in dashed else ""
        colour = "#999" if label in dashed else COLOURS[i % len(COLOURS)]
        out.append(f'<path fill="none" stroke="{colour}" stroke-width="1.6"{style} d="M{path}"/>')
        if label not in dashed:
            out += [f'<circle cx="{x(cores):.1f}" cy="{y(value):.1f}" r="2.4" fill="{colour}"/>'
                    for cores, value in points]
        places.append([y(points[-1][1]), x(points[-1][0]), label, colour])
    places.sort()
    for i, place in enumerate(places):  # labels must not lie on one another
        if i and place[0] < places[i - 1][0] + 12:
            place[0] = places[i - 1][0] + 12
        out.append(f'<text x="{place[1] + 8:.1f}" y="{place[0] + 4:.1f}" fill="{place[3]}">{place[2]}</text>')
    out.append("</svg>\n")
    os.makedirs(FIGURES, exist_ok=True)
    with open(os.path.join(FIGURES, f"manycore-{name}.svg"), "w", encoding="utf-8") as file:
        file.write("\n".join(out))


def curves(rows, programs, machine, value):
    return {program: [(cores, value(rows[program, machine, cores])) for cores in CORES[1:]
                      if (program, machine, cores) in rows and value(rows[program, machine, cores]) is not None]
            for program in programs}


def plots():
    rows = load()
    ideal = {"ideal": [(cores, cores) for cores in CORES[1:]]}
    for machine, architecture in (("manycore-1", "I"), ("manycore-2", "II")):
        def speed_up(row):
            return rows[row["program"], row["machine"], 1]["global_cycles"] / row["global_cycles"]
        number = machine[-1]
        plot(f"ipc-{number}", f"Instructions per cycle, architecture {architecture}", "IPC",
             curves(rows, list(PROGRAMS), machine, ipc), 1, 10000)
        plot(f"speedup-parallel-{number}", f"Speed-up, data-parallel programs, architecture {architecture}",
             "cycles on 1 core / cycles", {**curves(rows, PARALLEL, machine, speed_up), **ideal}, 10, 10000, ideal)
        plot(f"speedup-barriers-{number}", f"Speed-up, barrier programs, architecture {architecture}",
             "cycles on 1 core / cycles", {**curves(rows, BARRIERS, machine, speed_up), **ideal}, 1, 10000, ideal)
        plot(f"mips-{number}", f"Speed of the simulation, architecture {architecture}",
             "S-MIPS (CPU time, one host thread)", curves(rows, list(PROGRAMS), machine, mips), 1, 10000)


# ===== tables =====
def threads_lines():
    """One thread beside two, of the rows of bench/manycore-threads.csv."""
    yield ("| program | command | cores | one thread: wall s | CPU s | S-MIPS | two: wall s | CPU s | threads | faster | µs a window |\n"
           "| --- | --- |" + " ---: |" * 9 + "\n")
    for row in lab_page.read_rows(THREADS):
        one, two = float(row["wall_seconds_1"]), float(row["wall_seconds_2"])
        name, *arguments = row["command"].split()
        yield (f"| {row['program']} | `{name}.elf {' '.join(arguments)}` | {row['cores']} | {one:.2f} | "
               f"{float(row['cpu_seconds_1']):.2f} | {int(row['instructions']) / 1e6 / float(row['cpu_seconds_1']):,.0f} | "
               f"{two:.2f} | {float(row['cpu_seconds_2']):.2f} | {row['threads_started']} | {one / two:.2f} | "
               f"{one / int(row['windows']) * 1e6:.1f} |\n")


def scaling_lines(machine):
    """Instructions per cycle and speed-up over one core, of every program and number of cores."""
    rows = load()
    yield "| program | " + " | ".join(f"{cores}" for cores in CORES) + " |\n| --- |" + " ---: |" * len(CORES) + "\n"
    for program in PROGRAMS:
        base, cells = rows.get((program, machine, 1)), []
        for row in (rows.get((program, machine, cores)) for cores in CORES):
            faster = f" / {base['global_cycles'] / row['global_cycles']:,.0f}" if row and base else ""
            cells.append(f"{ipc(row):,.1f}{faster}" if row else "")
        yield f"| {program} | " + " | ".join(cells) + " |\n"


def run_lines():
    """Counts and speed of the largest runs."""
    yield ("| machine | program | command | cores | cycles | instructions | s-events | hops | CPU s | S-MIPS | interpreted: CPU s | S-MIPS | "
           "cycles/s | MB |\n| --- | --- | --- |" + " ---: |" * 11 + "\n")
    for (program, machine, cores), row in load().items():
        if cores == 4096 or (cores == 1024 and program in BARRIERS):
            name, *arguments = PROGRAMS[program].split()
            yield (f"| {machine} | {program} | `{name}.elf {' '.join(arguments)}` | {cores} | {row['global_cycles']:,} | "
                   f"{row['instructions']:,} | {row['s_events']:,} | {row['noc_hops']:,} | {times(row)} | "
                   f"{row['peak_memory_bytes'] / 1e6:.0f} |\n")


def page_with_tables(text):
    for name, lines in (("threads", threads_lines()), ("architecture-1", scaling_lines("manycore-1")),
                        ("architecture-2", scaling_lines("manycore-2")), ("runs", run_lines())):
        text = lab_page.put_between(text, f"<!-- {name}, by bench/manycore.py -->\n", "<!-- end -->\n", lines)
    return text


def write_tables():
    PAGE.write_text(page_with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def current():
    """Whether the page has the tables of the files."""
    text = PAGE.read_text(encoding="utf-8")
    return text == page_with_tables(text)


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "run":
        run(sys.argv[2], sys.argv[3:])
    elif len(sys.argv) > 3 and sys.argv[1] == "check":
        sys.exit(check(sys.argv[2], sys.argv[3:]))
    elif len(sys.argv) > 2 and sys.argv[1] == "threads":
        threads(sys.argv[2], sys.argv[3:])
    elif len(sys.argv) > 2 and sys.argv[1] == "quiet":
        threads(sys.argv[2], [], fresh="--again" not in sys.argv)
        run(sys.argv[2], sys.argv[3:] + (["4096"] if "--again" in sys.argv else []))
        write_tables()
    elif sys.argv[1:] == ["plot"]:
        plots()
    elif sys.argv[1:] == ["table"]:
        write_tables()
    elif sys.argv[1:] == ["table", "--current"]:
        sys.exit(None if current() else "docs/lab/manycore.md has not the tables of bench/manycore.csv: bench/manycore.py table writes them")
    else:
        sys.exit(__doc__)
