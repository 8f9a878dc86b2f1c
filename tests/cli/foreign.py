#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Texts of somebody else in whatever Maniple reads (all columns of a database, results as JSON, names of kernels and files, lists
and measurements) reach no output unescaped: nothing in them is markup of a page, a cell of a table, or a command for a terminal.
A database with views or other columns in place of tables is refused. Usage: foreign.py MANIPLE TRACEGEN"""
import csv
import html.parser
import io
import json
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

MANIPLE, TRACEGEN = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
EVIL = "e<script>evil()</script><img src=x onerror=evil()>\"'|a|\n# b\n\033]0;evil\a\033[2J\u009b1m\u202e`c`[d](javascript:evil())\\"
work = pathlib.Path(tempfile.mkdtemp())


def maniple(*words):
    return subprocess.run([MANIPLE, *map(str, words)], capture_output=True, stdin=subprocess.DEVNULL, cwd=work)


STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def steers(output):
    """What of an output would steer a terminal; None: nothing."""
    try:
        text = output.decode()
    except UnicodeDecodeError as problem:
        return problem
    found = STEERING.search(text)
    return found and text[max(0, found.start() - 60):found.start() + 20].encode()


class Page(html.parser.HTMLParser):
    """Elements and attributes of a page that are not Maniple's own."""

    def __init__(self):
        super().__init__()
        self.scripts, self.foreign = 0, []

    def handle_starttag(self, tag, attributes):
        self.scripts += tag == "script"
        if tag == "img" or any(name.startswith("on") or (value or "").startswith("javascript:") for name, value in attributes):
            self.foreign.append((tag, attributes))

    handle_startendtag = handle_starttag


def is_clean_page(path):
    page = Page()
    page.feed(path.read_text())
    return page.scripts == 1 and not page.foreign and not STEERING.search(path.read_text())


def no_terminal(name, *words, statuses=(0,)):
    done = maniple(*words)
    steering = steers(done.stdout + done.stderr)
    if b"ASan runtime does not come first" in done.stderr: # of libraries that a program preloads
        return done
    ok(steering is None and done.returncode in statuses, name, done.returncode, steering, done.stderr.decode(errors="replace"))
    return done


# ===== a database in which one text after another is hostile, and one with all of them =====
subprocess.run([TRACEGEN, "multi", work / "multi", "arch=86"], check=True, stdout=subprocess.DEVNULL)
(work / "small.cfg").write_text('machine: { name = "small"; kind = "gpu"; extends = "rtx3070"; };\n'
                                "sm: { count = 4; };\ngpc: { count = 2; };\n")
made = maniple("run", "-q", "--machine", "small.cfg", "--by-instruction", "--sample", "500", "--timeline", "ctas", "-o", "whole",
               "multi/kernelslist.g")
if made.returncode:
    ok(False, "a run", made.stderr.decode())
base = sqlite3.connect(work / "whole" / "results.sqlite")
columns = [(table, column[1]) for (table,) in base.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
           for column in base.execute(f"PRAGMA table_info({table})").fetchall()]
base.close()


def write_evil(path, chosen):
    """A copy of the database in which columns are hostile; keys stay apart by what stands behind."""
    shutil.copy(work / "whole" / "results.sqlite", path)
    database = sqlite3.connect(path)
    for table, column in chosen:
        try:
            database.execute(f'UPDATE {table} SET "{column}" = ? || coalesce("{column}", \'\')', (EVIL,))
        except sqlite3.Error:
            database.rollback() # a number is wanted
            continue
        database.commit()
    database.close()


bad = []
for chosen in columns:
    write_evil(work / "evil.sqlite", [chosen])
    (work / "evil.html").unlink(missing_ok=True)
    done = maniple("report", "evil.sqlite", "--html", "evil.html")
    if done.returncode not in (0, 2) or steers(done.stdout + done.stderr) is not None or \
            ((work / "evil.html").exists() and not is_clean_page(work / "evil.html")):
        bad.append((*chosen, done.returncode, steers(done.stdout + done.stderr)))
ok(not bad and len(columns) > 90, f"report: each of {len(columns)} columns is hostile", bad)

texts = [(table, column) for table, column in columns if (table, column) not in (
    ("run", "kind"), ("run", "ended"), ("statistic", "name"), ("statistic", "kind"), ("instruction", "kernel"), ("span", "kind"))
    and column not in ("id", "run", "kernel", "statistic", "key", "model")]
write_evil(work / "evil.sqlite", texts)
no_terminal("report", "report", "evil.sqlite", "--html", "evil.html")
ok(is_clean_page(work / "evil.html"), "its page")
write_evil(work / "evil.sqlite", [column for column in texts if column != ("run", "input") and column[0] != "kernel"])
no_terminal("report of two", "report", "evil.sqlite", "whole", "--html", "evil.html")
ok(is_clean_page(work / "evil.html"), "its page")
no_terminal("report of many", "report", "evil.sqlite", "whole", "whole")
no_terminal("merge", "merge", "evil.sqlite", "whole", "-o", "all.sqlite")
no_terminal("timeline", "timeline", "evil.sqlite", "-o", "evil.pftrace", statuses=(0, 2))

# ===== any values in any columns =====
noise = random.Random(11)
VALUES = (None, 0, 1, -1, 2 ** 63 - 1, -2 ** 63, 2 ** 32, 1e308, -1e308, 5e-324, float("inf"), "", "x", "1e999", b"\x00\xff\x00",
          "9" * 400, EVIL)
bad = []
for turn in range(int(os.environ.get("MANIPLE_TEST_TURNS", 25))):
    shutil.copy(work / "whole" / "results.sqlite", work / "noise.sqlite")
    database = sqlite3.connect(work / "noise.sqlite")
    done_to = []
    for _ in range(noise.randrange(1, 6)):
        table, column = noise.choice(columns)
        value, rows = noise.choice(VALUES), noise.choice(("1", "abs(random()) % 3 = 0"))
        try:
            database.execute(f'UPDATE OR IGNORE {table} SET "{column}" = ? WHERE {rows}', (value,))
            done_to.append((table, column, value))
        except sqlite3.Error:
            pass
    database.commit()
    database.close()
    for words in (["report", "noise.sqlite", "--html", "noise.html"], ["report", "noise.sqlite", "whole"],
                  ["timeline", "noise.sqlite", "-o", "noise.pftrace"], ["merge", "noise.sqlite", "whole", "-o", "noise.all.sqlite"]):
        done = maniple(*words)
        if done.returncode not in (0, 2) or steers(done.stdout + done.stderr) is not None or b"ERROR: " in done.stderr:
            bad.append((words, done.returncode, done.stderr[-300:], done_to))
ok(not bad, "databases with any values are reported or refused", *bad[:3])

# ===== databases with something else in place of a table =====
for name, change in {
    "a view": "ALTER TABLE kernel RENAME TO old; CREATE VIEW kernel AS SELECT * FROM old",
    "an endless view": "DROP TABLE kernel; CREATE VIEW kernel AS WITH RECURSIVE c(run) AS (SELECT 1 UNION ALL SELECT run FROM c)"
                       " SELECT run, 1 AS id FROM c",
    "a generated column": "ALTER TABLE run ADD COLUMN more GENERATED ALWAYS AS (hex(zeroblob(100000000))) VIRTUAL",
    "a view of samples": "DROP TABLE sample; CREATE VIEW sample AS SELECT 1 AS run",
    "a column less": "DROP VIEW statistics; ALTER TABLE kernel DROP COLUMN name",
}.items():
    shutil.copy(work / "whole" / "results.sqlite", work / "changed.sqlite")
    database = sqlite3.connect(work / "changed.sqlite")
    database.executescript(change)
    database.close()
    done = maniple("report", "changed.sqlite")
    ok(done.returncode == 2 and re.search(b"is not the table that Maniple makes|not one of results", done.stderr), name, done.returncode, done.stderr)

# ===== results as JSON =====
def spoil(value):
    if isinstance(value, dict):
        return {key if key in KEPT else EVIL + key: spoil(entry) if key not in ("format",) else entry
                for key, entry in value.items()}
    if isinstance(value, list):
        return [spoil(entry) for entry in value]
    return EVIL + value if isinstance(value, str) else value


KEPT = {"format", "run", "machine", "kernels", "total", "warnings", "statistics", "id", "name", "value", "executor", "host", "end"}
results = json.loads((work / "whole" / "results.json").read_text())
(work / "json").mkdir()
(work / "json" / "results.json").write_text(json.dumps(spoil(results)))
for words in ([], ["-a"]):
    no_terminal(f"compare {' '.join(words)}", "compare", *words, "json", "whole", statuses=(0, 1))
    no_terminal(f"compare {' '.join(words)}, the other way", "compare", *words, "whole", "json", statuses=(0, 1))

# ===== a kernel's name in a trace, names of files, values of options =====
line = "k\033]0;evil\a<script>evil()</script>|\u202e\u009b"
trace = work / "multi" / "kernel-1.traceg"
trace.write_bytes(re.sub(rb"-kernel name = [^\n]*", b"-kernel name = " + line.encode() + b"\x9b\xff", trace.read_bytes()))
for words in ([], ["--long"], ["--format", "gpgpusim"], ["--hash"], ["-v"], ["--format", "json"], ["--format", "csv"],
              ["--max-cycles", "50"]):
    no_terminal(f"run {' '.join(words)}", "run", "--machine", "small.cfg", *words, "multi/kernelslist.g", statuses=(0, 2, 3))
no_terminal("trace info", "trace", "info", "multi/kernelslist.g")
maniple("run", "-q", "--machine", "small.cfg", "-o", "named", "multi/kernelslist.g")
no_terminal("report of it", "report", "named", "--html", "named.html")
ok(is_clean_page(work / "named.html"), "its page")
json.loads((work / "named" / "results.json").read_text(encoding="utf-8"))
ok(STEERING.search((work / "named" / "stats.txt").read_text()) is None, "stats.txt")
folder = work / "a\033]0;evil\a\x9b<b>"
for name, words in {"a trace": ["run", folder], "a machine": ["machine", "show", folder], "a verb": ["\033[2Jrun"],
                    "an option": ["run", "--\033[2Jevil"], "a key": ["run", "--set", "\033[2J=1", "multi/kernelslist.g"],
                    "a run": ["report", folder], "a database": ["merge", folder, "-o", "x.sqlite"],
                    "results": ["compare", folder, folder], "a cubin": ["disassemble", folder],
                    "a configuration": ["import", folder], "launches": ["run", "--kernels", "\033[2J", "multi/kernelslist.g"],
                    "a plan": ["plan", folder, "-o", "x"], "a sweep": ["sweep", folder, "-o", "x"],
                    "a list": ["correlate", folder, "-m", folder, "-o", "x"], "a record": ["scaling", folder],
                    "a workload": ["app", "run", "\033[2J"], "a model": ["models", "\033[2J"]}.items():
    no_terminal(f"{name} that is not there", *words, statuses=(2,))

# ===== correlate =====
shutil.copytree(work / "multi", work / "t")
with open(work / "list.csv", "w", newline="") as file:
    csv.writer(file).writerows([["name", "machine", "input", "settings", "group"],
                                [EVIL, "small.cfg", "t/kernelslist.g", "", EVIL + "1"],
                                [EVIL + "2", "small.cfg", "t/kernelslist.g", "", EVIL + "2"]])
with open(work / "measured.csv", "w", newline="") as file:
    csv.writer(file).writerows([["name", "value"], [EVIL, 10000], [EVIL + "2", 20000]])
told = no_terminal("correlate", "correlate", "list.csv", "-m", "measured.csv", "-o", "pages", statuses=(0, 2))
if (work / "pages" / "correlation.html").exists():
    ok(is_clean_page(work / "pages" / "correlation.html"), "correlation.html")
    page = (work / "pages" / "correlation.md").read_text()
    cells = [line for line in page.splitlines() if line.startswith("|")]
    ok("<script" not in page and "<img" not in page and "](" not in page.replace("\\](", "") and STEERING.search(page) is None
       and not re.search(r"^# b", page, re.M) and len({len(re.findall(r"(?<!\\)\|", cell)) for cell in cells}) <= 2,
       "correlation.md", page)
    rows = list(csv.DictReader(io.StringIO((work / "pages" / "correlation.csv").read_text(), newline="")))
    ok([row["name"] for row in rows] == [EVIL, EVIL + "2"], "correlation.csv says it as it is", rows)
    for drawing in (work / "pages").glob("*.svg"):
        xml.etree.ElementTree.parse(drawing)
else:
    ok(False, "correlate has written its pages", told.stderr.decode())
sys.exit(finish())
shutil.rmtree(work, ignore_errors=True)
