#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The PTX that data/ptx keeps is what clang 14 makes of the kernels' sources: three modules by turn (another three each
# day), all of them with MANIPLE_MATRIX=full. nvcc's modules are not rebuilt: another nvcc makes other code.
source "$(dirname "$0")/../tap.sh"
build=$(cd "$(dirname "$0")/../.." && pwd)/data/ptx/build.py
mapfile -t modules < <("$build" --list --maker clang | cut -d' ' -f1)
if "$build" --check vecadd | grep -q '^no clang'; then
    skip "kernels compiled anew" "no clang 14 with NVPTX"
else
    [ "${MANIPLE_MATRIX:-}" = full ] || modules=("${modules[@]:$(($(date +%s) / 86400 * 3 % (${#modules[@]} - 2))):3}")
    for module in "${modules[@]}"; do
        expect 0 "$module is what clang makes of its source" "^1 of 1 modules are what is kept$" "$build" --check "$module"
    done
fi
expect 1 "a module of another name" "no kernels are named nothing; --list" "$build" --check nothing
tap_end
