#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the headers of src that a plug-in needs, one a line: what include/maniple/plugin.h and the interfaces for
kinds of machines include, and what these do."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST = ["../include/maniple/plugin.h", "contract/session.h", "contract/kernel_results.h", "engine/core/engine.h",
         "engine/core/port.h", "parts/cache/cache.h", "parts/queue.h", "parts/mshr.h", "base/allocate.h"]

found, left = [], list(FIRST)
while left:
    name = left.pop(0)
    if name in found or not (ROOT / "src" / name).exists():
        continue
    found.append(name)
    left += re.findall(r'^\s*#\s*include "([^"]+)"', (ROOT / "src" / name).read_text(encoding="utf-8"), re.M)
print("\n".join(sorted("src/" + name for name in found if not name.startswith(".."))))
