#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`maniple correlate`: errors against measurements that are known factors of what the runs give; means and correlations are
computed again here; tables of one's own, Nsight Compute's and Nsight Systems' are read. Usage: correlate.py MANIPLE TRACEGEN"""
import csv
import json
import math
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

MANIPLE, TRACEGEN = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
FACTORS = {"tiles": 1.25, "adds": 0.8, "one warp": 1.0, "other": 2.0}
LIST = """name,machine,input,settings,group
tiles,rtx3070,tiles/kernelslist.g,,long
adds,rtx3070,adds/kernelslist.g,sm.count=8 launch.kernel=2000,long
one warp,rtx3070,tracegen chase arch=86 footprint=65536 loads=64,,short
other,rtx3070,adds/kernelslist.g,,short
"""


def maniple(*words):
    return subprocess.run([MANIPLE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def cycles_of(*words):
    done = maniple("run", "-q", "--format", "json", "--machine", "rtx3070", *words)
    return sum(kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in json.loads(done.stdout)["kernels"])


def pearson(pairs):
    n = len(pairs)
    mx, my = sum(x for x, _ in pairs) / n, sum(y for _, y in pairs) / n
    cross = sum((x - mx) * (y - my) for x, y in pairs)
    return cross / math.sqrt(sum((x - mx) ** 2 for x, _ in pairs) * sum((y - my) ** 2 for _, y in pairs))


def rows_of(folder):
    return {row["name"]: row for row in csv.DictReader(open(pathlib.Path(folder, "correlation.csv"), newline=""))}


def correlate(folder, measurements, list_=LIST, *words):
    pathlib.Path("list.csv").write_text(list_)
    return maniple("correlate", "list.csv", "-m", measurements, "-o", folder, *words)


def check_own(simulated):
    measured = {name: simulated[name] * factor for name, factor in FACTORS.items()}
    pathlib.Path("own.csv").write_text("name,value\n" + "".join(f"{n},{v:.4f}\n" for n, v in measured.items()))
    done = correlate("all", "own.csv")
    rows = rows_of("all")
    ok(done.returncode == 0 and list(rows) == list(FACTORS), "all rows are run", done.stderr)
    ok(all(math.isclose(float(rows[n]["simulated"]), simulated[n]) and
           math.isclose(float(rows[n]["error"]), 1 / FACTORS[n] - 1, abs_tol=2e-6) for n in FACTORS),
       "with the cycles of `maniple run`, and the errors of known factors", rows)
    errors = {n: abs(1 / f - 1) for n, f in FACTORS.items()}
    mean = 100 * sum(errors.values()) / 4
    short = 100 * (errors["one warp"] + errors["other"]) / 2
    r = pearson([(measured[n], simulated[n]) for n in FACTORS])
    logs = pearson([(math.log(measured[n]), math.log(simulated[n])) for n in FACTORS])
    text = pathlib.Path("all/correlation.md").read_text()
    line = next(line for line in text.splitlines() if line.startswith("| all"))
    bias = math.exp(sum(math.log(1 / f) for f in FACTORS.values()) / 4)
    ok(line == f"| all | 4 | {mean:.1f} % | {100 * max(errors.values()):.1f} % | {bias:.3f} | {r:.4f} | {logs:.4f} |",
       "mean, largest, ratio and correlations are computed again", line, mean, r, logs)
    ok(f"| short | 2 | {short:.1f} %" in text and f"mean absolute error {mean:6.1f} %" in done.stdout, "by group too", text)
    worst = done.stdout.split("Furthest off")[1].splitlines()[1:]
    ok([line.split("  ")[1].strip() for line in worst] == ["other", "adds", "tiles", "one warp"], "the worst come first",
       worst)
    again = subprocess.run(["bash", "-c", rows["adds"]["command"].replace("maniple run", f"'{MANIPLE}' run --format json", 1)],
                           capture_output=True, text=True)
    ok(json.loads(again.stdout)["total"]["statistics"]["gpu_sim_cycle"]["value"] == simulated["adds"],
       "and the command of a row makes it again")
    page = pathlib.Path("all/correlation.html").read_text()
    svg = page[page.index("<svg"):page.index("</svg>") + 6]
    points = [each for each in xml.etree.ElementTree.fromstring(svg).iter() if each.tag.endswith("title")]
    ok(len(points) == 4 and "http://" not in page.replace("http://www.w3.org/2000/svg", ""), "a page draws a point for each row")
    before = os.stat("all/runs").st_mtime_ns
    done = correlate("all", "own.csv", LIST, "--threads", 2)
    ok(os.stat("all/runs").st_mtime_ns == before and "4 of them before" in done.stderr, "nothing is run twice", done.stderr)
    pathlib.Path("times.csv").write_text(
        "app,us,n\n" + "".join(f'"{n}","{v / 1132:,.6f}",1\n' for n, v in measured.items()))
    correlate("all", "times.csv", LIST, "--columns", "app,us,us")
    ok(all(math.isclose(float(rows_of("all")[n]["error"]), 1 / FACTORS[n] - 1, abs_tol=1e-5) for n in FACTORS),
       "times in other columns, with commas between thousands, say the same")


def check_nsight(simulated):
    """Launches of a kernel are added up; names are those of kernels."""
    lines = ["==PROF== Connected to process 7", '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"']
    for launch, name, value in ((0, "matmul(float *)", simulated["tiles"] // 2), (1, "matmul(float *)", simulated["tiles"] // 2)):
        lines.append(f'"{launch}","{name}","gpc__cycles_elapsed.max","cycle","{value:,}"')
        lines.append(f'"{launch}","{name}","gpu__time_duration.sum","usecond","1.0"')
    pathlib.Path("ncu.csv").write_text("\n".join(lines) + "\n")
    one = ("name,machine,input,kernel\ntiles,rtx3070,tiles/kernelslist.g,matmul(float *)\n")
    done = correlate("compute", "ncu.csv", one)
    error = simulated["tiles"] / (2 * (simulated["tiles"] // 2)) - 1
    ok(done.returncode == 0 and math.isclose(float(rows_of("compute")["tiles"]["error"]), error, abs_tol=1e-6),
       "what Nsight Compute prints is read: cycles before times, launches added up", done.stderr)
    ok("correlation -\n" in done.stdout and "| - | - |" in pathlib.Path("compute/correlation.md").read_text(),
       "one row has no correlation", done.stdout)
    for wanted in ("matmul", "matmul(float*)", "matmul(const float *)", "space::matmul"):
        done = correlate("compute", "ncu.csv", f'name,machine,input,kernel\ntiles,rtx3070,tiles/kernelslist.g,"{wanted}"\n')
        ok(done.returncode == 0 and math.isclose(float(rows_of("compute")["tiles"]["error"]), error, abs_tol=1e-6),
           f"{wanted} is that kernel, too", done.stderr)
    done = correlate("compute", "ncu.csv", one.replace("matmul(float *)", "matmal"))
    ok(done.returncode == 2 and 'it has the kernel "matmul(float *)", and the list "matmal"' in done.stderr,
       "kernels of other names are named, and not rows", done.stderr)
    pathlib.Path("templates.csv").write_text("\n".join(lines[:2] + [
        f'"{i}","{name}","gpc__cycles_elapsed.max","cycle","{value}"' for i, (name, value) in enumerate((
            ("void k<float, (int)4>(T1 *)", 100), ("void k<double, (int)4>(T1 *)", 30), ("matmul(float *)", 7)))]) + "\n")
    for wanted, value in (("void k<float, 4>(float*)", 100), ("k<double, (int)4>", 30), ("_Z1kIdLi4EEvPT_", 30), ("k", 130)):
        done = correlate("templates", "templates.csv", f'name,machine,input,kernel\ntiles,rtx3070,tiles/kernelslist.g,"{wanted}"\n')
        ok(float(rows_of("templates")["tiles"]["measured"]) == value, f"{wanted} is measured as {value}", done.stderr)
    done = correlate("templates", "templates.csv", 'name,machine,input,kernel\ntiles,rtx3070,tiles/kernelslist.g,"k<int, 4>"\n')
    ok(done.returncode == 2 and "list.csv:2: several kernels that were measured are called like k<int, 4>" in done.stderr,
       "which instance is meant must be clear", done.stderr)
    pathlib.Path("german.csv").write_text(pathlib.Path("ncu.csv").read_text().replace(
        f'{simulated["tiles"] // 2:,}', "8.875.123,5"))
    done = correlate("compute", "german.csv", one)
    ok(done.returncode == 2 and "german.csv:3" in done.stderr and "LC_ALL=C" in done.stderr,
       "other separators are refused, with line and remedy", done.stderr)
    base = sqlite3.connect("nsys.sqlite")
    base.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
    base.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, demangledName INTEGER)")
    base.execute("INSERT INTO StringIds VALUES (3, 'matmul(float *)')")
    base.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 11000, 3), (20000, 25000, 3)")
    base.commit()
    base.close()
    done = correlate("systems", "nsys.sqlite", one)
    error = simulated["tiles"] / 1132e6 / 15e-6 - 1
    ok(done.returncode == 0 and math.isclose(float(rows_of("systems")["tiles"]["error"]), error, abs_tol=1e-6),
       "so is what Nsight Systems exports: nanoseconds", done.stderr)


def check_programs(simulated):
    """What `maniple run` starts, a list may name: an ELF file, a script, what a shell finds by its name."""
    apps = pathlib.Path(MANIPLE).with_name("maniple-apps")
    done = maniple("run", "-q", "--machine", "rtx3070", "--format", "json", "--", apps, "run", "vecadd", "--size", "4096")
    if done.returncode:
        why = [each for each in ("not built", "cannot open", "ASan runtime does not come first") if each in done.stderr]
        ok(why, "programs of a list # SKIP programs are not built, or not with this sanitizer", done.stderr)
        return
    cycles = sum(k["statistics"]["gpu_sim_cycle"]["value"] for k in json.loads(done.stdout)["kernels"])
    script = pathlib.Path("start.sh")
    script.write_text(f"#!/bin/sh\nexec '{apps}' \"$@\"\n")
    script.chmod(0o755)
    listed = (f"name,machine,input,arguments\nprogram,rtx3070,{apps},run vecadd --size 4096\n"
              "script,rtx3070,./start.sh,run vecadd --size 4096\nby name,rtx3070,sh,start.sh run vecadd --size 4096\n")
    pathlib.Path("three.csv").write_text("name,value\nprogram,1\nscript,1\nby name,1\n")
    done = correlate("programs", "three.csv", listed)
    ok(done.returncode == 0 and [float(row["simulated"]) for row in rows_of("programs").values()] == [cycles] * 3,
       "a program, a script and what stands behind sh are the same", done.stderr, cycles)
    script.write_text(script.read_text() + "# changed\n")
    done = correlate("programs", "three.csv", listed)
    ok("1 of them before" in done.stderr, "a changed script, also as an argument, is run again", done.stderr)


def refused(name, pattern, measurements, list_=LIST, *words):
    done = correlate("bad", measurements, list_, *words)
    ok(done.returncode == 2 and pattern in done.stderr and not pathlib.Path("bad/correlation.md").exists(), name,
       done.returncode, done.stderr)


def check_errors():
    refused("a column that is unknown is refused", 'list.csv:1: a list has no column "grup"; did you mean "group"?', "own.csv",
            LIST.replace(",group", ",grup"))
    refused("a list without machines is", 'has no column "machine"', "own.csv", "name,input\na,b\n")
    refused("a row with too few fields is", "list.csv:3: has 2 fields", "own.csv", LIST.replace(
        "adds,rtx3070,adds/kernelslist.g,sm.count=8 launch.kernel=2000,long", "adds,rtx3070"))
    refused("an open quote is", "no closing quote", "own.csv", LIST + '"x')
    refused("an unknown machine is", "list.csv:2", "own.csv", LIST.replace("rtx3070", "rtx30700"))
    done = correlate("lost", "own.csv", LIST.replace("tiles/k", "nowhere/k") + "named,rtx3070,adds/kernelslist.g,,x\n")
    ok(done.returncode == 2 and "list.csv:2: " in done.stderr and "cannot be opened" in done.stderr and
       rows_of("lost")["tiles"]["simulated"] == "" and rows_of("lost")["adds"]["error"] and
       "failed" in pathlib.Path("lost/correlation.md").read_text(), "an input that is not there leaves the others their rows", done.stderr)
    done = correlate("lost", "own.csv", "name,machine,input,arguments\ntiles,rtx3070,./nope,4096\nadds,rtx3070,adds/kernelslist.g,\n")
    ok(done.returncode == 2 and "list.csv:2: ./nope: cannot be opened: No such file" in done.stderr and
       rows_of("lost")["adds"]["error"], "nor does a program that is not there, with arguments, take the list with it", done.stderr)
    refused("a file that cannot be started takes no arguments", "adds/kernelslist.g is no program, and a trace takes no arguments",
            "own.csv", "name,machine,input,arguments\ntiles,rtx3070,adds/kernelslist.g,4096\n")
    pathlib.Path("kernels.csv").write_text("name,machine,input,kernel\ntiles,rtx3070,tiles/kernelslist.g,other\n"
                                           "adds,rtx3070,adds/kernelslist.g,\n")
    done = correlate("kernels", "own.csv", pathlib.Path("kernels.csv").read_text())
    ok(done.returncode == 2 and "list.csv:2: the run has no kernel of the name other" in done.stderr and
       rows_of("kernels")["adds"]["simulated"], "and so does a kernel that is not there", done.stderr)
    ok('own.csv: 2 of 4 measurements are of no row of the list: "one warp" and others' in done.stderr,
       "measurements of no row are named", done.stderr)
    pathlib.Path("twice.csv").write_text("name,value,unit\ntiles,10,us\nadds,1,us\ntiles,9,us\n")
    refused("a name that is measured twice is", 'twice.csv:4: "tiles" is measured in line 2, too; state it once', "twice.csv")
    for value, why in (("-9.1", 'the measurement of "adds" is -9.1; it must be above 0'), ("0", 'the measurement of "adds" is 0; it must be above 0'),
                       ("1e-400", 'the measurement of "adds" is 0;'), ("0x10", 'value is "0x10", which is no decimal number'),
                       ("nan", 'value is "nan", which is no decimal number'), ("1e400", 'is beyond the greatest number')):
        pathlib.Path("odd.csv").write_text(f"name,value,unit\ntiles,10,us\nadds,{value},us\n")
        refused(f"a measurement of {value} is", f"odd.csv:3: {why}" if value != "1e400" else why, "odd.csv")
    pathlib.Path("mixed.csv").write_text("name,value,unit\ntiles,1,cycle\nadds,1,us\n")
    refused("cycles and times in one file are", "mixed.csv:3: is in us, and rows above are of another kind", "mixed.csv")
    refused("a trace that cannot be generated is", "list.csv:4: the trace", "own.csv", LIST.replace("tracegen chase", "tracegen case"))
    pathlib.Path("full.csv").write_text("name,machine,input\ntiles,rtx3070,tracegen matmul arch=86 n=64\n")  # a disk that is full while a trace is written
    command = f"ulimit -f 8; exec '{MANIPLE}' correlate full.csv -m own.csv -o full -q"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    left = [each.name for each in pathlib.Path("full").glob("traces/*")]
    ok(done.returncode == 2 and "full.csv:2: the trace" in done.stderr and not left, "a trace without room leaves nothing",
       done.stderr, left)
    pathlib.Path("none.csv").write_text("name,value\nsomething,1\n")
    refused("measurements of other things are", "names must be equal", "none.csv")
    pathlib.Path("semi.csv").write_text("name;value\ntiles;1\n")
    refused("semicolons are", "semicolons", "semi.csv")
    pathlib.Path("word.csv").write_text("name,value\ntiles,many\n")
    refused("a word for a number is", "word.csv:2: value is \"many\"", "word.csv")
    pathlib.Path("other.csv").write_text("app,cycles\ntiles,1\n")
    refused("missing columns are, with those there are", 'has no column "name", but app, cycles', "other.csv")
    pathlib.Path("unit.csv").write_text("name,value,unit\ntiles,1,fortnight\n")
    refused("an unknown unit is", "is no unit of time", "unit.csv")
    sqlite3.connect("empty.sqlite").execute("CREATE TABLE x (y)")
    refused("a database of something else is", "no database of Nsight Systems", "empty.sqlite")
    done = correlate("some", "own.csv", LIST + "lost,rtx3070,adds/kernelslist.g,,x\n")
    ok(done.returncode == 0 and rows_of("some")["lost"]["measured"] == "" and "not measured" in
       pathlib.Path("some/correlation.md").read_text(), "a row without a measurement is shown, and counts for nothing",
       done.stderr)
    ok("Not measured, and count for nothing: 1 of 5 rows: lost\n" in done.stdout and "measured, cycles" in done.stdout,
       "and named, with the unit of the others", done.stdout)
    pathlib.Path("small.csv").write_text("name,value\ntiles,9.1\n")
    done = correlate("small", "small.csv")
    ok(" 9.1 " in done.stdout and "| 9.1 |" in pathlib.Path("small/correlation.md").read_text(), "few cycles keep their digits", done.stdout)
    done = correlate("nothing", "small.csv", LIST.replace("tiles/k", "nowhere/k"))
    ok(done.returncode == 2 and "0 rows, mean absolute error        -, largest        -, correlation -" in done.stdout and
       "Failed, and count for nothing: 1 of 4 rows: tiles" in done.stdout and "| 0 | - | - | - | - | - |" in
       pathlib.Path("nothing/correlation.md").read_text() and "nan" not in pathlib.Path("nothing/correlation.html").read_text().split("<table")[1],
       "no rows have no error: dashes", done.stdout, done.stderr)
    pathlib.Path("broken").mkdir()
    for each in pathlib.Path("adds").iterdir():
        text = each.read_bytes()
        pathlib.Path("broken", each.name).write_bytes(text if each.suffix == ".g" else text[:len(text) // 2])
    done = correlate("part", "own.csv", LIST.replace("other,rtx3070,adds", "other,rtx3070,broken"))
    ok(done.returncode == 2 and "1 failed" in done.stderr and rows_of("part")["other"]["simulated"] == "" and
       rows_of("part")["tiles"]["error"], "a run that fails leaves the others their rows", done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, kind, *keys in (("tiles", "matmul", "n=64"), ("adds", "vectoradd", "n=16384"),
                                  ("chase", "chase", "footprint=65536", "loads=64")):
            subprocess.run([TRACEGEN, kind, name, "arch=86", *keys], check=True, capture_output=True)
        simulated = {"tiles": cycles_of("tiles/kernelslist.g"), "other": cycles_of("adds/kernelslist.g"),
                     "adds": cycles_of("--set", "sm.count=8", "--set", "launch.kernel=2000", "adds/kernelslist.g"),
                     "one warp": cycles_of("chase/kernelslist.g")}
        check_own(simulated)
        check_nsight(simulated)
        check_programs(simulated)
        check_errors()
        os.chdir("/")
    sys.exit(finish())


main()
