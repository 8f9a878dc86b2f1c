#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the coprocessor programs of this folder into elf/ with Debian's gcc-arm-none-eabi (12.2). The results are kept
# in the project, so that nobody needs a cross compiler to run them. Usage: build.sh [PROGRAM.c…]
set -eu
cd "$(dirname "$0")"
mkdir -p elf
flags="-mcpu=arm1136jf-s -marm -mfloat-abi=soft -mno-unaligned-access -std=gnu17 -O2 -Wall -Wextra -ffreestanding -fno-common
       -fno-tree-loop-distribute-patterns -fno-unwind-tables -fno-asynchronous-unwind-tables -ffile-prefix-map=$PWD=."
[ $# -gt 0 ] || set -- $(ls ./*.c | grep -v '/manycore\.c$')
for source in "$@"; do
    name=$(basename "$source" .c)
    # shellcheck disable=SC2086
    arm-none-eabi-gcc -Wa,--no-warn $flags -nostdlib -static -Wl,--build-id=none -Wl,-z,max-page-size=4096 -T manycore.ld \
        start.S manycore.c "$source" -lgcc -o "elf/$name.elf"
    arm-none-eabi-strip --strip-debug "elf/$name.elf"
done
