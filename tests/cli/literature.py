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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "bench" / "literature"
sys.path[0] = str(HERE)  # in place of tests/cli, which has a statistics.py of its own
import runs  # noqa: E402

build = pathlib.Path(sys.argv[1]).resolve()


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


class aged:
    """The pages of kept runs in which those of an executor have other words; called with an item, its section of the page."""

    def __init__(self, kept, executor, **words):
        for path in pathlib.Path(kept).glob("*.json"):
            result = json.loads(path.read_text(encoding="utf-8"))
            if f"--executor {executor}" in result["command"]:
                path.write_text(json.dumps(dict(result, **words)), encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            self.done = reproduce("--only", "wang-gao", "--folder", kept, "--pages", folder, "--no-run")
            self.text = (pathlib.Path(folder) / "wang-gao.md").read_text(encoding="utf-8")

    def __call__(self, item):
        return next((text for name, text in sections(self.text).items() if name.startswith(item + ":")), self.text)


def ranges(folder):
    """Twenty commands measured in two sessions, whose medians lie apart by 1 to 20 %: a range is a tenth wider than the greatest of these changes."""
    runner = runs.Runner(build, folder, 1, True)
    commands = [runs.app(f"aes --blocks {i}", "gtx480") for i in range(1, 21)]
    for i, command in enumerate(commands, 1):
        samples = [{"wall": wall * scale, "quiet": True, "session": session} for session, scale in ((None, 1), ("later", 1 + i / 100))
                   for wall in (0.9, 1, 2)]
        (folder / f"{command.key()}.json").write_text(json.dumps({
            "samples": samples, "wall": 1, "wall_range": [0.9, 2], "command": command.text(), "version": ""}), encoding="utf-8")
    low, high = runner.find_with_range(commands[0])["wall_range"]
    ok(abs(high - 1.32) < 1e-9 and abs(low * 1.32 - 1) < 1e-9, "a range from how far sessions lie apart", (low, high))
    two = runs.app("aes --blocks 1", "gtx480", "--threads", "2")
    ok(runner.factor(two) is None, "none where no command was measured twice")


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
    page = aged(kept, "lockstep", version="of other sources")
    ok("all equal" not in page("Table III") and "DIFFERENT" not in page("Table III"), "runs of two states of the sources are not compared", page(""))
    page = aged(kept, "lockstep", version=runs.version_of_sources(), all="another")
    ok("**DIFFERENT**" in page("Table III") and page.done.returncode == 1, "a page that says DIFFERENT is a failure", page.done.stderr)
    ranges(pathlib.Path(work) / "sessions")
    done = reproduce("--only", "nobody", "--folder", kept)
    ok(done.returncode != 0 and "there are" in done.stderr, "a paper that is not there", done.stderr)
lost = [line for name in papers for line in missing(ROOT / "docs" / "literature", name)]
ok(not lost, "and on the pages in docs/literature", "\n".join(lost))
unequal = [path.name for path in (ROOT / "docs" / "literature").glob("*.md") if "DIFFERENT" in path.read_text(encoding="utf-8")]
ok(not unequal, "no page has executors that differ", "\n".join(unequal))
sys.exit(finish())
