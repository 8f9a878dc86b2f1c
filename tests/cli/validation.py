#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`make validation`: what is missing is left out with a word; lines of the summary and cells of tables are made anew, and what was
not run stays, with the day when it was made. Usage: validation.py MANIPLE TRACEGEN VALIDATION.PY"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

MANIPLE, TRACEGEN, SCRIPT = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
PAGE = """Before.
<!-- made by `make validation`: summary -->
| what | machine | rows | number | mean | geometric | correlation | of logarithms | largest | made |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |
| other | `v100` | all | 1 | 1.0 % | +1.0 % | | | +1.0 % | once |
<!-- end -->
Between.
<!-- made by `make validation`: microbenchmarks -->
| program | QV100, `v100` | A100, `a100` | bound by |
| --- | --- | --- | --- |
| `shared_bw` | | 2 / 2 (0 %) | banks |
| the same, padded | | 5 / 5 (0 %) | launch |
| mean absolute error | | 0.0 % of 2 rows | |
| made | | once | |
<!-- end -->
Behind.
"""


def make(work, *words):
    return subprocess.run([sys.executable, SCRIPT, work / "build", work / "silicon", "--page", work / "page.md", *words],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=work)


def check(work):
    (work / "build").mkdir()
    for program in (MANIPLE, TRACEGEN):
        (work / "build" / program.name).symlink_to(program)
    page = work / "page.md"
    page.write_text(PAGE)
    done = make(work)
    ok(done.returncode == 0 and "stays as it is" in done.stdout and page.read_text() == PAGE,
       "without measurements nothing is done, and that is said", done.stdout, done.stderr)
    (work / "silicon").mkdir()
    (work / "silicon/v100-microbenchmarks.csv").write_text(
        "app,hw_gpc_cycles\nshared_bank_conflicts/2,6000\nMaxFlops/1,5\nshared_bw/_,200000\n")
    (work / "silicon/pytorch-fp32.csv").write_text(
        "gpu,op,batch,rows,cols,reduced,width,kernel,grid,block,time_ms\nT4,add,8,,,,64,37,1x1x1,128x1x1,0.02\n")
    done = make(work, "--only", "empty,polybench,tma,pytorch")
    ok(done.returncode == 0 and done.stdout.count(" is left out: ") == 4 and page.read_text() == PAGE,
       "what is missing is left out with a word", done.stdout, done.stderr)
    done = make(work, "--only", "mikro")
    ok(done.returncode == 2 and "micro, empty" in done.stderr, "a table that is not there is refused", done.stderr)
    for kind in ("a100-microbenchmarks", "h100-apps", "h200-microbenchmarks"):
        (work / f"silicon/{kind}.csv").write_text("app,hw_gpc_cycles\n")
    done = make(work, "--only", "micro", "--quick", "--check")
    ok(done.returncode == 1 and "would change: micro" in done.stdout and page.read_text() == PAGE,
       "--check changes nothing", done.stdout, done.stderr)
    make(work, "--only", "micro", "--quick")
    text = page.read_text()
    line = re.search(r"^\| microbenchmarks, V100 \| `v100` \| quick \| 2 \| (\S+) % \| (\S+) % \| \| \| \S+ % \| 20\d\d-", text, re.M)
    ok(line and "| other | `v100` | all | 1 " in text and text.replace(line.string[line.start():].split("\n")[0] + "\n", "") == PAGE,
       "a quick run adds its line, and leaves tables alone", text)
    make(work, "--only", "micro")
    text = page.read_text()
    pairs = [tuple(int(word.replace(",", "")) for word in found)
             for found in re.findall(r"^\| (?:`shared_bw`|the same, padded) \| ([\d,]+) / ([\d,]+) \([+-]?\d+ %\)", text, re.M)]
    errors = [simulated / measured - 1 for measured, simulated in pairs]
    mean = 100 * sum(map(abs, errors)) / 2
    ratio = 100 * (((1 + errors[0]) * (1 + errors[1])) ** 0.5 - 1)
    ok([pair[0] for pair in pairs] == [200000, 6000], "a whole run fills the cells of its column", text)
    ok(f"| mean absolute error | {mean:.1f} % of 2 rows | 0.0 % of 2 rows |" in text and
       f"| microbenchmarks, V100 | `v100` | all | 2 | {mean:.1f} % | {ratio:+.1f} % |" in text,
       "means are computed again", text, mean, ratio)
    ok(re.search(r"^\| made \| 20\d\d-\d\d-\d\d[^|]* \| once \| \|$", text, re.M) and
       text.startswith("Before.\n") and "\nBetween.\n" in text and text.endswith("\nBehind.\n"),
       "and the rest keeps the day when it was made", text)


with tempfile.TemporaryDirectory() as folder:
    check(pathlib.Path(folder))
sys.exit(finish())
