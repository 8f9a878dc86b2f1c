#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Inputs: a program may stand where traces do, a trace that a list names often is read once and counted so often, and
# launches that are left out are not opened. Usage: inputs.sh MANIPLE TRACEGEN
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
work=$tap_folder
elf=$(dirname "$(realpath "$0")")/../../apps/manycore/elf/fibonacci.elf

"$tracegen" vectoradd "$work/trace" >"$work/out" 2>&1
ok $? "maniple-tracegen vectoradd"
list=$work/trace/kernelslist.g
kernel=$(grep kernel "$list" | head -1)

# ===== programs =====

limits="-q --cores 4 --max-cycles 2000"
# shellcheck disable=SC2086
"$maniple" run $limits -- "$elf" >"$work/behind" 2>&1
behind=$?
# shellcheck disable=SC2086
expect $behind "a program may stand as the input" "" "$maniple" run $limits "$elf"
cmp -s "$work/behind" "$work/out"
ok $? "and runs as behind --"
expect 2 "--kernels is not for it" "selects launches of traces and of CUDA programs" "$maniple" run --kernels 1 "$elf"
expect 2 "--cores is not for a trace" "is no program" "$maniple" run --cores 4 "$list"
expect 2 "a program in place of a trace to look at" "is a program" "$maniple" trace info "$elf"
if ldd "$maniple" | grep -q libasan; then
    skip "a program of the host's that uses no CUDA" "the sanitizer's runtime cannot be in the program"
else
    expect 2 "a program of the host's that uses no CUDA" "uses neither CUDA's runtime" "$maniple" run /bin/true
fi

# ===== a trace that is named often =====

total() { # of a row of `maniple trace info`, without groups of digits
    "$maniple" trace info "$1" | grep "^$2  " | head -1 | tr -d ',' | awk -v words="$(wc -w <<<"$2")" '{ print $(words + 1) }'
}
cp "$work/trace/$kernel"* "$work/trace/other.traceg" 2>/dev/null
echo "$kernel" >"$work/trace/once.g"
for _ in 1 2 3 4 5; do echo "$kernel"; done >"$work/trace/five.g"
(echo "$kernel"; echo other.traceg; echo "$kernel"; echo other.traceg; echo "$kernel") >"$work/trace/mixed.g"
for row in "Warp instructions" "Thread instructions" "CTAs" "Size of the trace" "Kernels"; do
    once=$(total "$work/trace/once.g" "$row")
    [ -n "$once" ] && [ "$(total "$work/trace/five.g" "$row")" -eq $((5 * once)) ]
    ok $? "a trace that is launched five times: $row"
done
"$maniple" trace info "$work/trace/five.g" >"$work/five"
"$maniple" trace info "$work/trace/mixed.g" >"$work/mixed"
cmp -s "$work/five" "$work/mixed"
ok $? "copies of a file count as the file"
"$maniple" trace info "$work/trace/once.g" | sed -n '/^opcode/,$p' | awk 'NF > 2 { print $(NF - 1) }' | tr -d , | grep '^[0-9]*$' >"$work/a"
sed -n '/^opcode/,$p' "$work/five" | awk 'NF > 2 { print $(NF - 1) }' | tr -d , | grep '^[0-9]*$' >"$work/b"
[ -s "$work/a" ] && awk '{ print 5 * $1 }' "$work/a" | cmp -s - "$work/b"
ok $? "opcodes and accesses count as often"

# ===== launches that are left out =====

: >"$work/trace/broken.traceg"
(echo "$kernel"; echo broken.traceg; echo "$kernel"; echo broken.traceg) >"$work/trace/partly.g"
expect 2 "a launch that cannot be read ends a run" "broken.traceg" "$maniple" run -q "$work/trace/partly.g"
expect 0 "it is not opened where --kernels leaves it out" "of 2 kernels" "$maniple" run --kernels 1,3 "$work/trace/partly.g"
expect 2 "a launch behind the last one" "no launch 5" "$maniple" run --kernels 5 "$work/trace/partly.g"
tap_end
