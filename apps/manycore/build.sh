#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the coprocessor programs of this folder into elf/ with Debian's gcc-arm-none-eabi (12.2): those whose sources
# are newer than their ELF file. The results are kept in the project, so that nobody needs a cross compiler to run them.
# Usage: build.sh [PROGRAM…]         such as fft; without names all
#        build.sh --check            builds all elsewhere and says which differ from what is kept
set -eu
cd "$(dirname "$0")"
common="start.S manycore.c manycore.h manycore.ld build.sh"
flags="-mcpu=arm1136jf-s -marm -mfloat-abi=soft -mno-unaligned-access -std=gnu17 -O2 -Wall -Wextra -ffreestanding -fno-common
       -fno-tree-loop-distribute-patterns -fno-unwind-tables -fno-asynchronous-unwind-tables -ffile-prefix-map=$PWD=."

build() { # NAME FILE
    # shellcheck disable=SC2086
    arm-none-eabi-gcc $flags -g -nostdlib -static -Wl,--build-id=none -Wl,-z,max-page-size=4096 -T manycore.ld \
        start.S manycore.c "$1.c" -lgcc -o "$2"
    # Messages about `wrong` can name its source lines; of the others the debug information would be most of the file.
    [ "$1" = wrong ] || arm-none-eabi-strip --strip-debug "$2"
    chmod 644 "$2"
}

is_old() { # NAME
    local source
    for source in "$1.c" $common; do
        [ "$source" -nt "elf/$1.elf" ] && return 0
    done
    return 1
}

names() {
    local source
    for source in *.c; do
        [ "$source" = manycore.c ] || echo "${source%.c}"
    done
}

if [ "${1:-}" = --check ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    status=0
    for name in $(names); do
        build "$name" "$folder/$name.elf"
        cmp "$folder/$name.elf" "elf/$name.elf" || status=1
    done
    exit $status
fi
mkdir -p elf
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(names)
for name in "$@"; do
    if is_old "$name"; then
        echo "elf/$name.elf"
        build "$name" "elf/$name.elf"
    fi
done
