#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""results.sqlite says what results.json says, the same for any threads and executors; merge joins runs; bad input is
refused with file and remedy. Usage: database.py MANIPLE TRACEGEN"""
import csv
import json
import pathlib
import re
import sqlite3
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


def dump(folder):
    """Everything but the host's columns of `run`, and what ran."""
    base = sqlite3.connect(folder / "results.sqlite")
    columns = [row[1] for row in base.execute("PRAGMA table_info(run)") if not row[1].startswith("host_")]
    rows = base.execute(f"SELECT {', '.join(columns)} FROM run").fetchall()
    tables = [row[0] for row in base.execute("SELECT name FROM sqlite_schema WHERE type = 'table'"
                                            " AND name NOT IN ('run', 'provenance')")]
    return rows, {table: base.execute(f"SELECT * FROM {table}").fetchall() for table in tables}


def statistics_of(base, kernel):
    values = dict(base.execute("SELECT name, value FROM statistics WHERE kernel = ?", [kernel]))
    for name, bin_, number in base.execute(
            "SELECT name, bin, count FROM histogram JOIN statistic ON id = statistic WHERE kernel = ?", [kernel]):
        values.setdefault(name, {})[bin_] = number
    for name, model, unit, value in base.execute(
            "SELECT name, model, unit_value.unit, value FROM unit_value JOIN statistic ON id = statistic"):
        if kernel == 0:
            values.setdefault(name + "_per_unit", {}).setdefault(model, {})[unit] = value
    return values


def same_values(statistics, values):
    """The names of statistics of which the database says something else than results.json."""
    wrong = []
    for name, entry in statistics.items():
        value = entry["value"]
        if isinstance(value, list):
            value = {place: number for place, number in enumerate(value) if number}
        elif isinstance(value, dict):
            value = {model: dict(enumerate(numbers)) for model, numbers in value.items()}
        if values.get(name, {}) != value:
            wrong.append((name, value, values.get(name)))
    return wrong


def flat(group, prefix=""):
    for name, value in group.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def check_values(folder):
    results = json.loads((folder / "results.json").read_text())
    base = sqlite3.connect(folder / "results.sqlite")
    wrong = same_values(results["total"]["statistics"], statistics_of(base, 0))
    ok(not wrong, "values of the whole run, of histograms and units are those of results.json", *wrong[:5])
    wrong = [fault for kernel in results["kernels"]
             for fault in same_values(kernel["statistics"], statistics_of(base, kernel["id"]))]
    ok(not wrong and len(results["kernels"]) == base.execute("SELECT count(*) FROM kernel").fetchone()[0],
       "values of kernels are, too", *wrong[:5])
    machine = {key: value for key, value in flat(results["machine"])
               if key not in ("name", "kind", "architecture", "description")}
    keys = {key: text if number is None else number for key, text, number in
            base.execute("SELECT key, value, number FROM machine")}
    lists = {key: json.loads(keys[key]) if isinstance(value, list) else bool(keys[key]) if isinstance(value, bool)
             else keys[key] for key, value in machine.items() if key in keys}
    ok(lists == machine and len(keys) == len(machine), "so are the keys of the machine",
       *[(key, value, lists.get(key)) for key, value in machine.items() if lists.get(key) != value][:5])
    sampled = [[row[0] for row in base.execute(
        "SELECT value FROM sample JOIN statistic ON id = statistic WHERE name = ? ORDER BY cycle", [name])]
        for name in results["samples"]["statistics"]]
    ok(sampled == [entry["value"] for entry in results["samples"]["statistics"].values()], "and samples")


def check_provenance(work):
    run = json.loads((work / "a" / "results.json").read_text())["run"]
    base = sqlite3.connect(work / "a" / "results.sqlite")
    facts = base.execute("SELECT kind, name, value FROM provenance").fetchall()
    words = [value for kind, _, value in sorted(facts) if kind == "command"]
    ok(words == run["command"] and words[1] == "run" and run["input"] in words, "the command line is there", words)
    version = maniple("--version").stdout.split("\n")
    build = {name: value for kind, name, value in facts if kind == "build"}
    ok(version[0] == f"maniple {build['version']}" and version[1].split(None, 1)[1] == build["commit"] and
       run["build"] == build, "version, commit and options of the build are those of --version", version, build)
    files = {kind: (name, value) for kind, name, value in facts if kind == "input"}
    ok(files["input"][0] == run["input"] and re.fullmatch("xxh128 [0-9a-f]{32}", files["input"][1]),
       "the input has a hash", files)


def check_statistics(work):
    base = sqlite3.connect(work / "a" / "results.sqlite")
    others = base.execute("SELECT name FROM statistic WHERE kind <> 'ratio' AND coalesce(numerator, denominator) IS NOT NULL")
    ok(not others.fetchall(), "only ratios have parts")


def check_merge(work):
    done = maniple("merge", work / "a", work / "b", work / "many", "-o", work / "all.sqlite", "--csv", work / "csv")
    ok(done.returncode == 0, "merge joins runs of different kinds of machines", done.stderr)
    base = sqlite3.connect(work / "all.sqlite")
    one = sqlite3.connect(work / "many" / "results.sqlite")
    query = "SELECT name, value FROM statistics WHERE run = ? ORDER BY name"
    ok(base.execute(query, [3]).fetchall() == one.execute(query, [1]).fetchall(),
       "the third run has the values of its own database")
    ok(base.execute("SELECT count(DISTINCT name) = count(*) FROM statistic").fetchone()[0] == 1,
       "each statistic is there once")
    with open(work / "csv" / "value.csv", newline="") as text:
        rows = list(csv.reader(text))
    ok(rows[0] == ["run", "kernel", "statistic", "value"] and
       len(rows) - 1 == base.execute("SELECT count(*) FROM value").fetchone()[0], "a CSV file per table holds all rows")
    done = maniple("merge", work / "all.sqlite", work / "a", "-o", work / "more.sqlite")
    more = sqlite3.connect(work / "more.sqlite")
    ok(done.returncode == 0 and more.execute("SELECT count(*) FROM run").fetchone()[0] == 4,
       "what was joined can be joined again", done.stderr)


def check_duckdb(work):
    """The tables that merge has written, by DuckDB where it is installed."""
    try:
        import duckdb
    except ImportError:
        ok(True, "DuckDB reads the tables # SKIP duckdb is not installed")
        return
    found = duckdb.sql(f"""SELECT run, kernel, value FROM '{work}/csv/value.csv' AS v JOIN '{work}/csv/statistic.csv' AS s ON s.id = statistic
                           WHERE name = 'gpu_sim_cycle' ORDER BY run, kernel""").fetchall()
    rows = sqlite3.connect(work / "all.sqlite").execute(
        "SELECT run, kernel, value FROM value JOIN statistic ON id = statistic WHERE name = 'gpu_sim_cycle' ORDER BY run, kernel")
    wanted = rows.fetchall()
    ok(found == wanted, "DuckDB reads the tables", found)
    try:
        from duckdb_extensions import import_extension
    except ImportError:
        ok(True, "DuckDB attaches the database # SKIP its extension for SQLite is not installed")
        return
    import_extension("sqlite_scanner")
    duckdb.sql(f"LOAD sqlite_scanner; ATTACH '{work}/all.sqlite' AS r (TYPE sqlite)")
    found = duckdb.sql("SELECT run, kernel, value FROM r.value JOIN r.statistic ON id = statistic WHERE name = 'gpu_sim_cycle'"
                       " ORDER BY run, kernel").fetchall()
    ok(found == wanted, "DuckDB attaches the database", found)


def check_bad_input(work):
    whole = (work / "a" / "results.sqlite").read_bytes()
    (work / "half.sqlite").write_bytes(whole[:len(whole) // 2])
    (work / "text.sqlite").write_text("kernel,value\n" * 1000)
    (work / "torn.sqlite").write_bytes(whole[:4096] + bytes(len(whole) - 4096))
    other = work / "other.sqlite"
    other.write_bytes(whole)
    with sqlite3.connect(other) as base:
        base.execute("PRAGMA user_version = 8")
    for name in ("half", "text", "torn"):
        refused(f"a damaged database ({name}) is refused", f"{name}.sqlite", "merge", work / f"{name}.sqlite", work / "a",
                "-o", work / "x.sqlite")
    refused("so is one of another version", "another version", "merge", other, work / "a", "-o", work / "x.sqlite")
    refused("so is a folder without one", "is a folder of runs; give these", "merge", work, work / "a", "-o", work / "x.sqlite")
    refused("so is what is not there", "cannot open", "merge", work / "nothing", "-o", work / "x.sqlite")
    refused("a full disk is an error", "", "merge", work / "a", "-o", "/dev/full")
    ok(not (work / "x.sqlite").exists(), "and no file is left")


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        subprocess.run([TRACEGEN, "matmul", work / "trace", "arch=86", "n=64"], check=True, capture_output=True)
        trace = work / "trace" / "kernelslist.g"
        lines = trace.read_text().splitlines()
        trace.write_text("\n".join(lines + [line for line in lines if line.startswith("kernel")]) + "\n")
        run = ["run", "--machine", "rtx3070", "-q", "--sample", "1000", trace]
        made = maniple(*run, "-o", work / "a", "--threads", 1)
        ok(made.returncode == 0, "-o writes a database", made.stderr)
        check_values(work / "a")
        first = dump(work / "a")
        for name, options in (("b", ["--threads", 3]), ("c", ["--executor", "serial"]),
                              ("d", ["--executor", "pool", "--threads", 2])):
            maniple(*run, "-o", work / name, *options)
            ok(dump(work / name) == first, f"its dump is the same with {' '.join(map(str, options))}")
        maniple("run", "--machine", "rtx2060", "-q", trace, "-o", work / "many")
        check_provenance(work)
        check_statistics(work)
        check_merge(work)
        check_duckdb(work)
        check_bad_input(work)
        try:
            import pandas
            frame = pandas.read_sql("SELECT * FROM statistics", sqlite3.connect(work / "a" / "results.sqlite"))
            ok(len(frame) > 300, "pandas reads the view in a line")
        except ImportError:
            rows = sqlite3.connect(work / "a" / "results.sqlite").execute("SELECT * FROM statistics").fetchall()
            ok(len(rows) > 300, "the view is read in a line (pandas is not installed)")
    sys.exit(finish())


main()
