#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures speed and memory: the median of several runs of each trace, on one thread and on all processors.
# Usage: bench/run.sh BUILD [KERNELSLIST…]; without lists, traces are generated. RUNS (default 5) sets how many.
set -eu
build=$1
shift
runs=${RUNS:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ $# -eq 0 ]; then
    while read -r name arguments; do
        # shellcheck disable=SC2086
        "$build/maniple-tracegen" $name "$folder/$name" arch=86 $arguments >/dev/null
        set -- "$@" "$folder/$name/kernelslist.g"
    done <<'WORKLOADS'
vectoradd n=1000000
matmul n=256
reduction n=1000000
gather blocks=256
chase loads=4096
fma
WORKLOADS
fi
printf '%-28s %8s %9s %9s %16s %9s\n' trace threads "wall s" "CPU s" "warp insn/s" "peak MB"
for list in "$@"; do
    for threads in 1 $(nproc); do
        for run in $(seq "$runs"); do
            "$build/maniple" run -q --machine "${MACHINE:-rtx3070}" --threads "$threads" -o "$folder/results" "$list" >/dev/null
            mv "$folder/results/results.json" "$folder/$run.json"
        done
        python3 - "$(basename "$(dirname "$list")")" "$folder"/[0-9]*.json <<'PYTHON'
import json, statistics, sys
runs = [json.load(open(path))["run"] for path in sys.argv[2:]]
median = lambda name: statistics.median(run[name] for run in runs)
print(f'{sys.argv[1]:28} {runs[0]["threads"]:8} {median("wall_seconds"):9.3f} {median("cpu_seconds"):9.3f} '
      f'{median("warp_instructions_per_second"):16,.0f} {median("peak_memory_bytes") / 1e6:9.1f}')
PYTHON
    done
done
