#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Device printf as CUDA's guide has it, with and without time. Usage: print.sh MANIPLE PROGRAM SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "device printf" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
for how in "--functional" "--set sm.count=8"; do
    $maniple run -q --format json --machine rtx3080ti $how -- "$program" expected >/dev/null 2>got
    ok $? "$how: what printf returns"
    diff expected got | note
    [ "${PIPESTATUS[0]}" -eq 0 ]
    ok $? "$how: what it prints"
done
tap_end
