#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the PTX of the kernels in this folder: those whose sources are newer than their PTX. It is kept in the project, so
# that nobody needs a compiler for GPUs to run them. Debian's clang (14) with its NVPTX back-end makes what is kept, for
# compute capability 2.0 where the kernels do without anything newer (a file says otherwise in a line "// sm_70"; in a
# line "// no fma", that products are rounded before they are added to, so that the host can have the same bits).
# What a line "// nvcc sm_90" says is newer than this clang, and always nvcc's.
# Where there is no such clang, nvcc is taken, whose oldest target is newer: the PTX then does not run on all machines.
# Usage: build.sh [--check]      --check builds all elsewhere and says which differ from what is kept
set -eu
cd "$(dirname "$0")"
flags="-O3 -I . -Wno-unknown-cuda-version"

build() { # SOURCE OUTPUT
    local level contract="" fmad=""
    level=$(sed -n 's,^// \(sm_[0-9]*\)$,\1,p' "$1" | head -1)
    if grep -q '^// no fma$' "$1"; then
        contract=-ffp-contract=off fmad=--fmad=false
    fi
    if grep -q '^// nvcc sm_' "$1"; then
        # shellcheck disable=SC2086
        nvcc -ptx $fmad "-arch=$(sed -n 's,^// nvcc ,,p' "$1" | head -1)" -O3 -I . "$1" -o "$2.new"
    elif llc --version 2>/dev/null | grep -q nvptx64; then
        # shellcheck disable=SC2086
        clang -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch="${level:-sm_20}" $flags $contract \
            -Wall -Wextra -S "$1" -o "$2.new"
    else
        # shellcheck disable=SC2086
        nvcc -ptx $fmad -arch=compute_75 -O3 -I . "$1" -o "$2.new"
    fi
    sed -e '/^[[:space:]]*\/\//d' -e '/^$/d' "$2.new" >"$2"
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
    elif [ "$source" -nt "$ptx" ] || [ common/device.h -nt "$ptx" ] || [ build.sh -nt "$ptx" ] ||
        { [ common/hopper.h -nt "$ptx" ] && grep -q common/hopper.h "$source"; } ||
        { [ common/blackwell.h -nt "$ptx" ] && grep -q common/blackwell.h "$source"; }; then
        echo "apps/gpu/$ptx"
        build "$source" "$ptx"
    fi
done
exit $status
