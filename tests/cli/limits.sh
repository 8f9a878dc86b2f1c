#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Threads that cannot be started and memory that there is not are no bugs: fewer threads give the same bytes, with a warning, and
# what cannot be done is an error with a remedy. Usage: limits.sh MANIPLE TRACEGEN
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
cd "$tap_folder" || exit 1
"$tracegen" multi t >/dev/null
list=t/kernelslist.g

# Stacks of 4 GB where there are 3 GB: no thread at all.
no_threads() { (ulimit -s 4000000 && ulimit -v 3000000 && exec "$@"); }
if ! no_threads true 2>/dev/null; then
    skip "without threads" "the limits cannot be set here"
else
    "$maniple" run -q --machine rtx2060 --threads 1 $list >one 2>/dev/null
    for executor in window lockstep domains pool openmp; do
        no_threads "$maniple" run --machine rtx2060 --executor $executor --threads 4 $list >out 2>err
        [ $? = 0 ] && cmp -s one out && grep -q "warning: no thread can be started beside the simulation" err &&
            grep -q "warning: --threads 4: only 1 can be started; allow more" err
        ok $? "executor $executor without threads has the same results, and says so"
    done
    no_threads "$maniple" run --max-time 100 --machine rtx2060 $list >out 2>err
    [ $? = 2 ] && grep -q "error: --max-time: the thread that watches the time cannot be started" err
    ok $? "--max-time without a thread is an error"
    no_threads "$maniple" convert $list -o packed.mtrace >out 2>err && [ -s packed.mtrace ]
    ok $? "convert without threads"
fi
"$maniple" run -q --machine rtx2060 -o results $list >/dev/null 2>&1
for words in "run -q --machine rtx2060 --threads 2 $list" "run -q --machine h100-sxm --threads 2 --executor openmp $list" \
    "report results" "compare results results" "merge results results -o all.sqlite" "machine show h100-sxm" "trace info $list"; do
    bad=
    for memory in 16000 20000 24000 32000 40000 60000 80000 120000 200000; do
        # shellcheck disable=SC2086
        (ulimit -v $memory && exec "$maniple" $words) >out 2>err
        status=$?
        if [ $status -gt 2 ] && [ $status != 127 ] || grep -q "bug at" err; then bad="$bad $memory:$status"; fi
    done
    [ -z "$bad" ]
    ok $? "little memory: $words${bad:+ (KB:status$bad)}"
done
tap_end
