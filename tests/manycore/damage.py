#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs with damaged bytes end with a status of ours or of their own, never in a crash or a bug.
Usage: damage.py MANIPLE ELF [COUNT [SEED]]"""
import os
import random
import subprocess
import sys
import tempfile

maniple, elf = sys.argv[1:3]
count = int(sys.argv[3]) if len(sys.argv) > 3 else 60
rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
with open(elf, "rb") as source:
    whole = source.read()
with tempfile.TemporaryDirectory() as folder:
    os.environ["XDG_CACHE_HOME"] = folder
    path = os.path.join(folder, "damaged.elf")
    for number in range(count):
        damaged = bytearray(whole)
        for _ in range(rng.choice([1, 2, 4, 30])):
            place = rng.choice([rng.randrange(148), rng.randrange(4096, 5600), rng.randrange(len(whole))])
            damaged[place] = rng.randrange(256)
        if rng.random() < 0.1:
            damaged = damaged[:rng.randrange(len(whole))]
        with open(path, "wb") as out:
            out.write(damaged)
        run = subprocess.run([maniple, "run", "-q", "--machine", rng.choice(["manycore-1", "manycore-2"]), "--cores", "5",
                              "--max-cycles", "20000", "--", path], capture_output=True, timeout=60, check=False)
        text = run.stderr.decode(errors="replace")
        if run.returncode < 0 or "maniple: bug" in text or "Sanitizer" in text or "runtime error" in text:
            print(f"damage {number}: status {run.returncode}\n{text[-2000:]}")
            sys.exit(1)
print(f"{count} damaged programs: none ended in a bug")
