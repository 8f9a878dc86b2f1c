#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# --check: errors of the program are found, and right programs have none. Usage: check.sh MANIPLE CHECK APPS SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
check=$(realpath "$2")
apps=$(realpath "$3")
if ! maniple=$(sanitize "$maniple" "$4"); then
    skip "errors of programs" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine rtx3080ti --functional"
for part in exchange meet filled turns free; do
    expect 0 "no error: $part" '' $run --check race,init,sync -- "$check" $part
done
expect 2 "shared memory without a barrier" \
    ':[0-9]*: kernel work, block 0, thread [0-9]*: `ld.shared.u32` races with line [0-9]*, block 0, thread [0-9]*: `st.shared.u32`, at shared address' \
    $run --check race -- "$check" hasty
expect 2 "global memory of several blocks" '`ld.global.u32` races with line [0-9]*, block 0, thread .*: `st.global.u32`, at global address' \
    $run --check race -- "$check" collide
expect 2 "an allocation that nobody has written" '`ld.global.u32` reads global memory at 0x[0-9a-f]* that nobody has written' \
    $run --check init -- "$check" blank
expect 2 "shared memory that nobody has written" '`ld.shared.u32` reads shared memory' $run --check init -- "$check" empty
expect 2 "what is copied from such an allocation" '`ld.global.u32` reads global memory at 0x[0-9a-f]*fc that nobody has written' \
    $run --check init -- "$check" copied
grep -c 'nobody has written' "$tap_folder/out" | grep -qx 1
ok $? "and no more"
expect 2 "a barrier of half a warp" \
    ':[0-9]*: kernel work, block 0, thread 0: `bar.sync` is reached by 16 of the 32 threads of its warp; thread 16 has ended' \
    $run --check sync -- "$check" parted
expect 2 "barriers in both branches" \
    '`bar.sync` is reached by 16 of the 32 threads of its warp; thread [01] waits at another barrier (--check sync)' \
    $run --check sync -- "$check" branches
expect 0 "barriers are not looked for by others" '' $run --check race,init -- "$check" branches
expect 2 "machine code is named by addresses" \
    'hasty.sm_86.cubin: kernel work, address 0x[0-9a-f]*, block 0, .*: `LDS` races with address 0x[0-9a-f]*, block 0, .*: `STS`' \
    $run --check race -- "$check" hasty "$folder/hasty.sm_86.cubin"
expect 2 "both lines of the source are named, where they are known" \
    'at /hasty.cu:8, block 0, .*: `LDS` races with address 0x[0-9a-f]* (/hasty.cu:7), block 0' \
    $run --check race -- "$check" hasty "$folder/hasty-lines.sm_86.cubin"
expect 2 "a word that races is not called unwritten as well" ' races with ' $run --check race,init -- "$check" hasty
grep -q 'nobody has written' "$tap_folder/out"
ok $((! $?)) "nor later"
expect 2 "it is where races are not looked for" 'that nobody has written (--check init)' $run --check init -- "$check" hasty
expect 2 "an option that turns out to be wrong in the program" 'no statistic that can be sampled has such a name' \
    $maniple run -q --machine rtx3080ti --sample 100 --sample-statistics 'nosuch*' -o sampled -- "$check" meet
expect 0 "a run without time" '' $run -- "$check" meet
! grep -q 'What limits it' "$tap_folder/out"
ok $? "does not ask what limits it"
for option in "--by-instruction -o there" --energy --steady; do
    # shellcheck disable=SC2086
    expect 2 "there is no time for $option" "${option%% *}: with --functional there is no time" $run $option -- "$check" meet
done
for part in hasty collide blank empty copied parted branches; do
    expect 0 "not asked for, not found: $part" '' $run -- "$check" $part
done
expect 0 "races are not looked for by init" '' $run --check init -- "$check" collide
for app in reduction lastblock scan histogram; do
    expect 0 "a workload without errors: $app" 'PASS' $run --check race,init,sync -- "$apps" run $app --size 2048
done
expect 0 "a workload without errors: sgemm" 'PASS' $run --check race,init,sync -- "$apps" run sgemm --size 64
python3 - "$folder/hasty.sm_86.cubin" >other.cubin <<'E2' # S2R of SR_TID.X reads a special register that is not there
import sys
code = bytearray(open(sys.argv[1], "rb").read())
place = next(i for i in range(0, len(code) - 16, 16) if code[i : i + 2] == b"\x19\x79" and code[i + 9] == 0x21)
code[place + 9] = 0x02
sys.stdout.buffer.write(code)
E2
for code in auto ptx sass; do
    expect 1 "a cubin has no PTX, whatever is asked for: $code" \
        'is not executed for the special register that it reads; load PTX in its place, which this module does not have$' \
        $run --code $code -- "$check" hasty other.cubin
done
expect 2 "no word" '"" is none of race, init, sync; name those' $run --check= -- "$check" meet
expect 2 "a word that is no check, but near to one" 'did you mean sync?' $run --check synk -- "$check" meet
expect 2 "a word that is no check" 'is none of race, init, sync; name those' $run --check race,hurry -- "$check" meet
expect 2 "with time" 'add --functional' $maniple run --check race -- "$check" meet
tap_end
