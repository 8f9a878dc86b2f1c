#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What bench/manycore.csv says of runs on up to 256 cores, from which figures of pages are made, comes out as it stands there.
# Usage: manycore_rows.sh MANIPLE
set -u
cd "$(dirname "$0")/../.."
status=0
for cores in 128 256; do
    python3 bench/manycore.py check "$1" "$cores" || status=1
done
exit $status
