#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# An estimate of registers refuses no launch; bounds of the program hold. Usage: registers.sh MANIPLE PROGRAM SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "registers" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine rtx3080ti --set sm.count=8"
answer='^plain over 64, bounded 64, paired 64, limited 40, error 0, 0 wrong$'
expect 0 "without time" "$answer" $run --functional -- "$program"
expect 0 "with time" "$answer" $run -o results -- "$program"
$maniple run --machine rtx3080ti --functional -- "$program" 2>&1 |
    grep -q 'kernel plain: 1[0-9]* registers per thread are estimated, 64 are there for blocks of 1024 threads'
ok $? "the cap is told, of the kernel without bounds alone"

tap_end
