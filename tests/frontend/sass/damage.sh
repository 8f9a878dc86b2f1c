#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Damaged cubins through the command: status 2, and the section and the byte, or the kernel and the address.
# Usage: damage.sh MANIPLE DATA-FOLDER
. "$(dirname "$0")/../../tap.sh"
maniple=$1 data=$2
cubin=$tap_folder/vecadd.cubin

# change OFFSET BYTES: the file with other bytes (as printf has them) at an offset
change() {
    cp "$data/vecadd.sm_80.cubin" "$cubin"
    printf "$2" | dd of="$cubin" bs=1 seek="$1" conv=notrunc status=none
}

for bytes in 0 40 63 64 1000 2500; do
    head -c "$bytes" "$data/vecadd.sm_80.cubin" >"$cubin"
    pattern='cubin, header, byte'
    [ "$bytes" -gt 4 ] || pattern=
    expect 2 "cut after $bytes bytes" "$pattern" "$maniple" disassemble "$cubin"
done
change 18 '\x3e'
expect 2 "another machine" "there is no machine code in it; give a cubin" "$maniple" disassemble "$cubin"
change $((0x730)) '\xff\x7f'
expect 1 "an unknown operation" '0030  .word 0x[0-9a-f]*7fff  # no form: operation 0xfff, nearest [A-Z]' "$maniple" \
    disassemble "$cubin"
expect 1 "the words behind it" '^    0040  ISETP.GE' "$maniple" disassemble "$cubin"
expect 1 "how many there are" 'operation 0xfff, nearest [A-Z0-9]*: 1, the first in kernel vecadd, address 0x30' \
    "$maniple" disassemble "$cubin"
change $((0x730)) '\x12\x7e'
expect 1 "the form that is nearest" 'operation 0xe12, nearest LOP3: 1' "$maniple" disassemble "$cubin"
tap_end
