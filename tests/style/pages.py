#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the pages in Markdown promise: links to files and headings of the project resolve; files and folders that a page
names in backticks below src/, tests/, docs/, machines/, bench/ or apps/ are there; the functions that walkthrough.md names
are defined in the files that it names; sections of the design that comments of src/ cite are in design.md; pages of the manual and the
reference have at most MOST_WORDS words; summaries of docs/lab/hopper.md and manycore.md are those of their rows, tables of docs/lab those of the CSV beside the page."""
import pathlib
import re
import subprocess
import sys

import c_source

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = ("build", ".git")
ELSEWHERE = ("src/cuda/rodinia/2.0-ft",)  # in the tree of another project
LINK = re.compile(r"\]\(([^)\s]+)\)")
PLACE = re.compile(r"`((?:src|tests|docs|machines|bench|apps|include)/[\w./+-]*)`")
BELOW_SRC = re.compile(r"`((?:base|engine|parts|contract|gpu|manycore|isa|execute|frontend|results|cudart|cli)/[\w./-]+\.[ch])`")
MOST_WORDS = 3000
LONG = set()
STEP = re.compile(r"`(src/[\w./-]+\.[ch])`[^`\n]*((?:`\w+`(?:, | and |: )?)+)")


def pages():
    return sorted(path for path in ROOT.rglob("*.md") if not path.relative_to(ROOT).parts[0].startswith(SKIPPED))


def without_code(text):
    """The text with blocks between ``` blanked, line by line."""
    return re.sub(r"^```.*?^```", lambda match: "\n" * match.group(0).count("\n"), text, flags=re.M | re.S)


def anchors(path):
    """The names by which links reach headings: lower case, punctuation gone, spaces as hyphens, repeated ones numbered."""
    seen, names = {}, set()
    for heading in re.findall(r"^#+\s+(.*?)\s*$", without_code(path.read_text(encoding="utf-8")), flags=re.M):
        name = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", name).replace(" ", "-")
        names.add(name if name not in seen else f"{name}-{seen[name]}")
        seen[name] = seen.get(name, 0) + 1
    return names


def broken_links():
    for page in pages():
        for number, line in enumerate(without_code(page.read_text(encoding="utf-8")).split("\n"), 1):
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                path = (page.parent / name).resolve() if name else page
                if not path.exists() or (anchor and anchor not in anchors(path)):
                    yield f"{page.relative_to(ROOT)}:{number}: {target}"


def missing_places():
    for page in pages():
        for number, line in enumerate(without_code(page.read_text(encoding="utf-8")).split("\n"), 1):
            for place in PLACE.findall(line) + ["src/" + name for name in BELOW_SRC.findall(line)]:
                if not re.search(r"X|NAME", place) and place not in ELSEWHERE and not (ROOT / place).exists():
                    yield f"{page.relative_to(ROOT)}:{number}: {place}"


def unknown_steps():
    """Of walkthrough.md: a file in backticks, then functions in backticks on the same line, which that file defines."""
    page = ROOT / "docs" / "walkthrough.md"
    if not page.exists():
        return
    steps = 0
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        for path, names in STEP.findall(line):
            steps += 1
            source = c_source.Source(ROOT / path) if (ROOT / path).exists() else None
            for name in re.findall(r"`(\w+)`", names):
                if not source or name not in source.functions:
                    yield f"docs/walkthrough.md:{number}: {name} is not defined in {path}"
    if steps < 10:
        yield f"docs/walkthrough.md: only {steps} steps name a file and a function"


def unknown_sections():
    """Citations of the design in src/, such as "DESIGN §2.4", against the numbers that begin design.md's headings and items."""
    page = ROOT / "docs" / "design.md"
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    known = set()
    section = ""
    for line in text.split("\n"):
        heading, item = re.match(r"## (\d+)\.", line), re.match(r"(\d+)\. ", line)
        section = heading.group(1) if heading else section
        known |= {section} if heading else {f"{section}.{item.group(1)}"} if item else set()
    for path in sorted((ROOT / "src").rglob("*.[ch]")):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            cited = re.findall(r"§(\d+(?:\.\d+)?)", line) if "DESIGN" in line else []
            for name in cited:
                if name not in known:
                    yield f"{path.relative_to(ROOT)}:{number}: §{name}"


def long_pages():
    """Pages that docs/README.md has under Manual or Reference are read in one go, and have at most MOST_WORDS words."""
    text = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    tables = re.split(r"^## ", text, flags=re.M)
    names = [name for table in tables if table.startswith(("Manual", "Reference")) for name in LINK.findall(table)]
    for name in sorted(set(names) - LONG):
        path = (ROOT / "docs" / name).resolve()
        words = len(path.read_text(encoding="utf-8").split()) if path.suffix == ".md" else 0
        if words > MOST_WORDS:
            yield f"docs/{name} has {words} words, more than {MOST_WORDS}: move a section to a page of its own"
    for name in sorted(LONG):
        if len((ROOT / "docs" / name).read_text(encoding="utf-8").split()) <= MOST_WORDS:
            yield f"docs/{name} has at most {MOST_WORDS} words; take its name off the list LONG of this test"


def old_summaries():
    for words in (["bench/hopper/tables.py", "--current"], ["bench/manycore.py", "table", "--current"]):
        done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True)
        yield from done.stderr.splitlines() if done.returncode else []


def stale_tables():
    sys.path.insert(0, str(ROOT / "bench"))
    import lab_page  # pylint: disable=import-outside-toplevel,import-error
    yield from lab_page.stale_tables()


CHECKS = [("links between pages resolve", broken_links), ("files that pages name are there", missing_places),
          ("functions of the walkthrough are where it says", unknown_steps),
          ("sections of the design that comments cite are in docs/design.md", unknown_sections),
          (f"pages of the manual and the reference have at most {MOST_WORDS} words, but for a list that shrinks", long_pages),
          ("summaries of docs/lab/hopper.md and manycore.md are those of their rows", old_summaries),
          ("tables of the laboratory are those of the CSV beside the page", stale_tables)]


def main():
    failed = 0
    print(f"1..{len(CHECKS)}")
    for count, (name, check) in enumerate(CHECKS, 1):
        found = list(check())
        failed += bool(found)
        print(f"{'not ok' if found else 'ok'} {count} - {name}")
        for line in found:
            print(f"# {line}")
    sys.exit(failed > 0)


main()
