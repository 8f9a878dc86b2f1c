#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names the functions that are longer than a number of lines. A function begins with a { in the first column and ends
with a } there; tables, which end with };, may be as long as they need."""
import sys

limit = int(sys.argv[1])
for path in sys.argv[2:]:
    start = None
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.startswith("{"):
                start = number
            elif line.rstrip() == "}" and start:
                if number - start - 1 > limit:
                    print(f"{path}:{start}: {number - start - 1} lines")
                start = None
