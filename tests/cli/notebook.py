#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the cells of a notebook in order, as Jupyter would, without Jupyter: each prints what the notebook has kept of it. Cells
whose tag needs-MODULE names a module that is not installed are left out, with a word. With --update the notebook keeps what cells
print now. Usage: notebook.py MANIPLE PACKAGE_FOLDER NOTEBOOK [--update]"""
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import sys
import tempfile
import traceback

MANIPLE, PACKAGE, NOTEBOOK = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
update = "--update" in sys.argv
os.environ.update(MANIPLE=str(MANIPLE), MPLBACKEND="Agg")
sys.path.insert(0, str(PACKAGE))
sys.dont_write_bytecode = True
notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
names = {"__name__": "__main__"}
count = failed = 0


def missing(cell):
    """The modules that a cell needs and that are not there."""
    tags = cell["metadata"].get("tags", [])
    needed = [tag[len("needs-"):] for tag in tags if tag.startswith("needs-")]
    return [name for name in needed if importlib.util.find_spec(name) is None]


def run(cell):
    """What a cell prints, and what went wrong; it leaves its names for the cells behind it."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)  # pylint: disable=exec-used
    except Exception:  # pylint: disable=broad-except
        return said.getvalue(), traceback.format_exc()
    return said.getvalue(), None


def kept(cell):
    return "".join(line for output in cell["outputs"] for line in output.get("text", []))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        if missing(cell):
            print(f"ok {count} - {cell['id']} # SKIP {', '.join(missing(cell))} is not installed")
            continue
        text, wrong = run(cell)
        good = not wrong and (update or text == kept(cell))
        if update and not wrong:
            cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": text.splitlines(True)}] if text else []
        failed += not good
        print(f"{'ok' if good else 'not ok'} {count} - {cell['id']} prints what it has printed")
        for line in (wrong or "" if good else wrong or f"{text}\nnot\n{kept(cell)}").splitlines():
            print(f"# {line}")
    os.chdir("/")
if update and not failed:
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
print(f"1..{count}")
sys.exit(failed > 0)
