#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Machine code is loaded when it is first needed. Usage: many_modules.sh MANIPLE PROGRAM CUBIN SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
cubin=$(realpath "$3")
if ! maniple=$(sanitize "$maniple" "$4"); then
    skip "many modules" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine a100 --functional"
# 10,000 copies would be 34 MB
expect 0 "one of 10,000 modules" '^error 0, sum 4032, [0-9] MB$' $run -- "$program" "$cubin" 10000
cp "$cubin" damaged.cubin
printf '\xff\x7f' | dd of=damaged.cubin bs=1 seek=$((0x730)) conv=notrunc status=none
expect 2 "a kernel that cannot be executed is told of when it is launched" 'kernel vecadd, address 0x30: .*0xfff' \
    $run -- "$program" "$(realpath damaged.cubin)" 2
tap_end
