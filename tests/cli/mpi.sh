#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Several processes give the bytes of one: statistics, epoch hashes, output of programs, errors and exit statuses, with
# Open MPI and MPICH; and a process that dies ends the run.
# Usage: mpi.sh MANIPLE TRACEGEN PROGRAMS [FOLDER-OF-REAL-TRACES]; a seventeenth of the shapes, or all with MANIPLE_MATRIX=full
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
programs=$(realpath "$3")
real=${4:-}
work=$tap_folder

# The launchers that are installed and have a plug-in.
launchers=()
for each in openmpi mpich; do
    launcher=$(command -v "mpirun.$each" || command -v "mpiexec.$each")
    if [ -n "$launcher" ] && [ -e "$(dirname "$maniple")/maniple-$each.so" ]; then
        [ "$each" = openmpi ] && launcher="$launcher --allow-run-as-root --oversubscribe"
        launchers+=("$launcher")
    else
        skip "$each" "not installed"
    fi
done

# same NAME SHAPES OPTIONS…: one process in windows of one cycle is the reference, with what it prints and its exit
# status. Shapes: processes x threads.
every="2x1 2x2 3x1 3x2"
arrange=cat # before lines are compared: a program's own may come before or behind those of hashes
same() {
    local name=$1 shapes=$2 launcher shape processes threads status= got
    shift 2
    for launcher in "${launchers[@]}"; do
        for shape in $shapes; do
            in_turn 17 || continue
            if [ -z "$status" ]; then
                "$maniple" run --executor serial --threads 1 --window 1 "$@" >"$work/reference" 2>"$work/error"
                status=$?
            fi
            processes=${shape%x*} threads=${shape#*x}
            [ "$threads" -eq 1 ] || threads="$threads --schedule dynamic" # by cost, no more would start than processors
            # shellcheck disable=SC2086
            timeout 100 $launcher -n "$processes" "$maniple" run --threads $threads "$@" >"$work/several" \
                2>"$work/several-error" </dev/null
            got=$?
            [ $got -eq $status ] && cmp -s <($arrange <"$work/reference") <($arrange <"$work/several")
            ok $? "$name: ${launcher%% *}, $processes processes, $threads threads"
        done
    done
}

# same_error NAME PATTERN OPTIONS…: an error is told once, by one process, and ends all of them with status 2.
same_error() {
    local name=$1 pattern=$2 launcher
    shift 2
    for launcher in "${launchers[@]}"; do
        # shellcheck disable=SC2086
        timeout 60 $launcher -n 3 "$maniple" run "$@" >"$work/out" 2>&1 </dev/null
        [ $? -eq 2 ] && [ "$(grep -c "maniple: error: .*$pattern" "$work/out")" -eq 1 ]
        ok $? "$name: ${launcher%% *}"
    done
}

if [ ${#launchers[@]} -eq 0 ]; then
    expect 2 "without MPI, several processes are refused" "Debian: libopenmpi-dev" \
        env OMPI_COMM_WORLD_SIZE=2 "$maniple" run --executor mpi nothing
    tap_end
fi
expect 2 "a process that was started alone says how to start several" "mpirun -n" \
    env -u OMPI_COMM_WORLD_SIZE -u PMIX_RANK -u PMI_RANK "$maniple" run --executor mpi nothing

for kind in matmul atomics multi; do
    "$tracegen" "$kind" "$work/$kind" >"$work/out" 2>&1
    ok $? "maniple-tracegen $kind"
done
same "matmul" "$every" -q --machine rtx3070 "$work/matmul/kernelslist.g"
same "atomics, every epoch" "3x1" -q --hash --machine h100-pcie "$work/atomics/kernelslist.g"
same "kernels of several streams" "2x2" -q --hash --sample 1000 --machine rtx3070 "$work/multi/kernelslist.g"
same "a limit, every cycle visited" "3x1" -q --hash --no-skip --max-cycles 9000 --machine rtx3070 --set sm.count=5 \
    --set gpc.count=2 --set partition.count=3 "$work/multi/kernelslist.g"
for machine in manycore-1 manycore-2; do
    same "fft on $machine" "2x1 3x2" -q --hash --machine $machine --cores 16 -- "$programs/fft.elf" 64
done
apps=$(dirname "$maniple")/maniple-apps
if [ -x "$apps" ]; then
    arrange=sort
    same "a CUDA program of several kernels" "2x2 3x1" -q --hash --machine gtx480 -- "$apps" run bfs --nodes 100
    same "one whose last block adds up" "2x1 3x2" -q --machine rtx3080ti -- "$apps" run lastblock --size 4096
    same_error "a program of several processes that is none" "neither CUDA" --machine rtx3070 -- /bin/true
    arrange=cat
fi
"$maniple" convert "$work/matmul/kernelslist.g" -o "$work/matmul.mtrace" 2>"$work/error"
same "a packed trace" "2x1" -q --machine a100 "$work/matmul.mtrace"
for trace in bfs-rodinia-2.0-ft vectoradd-50000; do
    if [ -n "$real" ] && [ -e "$real/$trace/kernelslist.g" ]; then
        same "$trace" "2x1 3x2" -q --machine rtx3070 "$real/$trace/kernelslist.g"
    else
        skip "$trace" "the real traces are not at hand"
    fi
done

same_error "an input that is not there" "nowhere" --machine rtx3070 "$work/nowhere"
same_error "a key that no machine has" "sm.coutn" --machine rtx3070 --set sm.coutn=3 "$work/matmul/kernelslist.g"
damaged=$work/damaged
cp -r "$work/matmul" "$damaged"
kernel=$(find "$damaged" -name 'kernel-1*' | head -1)
sed -i '$!b;s/.*/nonsense/' "$kernel" # the last thread block, which the last process may get
sed -i '0,/#END_TB/!{s/^0000 .*/0000 nonsense/}' "$kernel"
same_error "a damaged thread block" "kernel-1" --machine rtx3070 "$damaged/kernelslist.g"

# A process that dies takes the others with it: nobody waits for ever, and the launcher says so.
for _ in $(seq 2000); do grep -v Memcpy "$work/matmul/kernelslist.g"; done >"$work/matmul/long.g"
for launcher in "${launchers[@]}"; do
    # shellcheck disable=SC2086
    timeout 60 $launcher -n 2 "$maniple" run -q --machine rtx3070 "$work/matmul/long.g" \
        >"$work/out" 2>&1 </dev/null &
    waiting=$!
    for _ in $(seq 100); do
        sleep 0.1
        victim=$(processes_of "^$maniple run -q --machine rtx3070 $work/matmul/long" | tail -1)
        [ -n "$victim" ] && break
    done
    sleep 0.5
    kill -KILL "$victim" 2>/dev/null
    wait $waiting
    status=$?
    [ $status -ne 0 ] && [ $status -ne 124 ] && [ -s "$work/out" ]
    ok $? "a process that is killed ends the run with a message: ${launcher%% *} ($status)"
done

# A signal to any process leaves partial results, as in a single one: threads of the MPI library do not take it.
for launcher in "${launchers[@]}"; do
    for signal in TERM INT; do
        # shellcheck disable=SC2086
        timeout 60 $launcher -n 2 "$maniple" run -q --threads 1 --machine rtx3070 -o "$work/${launcher%% *}-$signal" \
            "$work/matmul/long.g" >"$work/out" 2>&1 </dev/null &
        waiting=$!
        for _ in $(seq 100); do
            sleep 0.1
            first=$(processes_of "^$maniple run -q --threads 1 .*$signal" | head -1)
            [ -n "$first" ] && break
        done
        sleep 1
        kill -$signal "$first" 2>/dev/null
        wait $waiting
        status=$?
        [ $status -eq 130 ] && grep -q '"end": "interrupted"' "$work/${launcher%% *}-$signal/results.json"
        ok $? "SIG$signal to one process: partial results: ${launcher%% *} ($status)"
    done
done

# What processes send each other in a window is counted: the same on any number of threads, and its parts add up.
for launcher in "${launchers[@]}"; do
    for threads in 1 "2 --schedule dynamic"; do
        # shellcheck disable=SC2086
        timeout 60 $launcher -n 2 "$maniple" run -q --machine rtx3070 --threads $threads -o "$work/sent${threads%% *}" \
            "$work/matmul/kernelslist.g" >"$work/out" 2>&1 </dev/null
    done
    python3 - "$work/sent1" "$work/sent2" <<'PYTHON'
import json, sys
a, b = (json.load(open(folder + "/results.json"))["run"] for folder in sys.argv[1:])
names = [name for name in a if name.startswith("exchange") and name != "exchange_seconds"]
one, most, all = (a["exchange_bytes_" + name] for name in ("most_of_one", "most", "of_all"))
exact = all / a["exchanges"]
sys.exit(not (len(names) == 6 and all > 0 and {n: a[n] for n in names} == {n: b[n] for n in names} and
              one <= most <= 2 * one and a["exchange_bytes"] < all and abs(a["exchange_bytes_mean"] - exact) < 1e-3))
PYTHON
    ok $? "bytes between processes are counted: ${launcher%% *}"
done
tap_end
