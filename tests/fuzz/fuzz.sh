#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs a fuzz target for a short while from its seeds. What it finds stays in a temporary folder, and what broke it is
# printed. Usage: fuzz.sh TARGET SECONDS SEED-FOLDER…
export LSAN_OPTIONS=suppressions=$(dirname "$(realpath "$0")")/../leaks.txt:print_suppressions=0
target=$1
seconds=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/corpus"
if ! "$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$folder/" "$folder/corpus" "$@" >"$folder/log" 2>&1; then
    grep -vE '^#[0-9]+\s+(NEW|REDUCE|INITED|pulse)' "$folder/log" | tail -60
    for broken in "$folder"/crash-* "$folder"/timeout-* "$folder"/oom-* "$folder"/leak-*; do
        [ -e "$broken" ] && echo "$broken:" && base64 "$broken"
    done
    exit 1
fi
grep -E 'number_of_executed_units|new_units_added' "$folder/log"
