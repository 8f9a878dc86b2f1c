#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the laboratory whose rows take hours, a closed tool or another simulator: what was measured is kept in the CSV beside the
page, and a row is added by hand, with the day and the commit.

Usage: kept_tables.py                                      writes all of them into their pages
       kept_tables.py PAGE TABLE ROW MADE COLUMN=VALUE…    a new row, or one in place of the old
"""
import sys

from lab_page import keep_cells, write_cells

PROGRAM = "bench/kept_tables.py"
TABLES = {  # page and table: the title of its rows; the page says how a row is made
    ("energy", "fit"): "machine",
    ("energy", "weights"): "weight",
    ("energy", "cost"): "run",
    ("energy", "values"): "inputs",
    ("energy", "temperature"): "board",
    ("performance", "rounds"): "round",
    ("performance", "layer"): "layer",
    ("ptx", "static"): "kernel",
    ("ptx", "loops"): "streamcluster, `h100-sxm`",
    ("ptx", "registers"): "kernels",
    ("sass", "text"): "words",
    ("sass", "libraries"): "kernels of sm_75, 80, 86, 89, 90, 100 and 120",
    ("traces", "accel-sim"): "program",
    ("manycore", "blocks"): "tiles",
    ("manycore", "places of registers"): "program",
    ("manycore", "predicted on a GPU"): "program, tiles",
    ("manycore", "lost slices"): "slices lost",
    ("manycore", "ways of a core"): "machine, program, 4,096 cores",
    ("manycore", "meetings"): "program",
    ("manycore", "selection"): "program, cores",
    ("performance", "threads predicted"): "input, machine",
    ("performance", "events"): "event",
    ("performance", "eleventh round"): "change",
    ("performance", "tenth round"): "change",
    ("performance", "thirteenth round"): "change",
    ("programs", "cutlass options"): "example",
    ("programs", "cutlass"): "example",
    ("validation", "barriers"): "warps",
    ("validation", "code dropped"): "lines under way that no warp waits for",
    ("validation", "code ahead"): "`sm.l0i.prefetch`",
    ("validation", "ablations"): "",
    ("validation", "wavefronts"): "`h100-pcie` and `h100-sxm` with",
    ("validation", "pace of CTAs"): "thousandths of a cycle for a CTA, for an end",
    ("validation", "counts"): "trace on `rtx3070`",
    ("hopper", "calls"): "",
    ("hopper", "channels"): "",
    ("models", "steps"): "tile",
    ("nodes", "nccl"): "",
    ("nodes", "copies"): "",
    ("energy", "slopes"): "slope",
}


def main():
    if len(sys.argv) > 1 and (len(sys.argv) < 6 or tuple(sys.argv[1:3]) not in TABLES):
        sys.exit(__doc__)
    if len(sys.argv) > 1:
        page, table, row, made = sys.argv[1:5]
        keep_cells(page, table, {(row, word.partition("=")[0]): word.partition("=")[2] for word in sys.argv[5:]}, made)
    for (page, table), title in TABLES.items():
        write_cells(page, table, title, PROGRAM)


main()
