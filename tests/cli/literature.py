#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`make literature` at its smallest, from the runs of one paper to its page, and that every figure and table that the data
files list has its place on the pages, the committed ones too. Usage: literature.py BUILD"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.dom.minidom

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "bench" / "literature"
build = pathlib.Path(sys.argv[1]).resolve()
cases = 0


def ok(good, what, why=""):
    global cases
    cases += 1
    print(f"{'ok' if good else 'not ok'} {cases} - {what}")
    if not good:
        print("\n".join(f"# {line}" for line in str(why).splitlines()))


def reproduce(*words):
    return subprocess.run([sys.executable, str(HERE / "reproduce.py"), str(build), "--size", "smallest", *words],
                          capture_output=True, text=True, check=False)


def sections(page):
    """Headings of the second level, and what stands below each."""
    parts = re.split(r"^## (.*)$", page, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def missing(folder, name):
    """What the data file lists and the page does not have: a section with a table or a picture, or a reason."""
    data = json.loads((HERE / "data" / f"{name}.json").read_text(encoding="utf-8"))
    path = folder / f"{name}.md"
    if not path.exists():
        yield f"{path} is not there"
        return
    found = sections(path.read_text(encoding="utf-8"))
    for item in data["items"]:
        if "left_out" in item:
            if item["id"] not in found.get("Not here", "") or item["left_out"] not in found["Not here"]:
                yield f"{name}: {item['id']} is neither there nor left out with a reason"
        elif not re.search(r"^\| --- |^!\[", found.get(f"{item['id']}: {item['what']}", ""), flags=re.M):
            yield f"{name}: {item['id']} has no table and no picture"


papers = sorted(path.stem for path in (HERE / "data").glob("*.json"))
with tempfile.TemporaryDirectory() as work:
    kept, pages = f"{work}/kept", pathlib.Path(work) / "pages"
    words = ("--only", "wang-gao", "--folder", kept, "--pages", str(pages))
    done = reproduce(*words)
    ok(done.returncode == 0 and "[1/" in done.stderr, "the runs of one paper", done.stdout + done.stderr)
    page = (pages / "wang-gao.md").read_text(encoding="utf-8") if done.returncode == 0 else ""
    ok("all equal" in page and "DIFFERENT" not in page, "executors agree with the serial one", page)
    pictures = list((pages / "figures").glob("*.svg"))
    ok(pictures and all(xml.dom.minidom.parse(str(path)) for path in pictures), "plots are XML")
    done = reproduce(*words, "--no-run")  # on a busy host, times would be taken again
    ok(done.returncode == 0 and "[1/" not in done.stderr and (pages / "wang-gao.md").read_text(encoding="utf-8") == page,
       "what is kept makes the same page", done.stderr)
    done = reproduce("--no-run", "--folder", kept, "--pages", str(pages))
    lost = [line for name in papers for line in missing(pages, name)] if done.returncode == 0 else [done.stderr]
    ok(not lost, "every figure and table has its place, also where nothing was run", "\n".join(lost))
    for node, cpus in (("node0", "0-2,8"), ("node1", "3-5"), ("node10", "")):  # the last has memory alone
        (pathlib.Path(work) / "sys" / "devices" / "system" / "node" / node).mkdir(parents=True)
        (pathlib.Path(work) / "sys" / "devices" / "system" / "node" / node / "cpulist").write_text(cpus + "\n", encoding="utf-8")
    done = subprocess.run([sys.executable, str(HERE / "numa.py"), str(build), "--list", "--sys", f"{work}/sys"],
                          capture_output=True, text=True, check=False)
    wanted = ("--threads 4 --cpus 0,1,2,8 ", "--threads 4 --cpus 0,1,3,4 ", "--threads 7 --cpus 0,1,2,8,3,4,5 ")
    ok(done.returncode == 0 and all(words in done.stdout + " " for words in wanted) and done.stdout.startswith("2 nodes"),
       "commands for a host of two nodes", done.stdout + done.stderr)
    done = reproduce("--only", "nobody", "--folder", kept)
    ok(done.returncode != 0 and "there are" in done.stderr, "a paper that is not there", done.stderr)
lost = [line for name in papers for line in missing(ROOT / "docs" / "literature", name)]
ok(not lost, "and on the pages in docs/literature", "\n".join(lost))
print(f"1..{cases}")
