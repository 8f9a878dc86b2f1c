#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times of the tiles that src/mathlib chooses among: simulates each with one CTA an SM and with as many as an SM holds.

Usage: mma_tiles.py BUILD [--single] [--machine NAME] [--sms N] [TILE...]

Prints the last three numbers of the rows of `tiles` in src/mathlib/ampere/product.c (--single: src/mathlib/blas/single.c): cycles of a
step of the inner dimension for each CTA, alone and together, and of what is before and behind the steps. Eight SMs have the caches and the memory of all, so that nothing
but the SM is in the way.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAUNCHES = 2


def tiles(single):
    """Rows, columns, numbers of the inner dimension in a step and CTAs of an SM of each tile."""
    text = (ROOT / "src/mathlib" / ("blas/single.c" if single else "ampere/product.c")).read_text(encoding="utf-8")
    rows = re.search(r"static const struct tile tiles\[\] = \{\n(.*?)\n\};", text, re.S)[1]
    numbers = [tuple(map(int, row.split(","))) for row in re.findall(r"\{([^}]*)\}", rows)]
    return [(row[0], row[1], 8, row[3]) if single else (row[0], row[1], row[2] // 2, row[6]) for row in numbers]


def cycles(options, tile, ctas, k):
    """Of the last of some launches of a product with so many CTAs on each SM, without the gap before it."""
    m, n = tile[:2]
    with tempfile.TemporaryDirectory() as folder:
        command = [options.build / "maniple", "run", "-q", "--machine", options.machine, "--set", f"sm.count={options.sms}",
                   "--set", "gpc.count=1", "--values", "needed", "-o", folder, "--", options.build / "bench" / "bench-products",
                   n, m * options.sms * ctas, k, "f32" if options.single else "bf16", 1, LAUNCHES]
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, MANIPLE_PRODUCT=f"{m}x{n},1"))
        kernel = json.loads((pathlib.Path(folder) / "results.json").read_text())["kernels"][-1]["statistics"]
    return kernel["gpu_sim_cycle"]["value"] - kernel["kernel_launch_cycle"]["value"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--single", action="store_true", help="products of floats without tensor cores")
    parser.add_argument("--machine", default="a100-sxm")
    parser.add_argument("--sms", type=int, default=8)
    parser.add_argument("tiles", nargs="*", metavar="TILE")
    options = parser.parse_args()
    shallow, deep = (128, 256) if options.single else (512, 1024) # numbers of the inner dimension
    for tile in tiles(options.single):
        name, step, resident = f"{tile[0]}x{tile[1]}", tile[2], tile[3]
        if options.tiles and name not in options.tiles:
            continue
        times = {}
        for ctas in sorted({1, resident}):
            few, many = cycles(options, tile, ctas, shallow), cycles(options, tile, ctas, deep)
            each = (many - few) * step / (deep - shallow)
            times[ctas] = each / ctas, few - each * shallow / step
        print(f"{name}: {times[1][0]:.0f}, {times[resident][0]:.0f}, {times[1][1]:.0f}  (ends of all that an SM holds: {times[resident][1]:.0f})",
              flush=True)


if __name__ == "__main__":
    sys.exit(main())
