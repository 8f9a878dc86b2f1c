#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a libFuzzer target for a number of seconds, from its seeds: run.sh TARGET SEEDS DICTIONARY SECONDS
# What it finds is kept in a new folder, which is named when it fails.
set -eu
work=$(mktemp -d)
mkdir "$work/corpus"
if "$1" -max_total_time="$4" -max_len=4096 -timeout=10 -rss_limit_mb=1024 -dict="$3" -print_final_stats=1 \
    -artifact_prefix="$work/" "$work/corpus" "$2" >"$work/log" 2>&1; then
    grep -E 'stat::number_of_executed_units|DONE' "$work/log"
    rm -rf "$work"
else
    tail -n 40 "$work/log"
    echo "failed: the input is in $work; run $1 with it"
    exit 1
fi
