#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of a report in a real browser, where one is at hand: its script sorts tables by number and by word, nothing of
it is wider than the window at two widths, no column is clipped in the wide one, and nothing fails. The pages of three runs and
of `maniple correlate`: no column is clipped, nor narrower than its words need. Usage: page.py MANIPLE TRACEGEN"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

MANIPLE, TRACEGEN = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
BROWSER = shutil.which("chromium") or shutil.which("chromium-headless-shell") or shutil.which("google-chrome")

# What a reader would do, and what is to be seen then; the answers end up in the page.
PROBE = """<script>
const seen = [];
window.onerror = message => seen.push('error: ' + message);
const table = [...document.querySelectorAll('table.sorts')].find(t => t.tHead.textContent.includes('instruction'));
const column = (at) => [...table.tBodies[0].rows].map(row => row.cells[at]);
const values = at => column(at).map(cell => cell.dataset.v === undefined ? cell.textContent : +cell.dataset.v);
const sorted = (list, down) => list.every((v, i) => !i || (down ? list[i - 1] >= v : list[i - 1] <= v));
const before = values(0);
seen.push('rows ' + before.length + ' ' + sorted(before, false));
table.tHead.rows[0].cells[5].click();
seen.push('costliest first ' + sorted(values(5), true));
table.tHead.rows[0].cells[5].click();
seen.push('cheapest first ' + sorted(values(5), false));
table.tHead.rows[0].cells[1].click();
seen.push('by word ' + sorted(values(1), true));
table.tHead.rows[0].cells[0].click();
table.tHead.rows[0].cells[0].click();
seen.push('as before ' + (values(0).join() === before.join()));
seen.push('width ' + (document.documentElement.scrollWidth <= window.innerWidth));
const clipped = [...document.querySelectorAll('.wide')].filter(w => w.querySelector('table.sorts') && w.scrollWidth > w.clientWidth).length;
seen.push('columns ' + (window.innerWidth < 1000 || !clipped));
const drawn = [...document.querySelectorAll('svg')].filter(s => s.getBoundingClientRect().height > 5).length;
seen.push('drawings ' + (drawn > 8));
document.title = 'PROBE ' + seen.join('; ');
</script></body>"""

LAYOUT = """<script>
const tables = [...document.querySelectorAll('.wide')];
const clipped = tables.filter(w => w.scrollWidth > w.clientWidth).length;
const narrow = [...document.querySelectorAll('td.words,td.command')].filter(c => c.getBoundingClientRect().width < 100).length;
const words = document.querySelectorAll('td.words,td.command').length;
document.title = 'PROBE ' + [tables.length > 0, window.innerWidth < 1000 || !clipped, !narrow, words > 2,
                             document.documentElement.scrollWidth <= window.innerWidth].join('; ');
</script></body>"""


def look(page, width, work):
    """The title that the probe leaves behind."""
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={work / 'profile'}",
         f"--window-size={width},900", "--dump-dom", page.as_uri()],
        capture_output=True, text=True, timeout=100, env={**os.environ, "HOME": str(work)}, stdin=subprocess.DEVNULL)
    found = re.search(r"<title>PROBE (.*?)</title>", done.stdout)
    return found[1] if found else done.stderr[-300:]


def check_tables(work):
    """Pages that are a table: of three runs, and of runs beside measurements, with commands as long as a line."""
    subprocess.run([MANIPLE, "report", work / "a", work / "b", work / "a", "--html", work / "many.html"], check=True,
                   capture_output=True)
    sizes = range(16, 144, 16)
    (work / "list.csv").write_text("name,machine,input,settings\n" + "".join(
        f"product of {n} by {n} in tiles of 16,rtx3070,tracegen matmul n={n} arch=86,sm.memory.interval=1 sm.count=8 "
        "gpc.count=1\n" for n in sizes))
    (work / "measured.csv").write_text("name,value\n" + "".join(f"product of {n} by {n} in tiles of 16,9000\n" for n in sizes))
    subprocess.run([MANIPLE, "correlate", "list.csv", "-m", "measured.csv", "-o", "pages", "-q"], check=True,
                   capture_output=True, cwd=work)
    for page in (work / "many.html", work / "pages" / "correlation.html"):
        page.write_text(page.read_text().replace("</body>", LAYOUT))
        for width in (1200, 500):
            seen = look(page, width, work)
            ok(seen.count("true") == 5, f"{page.name}, {width} pixels wide: no column is clipped or too narrow", seen)


def main():
    if not BROWSER:
        print("1..0 # SKIP no Chromium is at hand")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        subprocess.run([TRACEGEN, "matmul", work / "trace", "arch=86", "n=64"], check=True, capture_output=True)
        for name, words in (("a", []), ("b", ["--set", "sm.memory.interval=1"])):
            subprocess.run([MANIPLE, "run", "-q", "--machine", "rtx3070", "--by-instruction", "--sample", "500", *words,
                            "-o", work / name, work / "trace" / "kernelslist.g"], check=True, capture_output=True)
        for runs in (["a"], ["a", "b"]):
            page = work / f"{len(runs)}.html"
            subprocess.run([MANIPLE, "report", *(work / name for name in runs), "--html", page], check=True,
                           capture_output=True)
            page.write_text(page.read_text().replace("</body>", PROBE))
            for width in (1200, 500):
                seen = look(page, width, work)
                ok("error" not in seen and seen.count("true") == 8, f"{len(runs)} run(s), {width} pixels wide", seen)
        check_tables(work)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
