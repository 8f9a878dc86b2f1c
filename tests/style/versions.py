#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The version of meson.build stands wherever a reader or a packager looks for it. Usage: versions.py"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLACES = {
    "python/pyproject.toml": r'^version = "([^"]+)"',
    "python/maniple/__init__.py": r'^__version__ = "([^"]+)"',
    "CITATION.cff": r"^version: (\S+)",
    "CHANGELOG.md": r"^## (\d\S*)",
    "debian/changelog": r"^maniple \(([^)]+)\)",
    "docs/maniple.1": r'"Maniple ([^"]+)"',
    "docs/maniple-sweep.1": r'"Maniple ([^"]+)"',
}

version = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text(encoding="utf-8"))[1]
failed = 0
for count, (name, pattern) in enumerate(PLACES.items(), 1):
    found = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.M)
    good = bool(found) and found[1] == version
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name} states version {version}")
    if not good:
        print(f"# it states {found[1] if found else 'none'}")
print(f"1..{len(PLACES)}")
sys.exit(failed > 0)
