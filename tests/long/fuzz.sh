#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Fuzz targets for a number of seconds each, two at a time. Usage: fuzz.sh SECONDS TARGET…
source "$(dirname "$0")/../tap.sh"
cd "$(dirname "$0")/../.." || exit 1
seconds=$1
shift
dictionary() { # TARGET
    case $1 in
    ptx) echo -dict=tests/fuzz/ptx.dict ;;
    kernel_trace | kernelslist) echo -dict=tests/fuzz/trace.dict ;;
    esac
}
declare -A running
for target in "$@"; do
    # shellcheck disable=SC2046
    tests/fuzz/fuzz.sh "build-fuzz/tests/fuzz/fuzz_$target" "$seconds" $(dictionary "$target") "tests/fuzz/seeds/$target" \
        >"$tap_folder/$target" 2>&1 &
    running[$target]=$!
done
for target in "$@"; do
    wait "${running[$target]}"
    ok $? "fuzz target $target, $seconds s"
    note <"$tap_folder/$target"
done
tap_end
