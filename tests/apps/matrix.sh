#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every workload at a small size, with time, on machines of three generations and on 1, 2 and 4 threads: each must find
# its results right, and print the same bytes, statistics and state hash included, on any number of threads. Threads are
# all started (--schedule dynamic), however short the run. Writes cycles as a table in Markdown, and ends with 1 where
# something differs. Usage: matrix.sh MANIPLE [PATTERN [OPTIONS of maniple run]]
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/sizes.sh"
maniple=$(realpath "$1")
pattern=${2:-.}
options=("${@:3}")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
machines="gtx480 rtx3080ti h100-pcie"
wrong=0

cell() { # MACHINE NAME ARGUMENTS…: cycles, or what is wrong
    local machine=$1 threads
    shift
    for threads in 1 2 4; do
        "$maniple" app run "$@" -q --machine "$machine" --threads $threads --schedule dynamic "${options[@]}" \
            >"$out/$threads" 2>"$out/error"
        local status=$?
        if [ $status -ne 0 ] || ! grep -q "^$1: PASS" "$out/$threads"; then
            if grep -q 'need compute capability\|not with time' "$out/error"; then
                echo -n " – |"
                return
            fi
            echo -n " **status $status on $threads threads** |"
            echo "$machine $*: $(head -3 "$out/error")" >&2
            return 1
        fi
        if ! cmp -s "$out/1" "$out/$threads"; then
            echo -n " **$threads threads differ** |"
            diff "$out/1" "$out/$threads" | head -5 >&2
            return 1
        fi
    done
    awk '$1 == "total" { gsub(",", "", $2); printf " %d |", $2 }' "$out/1"
}

echo "| workload | $(echo "$machines" | sed 's/ / | /g') |"
echo "| --- | --: | --: | --: |"
while read -r run; do
    echo -n "| \`$run\` |"
    for machine in $machines; do
        # shellcheck disable=SC2086
        cell "$machine" $run || wrong=$((wrong + 1))
    done
    echo
done < <(app_runs | grep -E -- "$pattern")
echo "$wrong cells are wrong." >&2
[ $wrong -eq 0 ]
