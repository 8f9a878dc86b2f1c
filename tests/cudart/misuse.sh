#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What users are told when a CUDA program goes wrong, or ends in an unusual way. Usage: misuse.sh MANIPLE PROGRAM
# SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "CUDA programs that go wrong" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
for how in "--functional" "--set sm.count=8"; do
    run="$maniple run -q --machine rtx3080ti $how"
    # The numbers are those of CUDA: 700 is 188 modulo 256, 710 is 198.
    expect 188 "$how: a null pointer" 'kernel store(int\*), .* at address 0x0, by a null pointer$' $run -- "$program" null
    expect 188 "$how: a wild pointer" 'outside every allocation, at address 0x123450000' $run -- "$program" wild
    expect 188 "$how: an index too far" '290; the nearest allocation is 0x7[0-9a-f]*, 400 bytes; .*host.slack' $run -- "$program" near
    expect 188 "$how: memory that was freed" \
        'at address 0x7[0-9a-f]*; it is memory that the program has freed: 800 bytes at 0x7[0-9a-f]*$' $run -- "$program" freed
    expect 188 "$how: memory of the host" 'it is an address of the host.s memory, which no kernel can access' $run -- "$program" host
    expect 2 "$how: a fault that the program ignores" 'by a null pointer$' $run -- "$program" ignored
    expect 3 "$how: a kernel that polls for ever, which the program ignores" \
        'Partial results; the run ended by: livelock' $run --set livelock=100000 -- "$program" poll
    grep -q '^ *2  poll_for_ever .*(partial)$' "$tap_folder/out"
    ok $? "$how: and results"
    expect 198 "$how: an assertion" \
        'a.cu:12: void f(int): block: \[0,0,0\], thread: \[5,0,0\] Assertion `n > 3` failed (.*: a failed assertion)$' $run -- "$program" assert
    expect 3 "$how: _exit" 'the program has called _exit: there are no results' $run -- "$program" exit
    expect 0 "$how: another program" 'has called execvp: there are no results' $run -- "$program" become
    expect 0 "$how: quick_exit" '  store  *1 ' $run -- "$program" quick
done
$run -o faulted -- "$program" null >/dev/null 2>&1
grep -q 'a kernel has faulted' faulted/results.json
ok $? "results say that a kernel has faulted"
expect 0 "and so does a report" '^Warning  *a kernel has faulted: the results end where it did' "$maniple" report faulted
expect 188 "memory that is freed before it is filled" '' $run -- "$program" early
# A file that may grow no further is an error of who writes it.
for option in "--by-instruction -o small" "--timeline ctas -o small" "--snapshot small"; do
    # shellcheck disable=SC2016,SC2086
    expect 2 "a limit of files: $option" 'cannot write: File too large' \
        bash -c 'ulimit -f 8; exec "$@"' - $run $option -- "$program" quick
done
# What would wait for the lock of the call for ever.
if [ "$3" = none ]; then
    expect 2 "memory that is out inside a call" 'maniple: out of memory' timeout -s KILL 20 $run -- "$program" inside-memory
fi
# What would wait for the runtime's own threads for ever.
expect 2 "a program whose first thread ends before the others" '^the other thread has gone on$' \
    timeout -s KILL 20 $run -- "$program" leave
# The report of a hang is written from code that the program has taken off the device meanwhile.
expect 3 "warps that wait at different barriers for ever, without time" 'barrier 1 has 32 of 64 threads, barrier 2 has 32 of 64 threads$' \
    $maniple run -q --machine rtx3080ti --functional -- "$program" hang unload
grep -q '^Partial results; the run ended by: hang$' "$tap_folder/out"
ok $? "and its results"
for how in reset again unload destroy; do
    expect 3 "a hang, and then: $how" 'sm 0: CTA 0 warp 1 waits .*kernel wait_for_ever, barrier 1 has 32 of 64 threads$' $run -- "$program" hang $how
    grep -q '^ *2  wait_for_ever .*(partial)$' "$tap_folder/out"
    ok $? "and results"
done
expect 0 "fork() behind the first use of the device" '^the copy got 3$' $maniple run -q --machine rtx3080ti -- "$program" fork
[ "$(grep -c 'was made by fork() behind the first use of the device' "$tap_folder/out")" -eq 1 ]
ok $? "is told once, and the program goes on"
for name in execl execlp execle; do
    expect 0 "$name" "has called $name: there are no results" $run -- "$program" $name
    grep -q "^got a b c d e f g $([ $name = execle ] && echo hello)\$" "$tap_folder/out"
    ok $? "$name hands all arguments on"
done
expect 0 "200,000 allocations" '' timeout 20 $maniple run -q --functional --machine rtx3080ti -- "$program" many
expect 218 "a launch from a kernel" 'launches from kernels (dynamic parallelism) are not supported' \
    $run -- "$program" launch
expect 218 "a cluster" 'barrier.cluster.arrive.aligned.: clusters need .target sm_90 or higher; compile for -arch=sm_90' $run -- "$program" cluster
expect 33 "a library that asks whose driver this is" 'misuse asks for the identity of NVIDIA.s driver' \
    $run -- "$program" table
tap_end
