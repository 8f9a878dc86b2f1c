#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The coprocessor programs in small sizes: each finds its own results right on both architectures, for numbers of cores
# that are and are not powers of two, and more of them than there is work for; and each finds a damaged table of its
# own. Usage: programs.sh MANIPLE
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
elf=$folder/../../apps/manycore/elf
# Interpreted: translations of these programs have a test of their own, and take longer to compile than to run.
run="$maniple run -q --core interpreter --max-cycles 20000000"

while read -r cores program; do
    for machine in manycore-1 manycore-2; do
        # shellcheck disable=SC2086
        set -- $program
        expect 0 "$program on $cores cores of $machine" ": right on $cores cores" \
            $run --machine $machine --cores "$cores" -- "$elf/$1.elf" "${@:2}"
    done
done <<'PROGRAMS'
1 idct 8
48 idct 70
1 dequantise 8
48 dequantise 70
1 ncc 2 64
48 ncc 70 64
1 cut 2
48 cut 70
7 matmul 7
1 fft 64
7 fft 128
64 fft 64
96 fft 64
1 atomic 16 5
48 atomic 96 20
48 atomic 48 20 1
1 ep 6
7 ep 8
48 ep 9
1 barrier 0 2 16
1 barrier 1 2 16
1 barrier 2 2 16
40 barrier 0 2 64
300 barrier 1 2 64 1
300 barrier 2 3 64 1
1 histogram 300 5 0
48 histogram 3000 64 0
48 histogram 3000 256 1
96 histogram 3000 7 2
7 dhrystone 5
48 fibonacci 7
PROGRAMS

# ===== a check that cannot fail is none =====
expect 1 "cut notices that too few steps find no groups" "WRONG on" $run --cores 4 -- "$elf/cut.elf" 64 16 1
damage() { # PROGRAM BYTES REPLACEMENT ARGUMENTS…: bytes in hexadecimal, as they lie in the program's table
    python3 - "$elf/$1.elf" "$tap_folder/damaged.elf" "$2" "$3" <<'PYTHON'
import sys
data = open(sys.argv[1], "rb").read()
old, new = (bytes.fromhex(text) for text in sys.argv[3:])
if data.count(old) != 1:
    sys.exit(1)
open(sys.argv[2], "wb").write(data.replace(old, new))
PYTHON
    ok $? "$1: its table is found"
    expect 1 "$1 notices a damaged table" "WRONG on" $run --cores 4 -- "$tap_folder/damaged.elf" "${@:4}"
}
damage idct be14fb005e83ec00 be14fb005e83ac00 8                  # cos(2π/16)
damage dequantise 000108100902030a 000801100902030a 8          # the zigzag
damage matmul 81ffffff9effffff 81ffffff9fffffff 8                # the first row of B
damage fft 532d412d2f2d 532dff2c2f2d 64                                  # cosines
damage ep 555555555555d53f 555555555555d63f 8                    # a term of the logarithm

# ===== variables of all cores: what fits, and what the linker refuses =====
library=$folder/../../apps/manycore
shared() { # COUNT: a program with that many counters in shared memory
    sed "s/COUNT/$1/" >"$tap_folder/shared.c" <<'PROGRAM'
#include "manycore.h"
static MC_SHARED volatile uint32_t counter[COUNT];
int mc_main(void)
{
    mc_add(&counter[mc_core() % COUNT], 1);
    mc_barrier_master();
    uint32_t sum = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        sum += counter[i];
    return mc_conclude("shared", sum == mc_cores());
}
PROGRAM
    arm-none-eabi-gcc -mcpu=arm1136jf-s -marm -mfloat-abi=soft -O2 -ffreestanding -nostdlib -static -I "$library" \
        -T "$library/manycore.ld" -Wl,-z,max-page-size=4096 "$library/start.S" "$library/manycore.c" "$tap_folder/shared.c" \
        -lgcc -o "$tap_folder/shared.elf"
}
if command -v arm-none-eabi-gcc >/dev/null; then
    expect 0 "128 bytes of shared variables are linked" "" shared 32
    expect 0 "and right" "shared: right on 48 cores" $run --cores 48 -- "$tap_folder/shared.elf"
    expect 1 "more are refused, with what to do" "more than 128 bytes and would overlap .*; put larger data at mc_bank(core)" shared 33
    expect 0 "the barrier with a master" "" shared 16
    expect 2 "says what it needs of a bank" "shared.elf: needs 1536 bytes .*: give at most 27306 cores, or --set shared.size=50331648" \
        $run --cores 32768 -- "$tap_folder/shared.elf"
else
    skip "shared variables" "no arm-none-eabi-gcc"
fi
tap_end
