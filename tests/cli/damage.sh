#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Damaged traces through the command: exit status 2 and one message that names the file, the line and a remedy.
# Usage: damage.sh MANIPLE TRACEGEN
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
work=$tap_folder
list=$work/trace/kernelslist.g
kernel=$work/trace/kernel-1.traceg
run="$maniple run --machine rtx3070 -q"

"$tracegen" vectoradd "$work/trace" n=256 threads=64 >/dev/null 2>&1
cp "$kernel" "$work/good"
expect 0 "the whole trace" "" $run "$list"

# damaged NAME PATTERN SED-COMMAND: the good trace, edited
damaged() {
    sed "$3" "$work/good" >"$kernel"
    expect 2 "$1" "$2" $run "$list"
}
damaged "cut in the header" "kernel-1.traceg:3: the file ends inside the header; trace again" 3,\$d
damaged "cut in a block" "kernel-1.traceg:17: a thread block has no #END_TB.*; trace again" 30,\$d
damaged "a block too few" "the file ends after 4 of the 5 thread blocks of its grid; trace again" \
    's/^-grid dim.*/-grid dim = (5,1,1)/'
damaged "a grid that lies" "has more thread blocks than the 3 of its grid" 's/^-grid dim.*/-grid dim = (3,1,1)/'
damaged "an absurd grid" "kernel-1.traceg:3: a grid of .*; trace again" \
    's/^-grid dim.*/-grid dim = (2147483647,2147483647,2147483647)/'
damaged "an absurd block" "kernel-1.traceg:4: a block of .*; trace again" 's/^-block dim.*/-block dim = (9999,1,1)/'
damaged "a count that lies" "kernel-1.traceg:[0-9]*: the count of instructions does not match" 's/^insts = 16/insts = 17/'
damaged "a warp too few" "warp 1 of the 2 of this thread block is missing" '/^warp = 1/,/^$/d'
damaged "a warp twice" "a warp occurs twice in its block" 's/^warp = 1/warp = 0/'
damaged "an unknown opcode" "opcode NOSUCH is not known; use --unknown=alu" 's/FADD/NOSUCH/'
expect 0 "which --unknown=alu accepts" "" $run --unknown=alu "$list"
damaged "a PC out of range" "a PC is 4 GiB or more into the kernel" 's/^0010 /fffff00000 /'
damaged "lines in another order" "expected 'warp = n'" '/^warp = /d'

head -c 100000 /dev/urandom >"$kernel"
expect 2 "binary data" "kernel-1.traceg:" $run "$list"
head -c 10000000 /dev/zero | tr '\0' x >"$kernel"
expect 2 "an endless line" "longer than 64 KiB.*; trace again" $run "$list"
: >"$kernel"
expect 2 "an empty file" "kernel-1.traceg:1: the file ends inside the header" $run "$list"
rm "$kernel"
expect 2 "a missing file" "kernelslist.g:3: names 'kernel-1.traceg', which cannot be read: No such file" $run "$list"
mkdir "$kernel"
expect 2 "a folder in its place" "kernel-1.traceg: is a folder; name a file" $run "$list"
rmdir "$kernel"
for ending in gz xz zst; do
    "$tracegen" vectoradd "$work/packed" compress=$ending >/dev/null 2>&1
    expect 0 "compressed by $ending" "" $run "$work/packed/kernelslist.g"
    truncate -s -20 "$work/packed/kernel-1.traceg.$ending"
    expect 2 "and cut" "corrupt or truncated.*; copy or make the file again" $run "$work/packed/kernelslist.g"
done

# The generator on a full disk.
mkdir "$work/full" && ln -s /dev/full "$work/full/kernel-1.traceg"
expect 2 "a full disk" "No space left on device; free space or choose another folder" "$tracegen" stream "$work/full"
[ ! -e "$work/full/kernelslist.g" ]
ok $? "leaves no list of a trace that is not whole"
if [ "$(id -u)" -ne 0 ]; then
    mkdir "$work/readonly" && chmod 555 "$work/readonly"
    expect 2 "an unwritable folder" "cannot write into this folder.*; choose another" "$tracegen" stream "$work/readonly"
fi
tap_end
