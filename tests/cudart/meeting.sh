#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Barriers that lanes of one warp come to by several ways, as PTX and as machine code of every architecture, with time and
# without. Usage: meeting.sh MANIPLE PROGRAM SANITIZERS
# The files are made from meeting.cu: nvcc -ptx -arch=compute_75, and nvcc -cubin -arch=sm_75 and so on.
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "meeting" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
while read -r machine code; do
    run="$maniple run -q --machine $machine"
    expect 0 "$machine, $code, without time" '^0 wrong$' $run --functional -- "$program" "$folder/meeting.$code"
    expect 0 "$machine, $code, with time" '^0 wrong$' $run -- "$program" "$folder/meeting.$code"
    case $machine-${MANIPLE_MATRIX:-} in rtx2060-* | *-full) ;; *) continue ;; esac
    $run -- "$program" "$folder/meeting.$code" >first 2>&1
    $run --no-skip --window 1 -- "$program" "$folder/meeting.$code" 2>&1 | diff first - | note
    [ "${PIPESTATUS[1]}" -eq 0 ]
    ok $? "$machine, $code: the same in every cycle"
done <<'END'
rtx3070 ptx
h100-pcie ptx
rtx2060 sm_75.cubin
rtx3070 sm_86.cubin
h100-pcie sm_90.cubin
b200 sm_100.cubin
rtx5080 sm_120.cubin
END
tap_end
