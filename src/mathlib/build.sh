#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the PTX of the libraries' kernels: those whose sources are newer than their PTX, which is kept in the project, so
# that nobody needs nvcc to build it. nvcc's oldest target is compute capability 7.5; what uses nothing that came with
# it is marked as 7.0 afterwards, so that a V100 runs it too. A line "// sm_80" in a source says that it needs that.
# Usage: build.sh [--check]      --check builds all elsewhere and says which differ from what is kept
set -eu
cd "$(dirname "$0")"

build() { # SOURCE OUTPUT
    local level version=7.8
    level=$(sed -n 's,^// \(sm_[0-9]*\)$,\1,p' "$1" | head -1)
    [ "$level" != sm_89 ] || version=8.4 # the first with products of eight-bit floats
    nvcc -ptx -O3 -std=c++17 -I .. "-arch=${level:-sm_75}" "$1" -o "$2.new"
    sed -e '/^[[:space:]]*\/\//d' -e '/^$/d' -e '/used_bytes_mask/d' -e "s/^\.target sm_75/.target sm_70/" -e "s/^\.version .*/.version $version/" \
        "$2.new" >"$2"
    rm "$2.new"
}

status=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for source in */*.cu; do
    ptx=${source%.cu}.ptx
    if [ "${1:-}" = --check ]; then
        build "$source" "$folder/one.ptx"
        cmp "$folder/one.ptx" "$ptx" || status=1
    elif [ "$source" -nt "$ptx" ] || [ -n "$(find common "${source%/*}" -name '*.cuh' -newer "$ptx")" ] ||
        [ build.sh -nt "$ptx" ] || [ -n "$(find common "${source%/*}" -name '*.h' -newer "$ptx" | grep -E 'scalar|gemm|kernel')" ]; then
        echo "src/mathlib/$ptx"
        build "$source" "$ptx"
    fi
done
exit $status
