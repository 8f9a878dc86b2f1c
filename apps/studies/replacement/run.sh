#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the study: all runs that are not there yet, then the table, the plot, CSV and LaTeX. An interrupted study goes on where it
# was. Usage: run.sh [small|plan] [FOLDER] [OPTION of maniple sweep]...; MANIPLE states the program, otherwise build/maniple or
# the one on the path. Policies of a plug-in: --plugin FILE.so among the options.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
size=${1:-plan}
if [ ! -f "$here/$size.cfg" ]; then
    echo "Usage: run.sh [small|plan] [FOLDER] [OPTION of maniple sweep]..." >&2
    exit 2
fi
folder=${2:-replacement}
shift $(($# < 2 ? $# : 2))
maniple=${MANIPLE:-}
[ -n "$maniple" ] || { [ -x build/maniple ] && maniple=build/maniple || maniple=maniple; }
if ! command -v "$maniple" >/dev/null; then
    echo "run.sh: there is no program $maniple; build Maniple, or state its program: MANIPLE=/path/to/maniple $0" >&2
    exit 2
fi
"$maniple" sweep "$here/$size.cfg" -o "$folder/runs" "$@"
"$maniple" sweep "$here/$size.cfg" -o "$folder/runs" "$@" --summary "$folder/results" | tee "$folder/results.txt"
