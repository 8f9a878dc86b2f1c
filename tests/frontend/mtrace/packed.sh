#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Packed traces from outside: the same results as the text, their size, and what is said of bad ones.
# Usage: packed.sh MANIPLE TRACEGEN SAME-RECORDS; MANIPLE_TRACES names a folder of real traces
source "$(dirname "$0")/../../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
same_records=$(realpath "$3")
real=${MANIPLE_TRACES:-$(dirname "$(realpath "$0")")/../../../shared/traces}
work=$tap_folder

results() { # MACHINE INPUT OPTION…: all that does not depend on the host
    local machine=$1 input=$2
    shift 2
    "$maniple" run --machine "$machine" -q --format json "$@" "$input" | sed '/^  "run": {/,/^  }/d'
}

same() { # NAME LIST MACHINE PART: run and info agree, and the packed trace takes at most a PARTth of the text
    local name=$1 list=$2 machine=$3 part=$4 packed=$work/$1.mtrace
    expect 0 "$name is packed" "" "$maniple" convert -q "$list" -o "$packed"
    expect 0 "$name: the same records" "" "$same_records" "$list" "$packed"
    results "$machine" "$list" --threads 1 >"$work/text"
    results "$machine" "$packed" --threads 2 >"$work/packed"
    grep -q '"hash": "[0-9a-f]*"' "$work/text" && cmp -s "$work/text" "$work/packed"
    ok $? "$name: the same statistics and hash"
    if in_turn 5; then
        results "$machine" "$list" --threads 1 --trace-memory 1MiB >"$work/paged"
        cmp -s "$work/text" "$work/paged"
        ok $? "$name: the same with instructions in a temporary file"
    fi
    diff <("$maniple" trace info "$list" | sed '/^Size of\|^Per warp/d') \
        <("$maniple" trace info "$packed" | sed '/^Size of\|^Per warp/d') >"$work/out"
    ok $? "$name: the same content"
    note <"$work/out"
    local bytes text
    bytes=$(stat -c %s "$packed")
    text=$("$maniple" trace info "$list" | sed -n '/^Size of/s/[^0-9]//gp')
    [ $((bytes * part)) -le "$text" ]
    ok $? "$name: $bytes bytes are at most a ${part}th of $text"
}

for workload in vectoradd matmul reduction chase gather atomics mix fma stream empty multi straightline; do
    "$tracegen" "$workload" "$work/$workload" >/dev/null 2>&1
    part=10
    [ "$workload" = gather ] && part=5 # random addresses
    same "$workload" "$work/$workload/kernelslist.g" rtx3070 $part
done
for trace in bfs-rodinia-2.0-ft vectoradd-50000 simtune-ffmakernel-1-32-10 simtune-ffmakernel-1-32-20; do
    if [ -e "$real/$trace/kernelslist.g" ]; then
        same "$trace" "$real/$trace/kernelslist.g" h100-pcie 10
    else
        skip "$trace" "the trace is not there"
    fi
done

# Functions that were not inlined: several instructions at one PC, in one thread block and in different ones, and PCs that
# have no place of their own.
mkdir "$work/variants"
awk '/^thread block/ { n++ } /^warp = / { w = $3 }
    n % 3 == 1 { sub(/ FADD /, " FMUL ") }
    n % 3 == 2 && w % 2 { sub(/ FADD /, " MUFU.RCP ") }
    n % 5 == 4 { sub(/^0010 /, "100018 ") }
    1' "$work/vectoradd/"*.traceg >"$work/variants/kernel-1.traceg"
echo kernel-1.traceg >"$work/variants/kernelslist.g"
same variants "$work/variants/kernelslist.g" rtx3070 10
results rtx3070 "$work/vectoradd/kernelslist.g" >"$work/text"
results rtx3070 "$work/variants/kernelslist.g" --threads 1 >"$work/one"
results rtx3070 "$work/variants/kernelslist.g" --threads 4 >"$work/four"
cmp -s "$work/one" "$work/four" && ! cmp -s "$work/one" "$work/text"
ok $? "variants: 1 and 4 threads agree, and the result is not that of the trace without them"
expect 0 "variants: info counts them all" "MUFU.RCP" "$maniple" trace info "$work/variants.mtrace"
expect 0 "variants are packed again" "" "$maniple" convert -q "$work/variants.mtrace" -o "$work/again.mtrace"
cmp -s "$work/variants.mtrace" "$work/again.mtrace"
ok $? "to the same file"

# The command.
list=$work/vectoradd/kernelslist.g
packed=$work/vectoradd.mtrace
expect 0 "convert says what it did" "warp instructions of 1 kernel in" "$maniple" convert "$list" -o "$work/again.mtrace"
cmp -s "$packed" "$work/again.mtrace"
ok $? "the same trace gives the same file"
expect 0 "a packed trace is packed again" "" "$maniple" convert -q "$packed" -o "$work/again.mtrace"
cmp -s "$packed" "$work/again.mtrace"
ok $? "to the same file"
expect 0 "also in its own place" "" "$maniple" convert -q "$work/again.mtrace" -o "$work/again.mtrace"
mv "$work/again.mtrace" "$work/a name without an ending"
expect 0 "its content counts and not its name" "Warp instructions" "$maniple" trace info "$work/a name without an ending"
expect 2 "no output" "state the file to write" "$maniple" convert "$list"
expect 2 "no input" "there is no input" "$maniple" convert -o "$work/x"
expect 2 "two inputs" "two inputs" "$maniple" convert a b -o "$work/x"
expect 2 "an input that is not there" "No such file" "$maniple" convert "$work/nothing" -o "$work/x"
expect 2 "a program" "takes nothing after --" "$maniple" convert "$list" -o "$work/x" -- ls
expect 2 "an output that cannot be made" "cannot write" "$maniple" convert "$list" -o "$work/no/such/folder"
expect 2 "trace without info" "takes two words" "$maniple" trace
expect 2 "trace info of nothing" "takes two words" "$maniple" trace info
expect 0 "launches are chosen" "" "$maniple" run -q --machine rtx3070 --kernels 2 "$work/multi.mtrace"
expect 2 "one that is not there" "there is no launch 1000" "$maniple" run -q --machine rtx3070 --kernels 1000 "$work/multi.mtrace"

# An opcode that nobody knows is packed as it is.
mkdir "$work/unknown"
sed 's/ FADD / FROB.X /' "$work/vectoradd/"*.traceg >"$work/unknown/kernel-1.traceg"
echo kernel-1.traceg >"$work/unknown/kernelslist.g"
grep -q FROB "$work/unknown/kernel-1.traceg"
ok $? "an unknown opcode is made"
expect 0 "and packed" "opcodes that are not known" "$maniple" convert "$work/unknown/kernelslist.g" -o "$work/unknown.mtrace"
expect 2 "a run stops at it" "opcode FROB.X of kernel 1 is not known" "$maniple" run -q --machine rtx3070 "$work/unknown.mtrace"
expect 0 "unless told otherwise" "" "$maniple" run -q --machine rtx3070 --unknown alu "$work/unknown.mtrace"
results rtx3070 "$work/unknown/kernelslist.g" --unknown alu >"$work/text"
results rtx3070 "$work/unknown.mtrace" --unknown alu | cmp -s - "$work/text"
ok $? "with the results of the text"

expect 0 "and its records" "" "$same_records" "$work/unknown/kernelslist.g" "$work/unknown.mtrace"

# Damage.
refused() { # NAME PATTERN FILE
    expect 2 "$1" "$2" "$maniple" run -q --machine rtx3070 "$3"
}
size=$(stat -c %s "$packed")
for length in 8 16 71 72 200 $((size / 2)) $((size - 1)); do
    head -c "$length" "$packed" >"$work/cut.mtrace"
    refused "cut to $length bytes" "cut.mtrace: at byte [0-9]*: .*\(ends here\|truncated\|wrong checksum\)" "$work/cut.mtrace"
done
patch() { # OFFSET BYTES
    cp "$packed" "$work/bad.mtrace"
    printf "$2" | dd of="$work/bad.mtrace" bs=1 seek="$1" conv=notrunc status=none
}
patch 8 '\002'
refused "another version" "bad.mtrace: at byte 8: version 2 of the format is not known, 1 is" "$work/bad.mtrace"
patch 30 '\377\377'
refused "a damaged group" "at byte 16: the group of thread blocks 0 to [0-9]* has a wrong checksum" "$work/bad.mtrace"
patch $((size - 100)) '\377\377\377'
refused "a damaged list" "at byte [0-9]*: the \(list of commands\|description of kernel 1\) has a wrong checksum" "$work/bad.mtrace"
patch $((size - 30)) '\377'
refused "a damaged end" "the end of the file has a wrong checksum" "$work/bad.mtrace"
(cat "$packed"; printf x) >"$work/bad.mtrace"
refused "something behind the end" "truncated" "$work/bad.mtrace"
expect 2 "convert of a damaged trace" "truncated" "$maniple" convert -q "$work/bad.mtrace" -o "$work/none.mtrace"
[ ! -e "$work/none.mtrace" ]
ok $? "leaves nothing"
head -c 3000 "$work/vectoradd/"*.traceg >"$work/unknown/kernel-1.traceg"
expect 2 "convert of a truncated text" "kernel-1.traceg" "$maniple" convert -q "$work/unknown/kernelslist.g" -o "$work/none.mtrace"
[ -z "$(find "$work" -maxdepth 1 -name 'none.mtrace*')" ]
ok $? "leaves nothing either"
if [ -w /dev/full ]; then
    expect 2 "a full disk" "No space left on device" "$maniple" convert -q "$work/gather/kernelslist.g" -o /dev/full
fi
# A disk that fills up in the midst: the limit on a file's size acts like one.
expect 2 "a file that may not grow" "cannot write: File too large" bash -c \
    "trap '' XFSZ; ulimit -f 40; '$maniple' convert -q '$work/gather/kernelslist.g' -o '$work/none.mtrace'"
[ -z "$(find "$work" -maxdepth 1 -name 'none.mtrace*')" ]
ok $? "leaves nothing"
# Interrupted: the same kernel so often that the signal finds it at work.
kernels=$(grep -v Memcpy "$work/matmul/kernelslist.g")
for _ in $(seq 20000); do echo "$kernels"; done >"$work/matmul/long.g"
"$maniple" convert "$work/matmul/long.g" -o "$work/none.mtrace" >"$work/out" 2>&1 &
sleep 2
kill -INT $!
wait $!
ok $(($? == 130 ? 0 : 1)) "an interrupted conversion ends with status 130"
[ -z "$(find "$work" -maxdepth 1 -name 'none.mtrace*')" ]
ok $? "and leaves nothing"
expect 0 "a pipe" "" bash -c "'$maniple' convert -q '$list' -o /dev/stdout | cmp - '$packed'"
expect 2 "which cannot be read from" "is no file" bash -c "'$maniple' run -q <(cat '$packed')"
tap_end
