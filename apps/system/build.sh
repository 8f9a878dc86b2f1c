#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the programs of this folder for Linux on ARM into FOLDER/guest, and the first process of a guest, which
# `maniple system` looks for beside itself, into FOLDER/maniple-guest-init; with Debian's gcc-arm-linux-gnueabihf.
# `--aarch64` only compiles them for that. Usage: build.sh FOLDER | build.sh --aarch64
set -eu
here=$(cd "$(dirname "$0")" && pwd)
flags="-O2 -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -I$here/../../include -I$here"
programs="matmul ncc benchmarks probe vecadd"
if [ "$1" = --aarch64 ]; then
    for source in guest guest_linux guest_fifos offload $programs; do
        # shellcheck disable=SC2086
        aarch64-linux-gnu-gcc $flags -c "$here/$source.c" -o /dev/null
    done
    exit
fi
mkdir -p "$1/guest"
gcc=arm-linux-gnueabihf-gcc
for program in $programs; do
    # shellcheck disable=SC2086
    $gcc $flags -static -s "$here/$program.c" "$here/offload.c" "$here/guest.c" "$here/guest_linux.c" "$here/guest_fifos.c" \
        -o "$1/guest/$program"
done
# A program without an operating system, where QEMU's machine virt has its memory.
# shellcheck disable=SC2086
$gcc $flags -ffreestanding -marm -mcpu=cortex-a15 -mno-unaligned-access -fno-tree-loop-distribute-patterns -nostdlib -static \
    -Wl,-e,bare_start,-Ttext,0x40100000,--build-id=none "$here/guest_bare_start.S" "$here/bare.c" "$here/guest.c" \
    "$here/guest_bare.c" "$here/guest_fifos.c" -lgcc -o "$1/guest/bare"
# shellcheck disable=SC2086
$gcc $flags -static -s "$here/init.c" -o "$1/maniple-guest-init"
