#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Ends from outside: --max-time and signals, in kernels with and without time and in the program's own work; partial
# results each time. Usage: ending.sh MANIPLE APPS SANITIZERS PROGRAM
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
apps=$(realpath "$2")
program=$(realpath "$4")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "ends from outside" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine rtx3080ti --threads 1"

ended() { # FOLDER WORD: the results there say how they have ended
    python3 -c 'import json, sys
results = json.load(open(sys.argv[1] + "/results.json"))
sys.exit(results["total"]["end"] != sys.argv[2] or len(results["kernels"]) < 1)' "$1" "$2"
}

long="run spinlock --blocks 4096 --rounds 1000" # minutes, and little before the kernel
expect 3 "with time" '' timeout 60 $run --max-time 1.5 -o timed -- "$apps" $long
ended timed "time limit"
ok $? "has partial results"
expect 3 "without time" 'stopped at --max-time: the results are partial' \
    timeout 60 ${run/-q/} --functional --max-time 1.5 -o valued -- "$apps" $long
ended valued "time limit"
ok $? "has partial results"
python3 -c 'import json; kernel = json.load(open("valued/results.json"))["kernels"][-1]; assert kernel["partial"]'
ok $? "the kernel under way is partial"
expect 3 "between kernels by value" '' timeout 60 $run --kernels every:2 --max-time 1.5 -- "$apps" $long
expect 3 "in a program that has used CUDA and does something else" '' \
    timeout 60 $run --max-time 1 -o other -- bash -c "$apps run vecadd --size 1000; sleep 60"
ended other finished
ok $? "whose results are there"
expect 3 "in one that has not" 'has not used CUDA' timeout 60 $run --max-time 0.5 -- sleep 60
expect 0 "one that ends sooner" 'PASS' $run --max-time 600 -- "$apps" run vecadd --size 1000

# signalled NAME FOLDER COMMAND...: a signal after a second
signalled() {
    local name=$1 results=$2 process status
    shift 2
    "$@" >out 2>&1 &
    process=$!
    sleep 1
    kill -TERM $process
    timeout 10 tail --pid=$process -f /dev/null || kill -KILL $process
    wait $process
    status=$?
    [ $status -eq 130 ] && ended "$results" interrupted
    ok $? "SIGTERM $name: partial results (status $status)"
}
signalled "without time" by-value $run --functional -o by-value -- "$apps" $long
signalled "with time" with-time $run -o with-time -- "$apps" $long

# asked NAME STATUS COMMAND...: SIGINT to a program that handles it, a second after it says that it is ready, or another
# time; `out` holds what it prints
asked() {
    local name=$1 wanted=$2 process status
    shift 2
    "$@" >out 2>&1 &
    process=$!
    for ((i = 0; i < 100; i++)); do
        grep -q ready out && break
        sleep 0.1
    done
    sleep 1
    kill -INT $process
    timeout 20 tail --pid=$process -f /dev/null || kill -KILL $process
    wait $process
    status=$?
    note < <(head -n 3 out)
    [ $status -eq $wanted ]
    ok $? "SIGINT $name: status $status"
}
# A shell without job control lets its background jobs ignore SIGINT; the program sets its handler nevertheless.
for how in "" --functional; do
    asked "in a long call of a program that handles it $how" 130 $run $how -o held$how -- "$program" 2000000000 1
    ended held$how interrupted
    ok $? "has partial results"
    asked "in short calls, which the program gets $how" 5 $run $how -o short$how -- "$program" 100 2000000000
    grep -q 'the program has handled it' out && ended short$how finished
    ok $? "ends in its own way, and its results are there"
done

# A Python without a word about Ctrl-C ends by it with a traceback, and the run with partial results.
cat >loop.py <<'END'
import ctypes, sys, time
driver = ctypes.CDLL("libcuda.so.1")
ptx = b""".version 7.0
.target sm_50
.address_size 64
.visible .entry spin(.param .u32 rounds)
{
.reg .u32 %r<3>;
.reg .pred %p;
ld.param.u32 %r1, [rounds];
mov.u32 %r2, 0;
again:
add.u32 %r2, %r2, 1;
setp.lt.u32 %p, %r2, %r1;
@%p bra again;
ret;
}
"""
context, module, kernel, rounds = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint(int(sys.argv[1]))
arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.pointer(rounds), ctypes.c_void_p))
assert driver.cuInit(0) == 0 and driver.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
assert driver.cuModuleLoadData(ctypes.byref(module), ptx) == 0
assert driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"spin") == 0
print("ready", flush=True)
try:
    while True:
        assert driver.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, arguments, None) == 0
        assert driver.cuCtxSynchronize() == 0
        time.sleep(float(sys.argv[2]))
except (KeyboardInterrupt if len(sys.argv) > 3 else ()):
    print("the program has handled it")
END
# Python leaves SIGINT ignored where its parent does, as a shell does for jobs in the background.
python="python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])'"
for how in "" --functional; do
    asked "in a long call of a Python $how" 130 eval "exec $python $run $how -o long-py$how -- python3 loop.py 2000000000 0"
    ended long-py$how interrupted
    ok $? "has partial results"
    asked "between calls of a Python $how" 130 eval "exec $python $run $how -o py$how -- python3 loop.py 10 100"
    grep -q '^KeyboardInterrupt' out && ended py$how interrupted
    ok $? "has a traceback, and partial results"
    asked "between calls of a Python that handles it $how" 0 eval "exec $python $run $how -o own-py$how -- python3 loop.py 10 100 own"
    grep -q 'the program has handled it' out && ended own-py$how finished
    ok $? "ends in its own way, and its results are there"
done

# written NAME COMMAND...: a signal while the results are written to a pipe that is full changes nothing; they are whole
written() {
    local name=$1 process
    shift
    mkfifo pipe
    { sleep 2 && python3 -c 'import json, sys; json.load(sys.stdin)' 2>/dev/null; echo $? >whole; } <pipe &
    "$@" >pipe 2>out &
    process=$!
    sleep 1
    kill -TERM $process
    wait
    [ "$(cat whole)" = 0 ]
    ok $? "SIGTERM $name: they are whole"
    rm -f pipe whole
}
written "while a program's results are written" $run --format json -- "$apps" run vecadd --size 1000
tap_end
