#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Energy of many-core machines (--energy): programs of a few words whose events are counted here by hand give each energy back that
the machine states; parts add up; static power alone where nothing costs; the same bytes however it is run; refusals.
Usage: energy.py MANIPLE ELF_FOLDER"""
import decimal
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

MANIPLE, ELF = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
HERE = pathlib.Path(__file__).resolve().parent
EXIT = ["e3a00018", "e3a01802", "e3811026", "ef123456"]  # semihosting: SYS_EXIT, ADP_Stopped_ApplicationExit
MULTIPLY, LOAD, STORE = "e0010291", "e51d1004", "e50d1004"  # mul r1, r1, r2; ldr r1, [sp, #-4]; str r1, [sp, #-4]
KEYS = ("instruction fetch multiply media load store branch line shared hop cycle static.tile static.chip").split()
PARTS = [f"energy_{name}" for name in ("core", "fetch", "data", "lines", "banks", "mesh", "clock", "static")]
CORES = 4


def loop(folder, rounds, *body):
    """mov r4, rounds; body, subs and bne so many times; the end."""
    back = (1 - (len(body) + 4)) & 0xFFFFFF
    words = [f"e3a040{rounds:02x}", *body, "e2544001", f"1a{back:06x}", *EXIT]
    path = pathlib.Path(folder) / "-".join([str(rounds), *body, "elf"])
    subprocess.run([sys.executable, HERE / "elf.py", path, *words], check=True)
    return path


def reads(folder, hops):
    """Core 0 reads a bank sixteen times, so many hops away; nobody else does anything."""
    path = pathlib.Path(folder) / f"reads{hops}.elf"
    words = ["e3500000", "1a000006", "e3a05010", f"e3a060{hops:02x}", "e0060693", "e2866102", "e5967000", "e2555001", "1afffffc", *EXIT]
    subprocess.run([sys.executable, HERE / "elf.py", path, *words], check=True)
    return path


def command(program, *options, cores=CORES, machine="manycore-2", arguments=()):
    words = [MANIPLE, "run", "-q", "--machine", machine, "--cores", str(cores), *options, "--", program, *arguments]
    return subprocess.run(list(map(str, words)), capture_output=True, text=True)


def run(folder, program, *options, **more):
    work = pathlib.Path(folder) / "out"
    done = command(program, "--energy", "-o", work, *options, **more)
    if done.returncode:
        print("#", done.stderr)
    return json.loads((work / "results.json").read_text(), parse_float=decimal.Decimal)


def values(results):
    return {name: each["value"] for name, each in results["total"]["statistics"].items()}


def only(**energies):
    """Options that set all energies to 0 but some."""
    named = {name.replace("_", "."): value for name, value in energies.items()}
    return [word for key in KEYS for word in ("--set", f"energy.{key}={named.get(key, 0)}")]


def check_summary(folder):
    """The summary has a coprocessor's words; a GPU's limit of power is refused without the name of a file that nobody gave."""
    text = command(reads(folder, 5), "--energy", "--set", "mesh.width=8", cores=8).stdout
    ok("static power of tiles and chip" in text and "SMs" not in text.split("Energy", 1)[1].split("basis:")[0], "parts of the energy have a coprocessor's words", text)
    words = [MANIPLE, "power", "--limit", "1", "--", "--machine", "manycore-2", "--cores", "4", "--", reads(folder, 1)]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    ok(done.returncode == 2 and done.stderr.startswith("maniple: error: the clock that a limit leaves is of a GPU"), "maniple power is refused", done.stderr)


def check_coefficients(folder):
    """Two programs that differ by 200 rounds: their energies differ by 200 times the events of a round, to the femtojoule."""
    for key, body, events in (("instruction", [], 2), ("fetch", [], 2), ("branch", [], 1), ("multiply", [MULTIPLY, MULTIPLY], 2),
                              ("load", [LOAD], 1), ("store", [STORE, STORE, STORE], 3), ("multiply", [LOAD], 0), ("shared", [STORE], 0)):
        few, many = (values(run(folder, loop(folder, rounds, *body), *only(**{key: 4321})))["energy"] for rounds in (20, 220))
        ok((many - few) * 1000 == 200 * events * 4321 * CORES, f"energy.{key}: {events} of each round", few, many)
    for hops in (0, 1, 5, 7):
        program = reads(folder, hops)
        way = ["--set", "mesh.width=8"]
        mesh, banks = (values(run(folder, program, *only(**{key: 1000}), *way, cores=8))["energy"] for key in ("hop", "shared"))
        # Sixteen requests and replies: each passes so many links, and leaves the mesh once.
        ok(mesh == (32 * (hops + 1) if hops else mesh) and banks == 16, f"sixteen reads over {hops} hops", mesh, banks)
    got = values(run(folder, loop(folder, 20), *only(line=1000)))["energy"]
    ok(got == CORES, "a line for the code of each core", got)


def check_time(folder):
    """2 cycles for each round, 4 to the end, and 9 of the first miss; mW are pJ in a nanosecond, a cycle of 1 GHz."""
    for rounds in (10, 210):
        cycles = 2 * rounds + 13
        s = values(run(folder, loop(folder, rounds), *only(static_tile=7, static_chip=5)))
        ok(s["energy"] == cycles * (7 * CORES + 5) == s["energy_static"] and s["power"] == 7 * CORES + 5,
           "a machine whose events cost nothing has its static power", s["energy"], s["power"])
        ok(s["energy_time"] == 1000 * cycles, "over the time of its last core", s["energy_time"])
        s = values(run(folder, loop(folder, rounds), *only(cycle=3000)))
        ok(s["energy"] == 3 * CORES * cycles, "clocks of all tiles", s["energy"])
        slow = values(run(folder, loop(folder, rounds), *only(static_tile=7, static_chip=5), "--set", "clock.core=500MHz"))
        ok(slow["energy"] == 2 * cycles * (7 * CORES + 5) and slow["power"] == 7 * CORES + 5, "at half the clock twice of it", slow["energy"])
    whole, half = (values(run(folder, loop(folder, 50, LOAD, MULTIPLY), "--set", f"energy.scale={scale}"))["energy"] for scale in (1000, 500))
    ok(whole == 2 * half, "half the scale: half the energy", whole, half)


def check_conservation(folder):
    for machine, program, arguments in (("manycore-2", "atomic.elf", ("16", "10")), ("manycore-1", "barrier.elf", ("2", "2", "16", "20")),
                                        ("manycore-2-pipeline", "fft.elf", ("16",))):
        results = run(folder, ELF / program, "--sample", "100", cores=16, machine=machine, arguments=arguments)
        s, over_time = values(results), results["samples"]["statistics"]
        ok(s["energy"] == sum(s[name] for name in PARTS) > 0, f"{machine}: parts add up to the whole")
        ok(abs(s["power"] * s["energy_time"] - s["energy"] * 1000) <= s["energy_time"], f"{machine}: power is energy by time")
        wrong = [name for name in over_time if name.startswith("energy") and sum(over_time[name]["value"]) != s[name]]
        ok(not wrong and "power" in over_time, f"{machine}: intervals add up to the run", wrong)
        plain = command(ELF / program, "-o", pathlib.Path(folder) / "plain", cores=16, machine=machine, arguments=arguments)
        without = values(json.loads((pathlib.Path(folder) / "plain" / "results.json").read_text(), parse_float=decimal.Decimal))
        ok(plain.returncode == 0 and all(s[name] == value for name, value in without.items()) and "energy" not in without,
           f"{machine}: all other statistics are what they are without")


def check_instructions(folder):
    """Energies of instructions add up to those of cores, fetches and data; each instruction of a loop has its own, by hand."""
    for machine, program, arguments in (("manycore-2", "atomic.elf", ("16", "10")), ("manycore-1", "barrier.elf", ("2", "2", "16", "20")),
                                        ("manycore-2-pipeline", "fft.elf", ("16",))):
        s = values(run(folder, ELF / program, "--by-instruction", "--set", "energy.scale=777", cores=16, machine=machine, arguments=arguments))
        with sqlite3.connect(f"{folder}/out/results.sqlite") as base:
            own = base.execute("SELECT sum(energy) FROM instruction").fetchone()[0]
        ok(own == 1000 * (s["energy_core"] + s["energy_fetch"] + s["energy_data"]) > 0, f"{machine}: instructions add up to their parts", own, s)
    energies = {"instruction": 100, "fetch": 10, "multiply": 1, "load": 2, "store": 3, "branch": 4}
    run(folder, loop(folder, 20, MULTIPLY, LOAD, STORE), *only(**energies), "--by-instruction")
    with sqlite3.connect(f"{folder}/out/results.sqlite") as base:
        found = [row[0] for row in base.execute("SELECT energy FROM instruction WHERE issues = ? ORDER BY pc", (20 * CORES,))]
    ok(found == [20 * CORES * each for each in (111, 112, 113, 110, 114)], "each instruction of a loop has its own energy", found)
    text = subprocess.run([MANIPLE, "report", f"{folder}/out"], capture_output=True, text=True).stdout
    ok("Instructions by energy: in the core" in text, "reports have instructions by energy", text)


def check_ways(folder):
    texts = set()
    for options in ("--threads 1", "--threads 2", "--threads 3 --set mesh.block=2", "--executor s-events --threads 2", "--no-skip",
                    "--core interpreter"):
        texts.add(json.dumps({name: str(value) for name, value in values(run(
            folder, ELF / "atomic.elf", *options.split(), cores=16, arguments=("16", "10"))).items() if "energy" in name or name == "power"}))
    ok(len(texts) == 1, "energies are the same for any threads, blocks, executor and core", texts)


def check_words(folder):
    run(folder, ELF / "atomic.elf", "--sample", "100", cores=16, arguments=("16", "10"))
    text = subprocess.run([MANIPLE, "report", f"{folder}/out", "--html", f"{folder}/page.html"], capture_output=True, text=True).stdout
    with sqlite3.connect(f"{folder}/out/results.sqlite") as base:
        total = base.execute("SELECT value FROM statistics WHERE kernel = 0 AND name = 'energy'").fetchone()[0]
    two = subprocess.run([MANIPLE, "report", f"{folder}/out", f"{folder}/out"], capture_output=True, text=True).stdout
    ok(" ".join(f"Energy {total / 1e6:.2f} {total / 1e6:.2f} uJ".split()) in " ".join(two.split()), "two runs have energies side by side",
       total, two)
    page = pathlib.Path(folder, "page.html").read_text()
    ok("Energy: " in text and "Most is" in text and "<h2>Energy</h2>" in page and "Power over time" in page,
       "reports have energy by part, and over time", text)
    program = loop(folder, 20)
    for options, expected in ((["--energy=values"], "energy.values"), (["--set", "energy.model=true", "--set", "energy.fp32=1"], "energy.fp32")):
        done = command(program, *options)
        ok(done.returncode == 2 and expected in done.stderr, f"refused: {' '.join(options[:2])}", done.stderr)
    done = subprocess.run([MANIPLE, "power", "--limit", "1", "--", "--machine", "manycore-2", "--", program], capture_output=True, text=True)
    ok(done.returncode == 2 and "is of a GPU" in done.stderr, "refused: a clock for a limit of power", done.stderr, done.stdout)


with tempfile.TemporaryDirectory() as folder:
    check_summary(folder)
    check_coefficients(folder)
    check_time(folder)
    check_conservation(folder)
    check_instructions(folder)
    check_ways(folder)
    check_words(folder)
sys.exit(finish())
