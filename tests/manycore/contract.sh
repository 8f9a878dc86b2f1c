#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The contract of many-core machines: all bytes are the same for executors, threads, schedules and windows, and for any
# cut into blocks but for the epochs' hashes, which have one for each block.
# Usage: contract.sh MANIPLE [long]; long: more programs, larger meshes
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
elf=$folder/../../apps/manycore/elf
work=$tap_folder
run="$maniple run -q"
total() {
    python3 -c 'import json, sys; print(json.load(sys.stdin)["total"])'
}
cases=("manycore-1 24 barrier 0 2 48" "manycore-2 48 barrier 2 3 96" "torus 48 atomic 48 5 1")
[ "${2:-}" != long ] || cases=("manycore-1 48 barrier 0 2 96" "manycore-2 48 barrier 0 2 96" "manycore-2 48 barrier 2 3 96"
    "manycore-2 48 atomic 96 20" "manycore-2 96 fft 128" "torus 48 fft 128" "torus 48 atomic 96 5 1" "manycore-1 96 fft 128"
    "turns 48 atomic 96 5 1" "outputs 48 atomic 96 5 1")

for case in "${cases[@]}"; do
    # shellcheck disable=SC2086
    set -- $case
    machine="--machine ${1/torus/manycore-2 --set mesh.torus=true}"
    machine=${machine/turns/manycore-2 --set mesh.arbitration=round_robin}
    machine=${machine/outputs/manycore-2-pipeline}
    [ "$1" = manycore-1 ] || machine="$machine --set mesh.queue=2" # which has no mesh
    command="$run --long $machine --cores $2"
    plain="$run $machine --cores $2 --format json"
    program="$elf/$3.elf ${*:4}"
    $command --hash --set mesh.block=4 --executor serial --no-skip --window 1 -- $program >"$work/reference"
    ok $? "$case: cycle by cycle"
    for options in "--executor serial" "--threads 1" "--threads 2" "--threads 3 --window 1" "--threads 2 --no-skip" \
        "--threads 4 --schedule dynamic" "--threads 2 --schedule static --window 7" \
        "--executor s-events --threads 1" "--executor s-events --threads 3"; do
        $command --hash --set mesh.block=4 $options -- $program | cmp -s - "$work/reference"
        ok $? "$case: the same bytes with $options"
    done
    for limit in 100000000 1500 1501; do # the later ones with packets on their way, and cores that wait
        $command --max-cycles $limit --set mesh.block=4 -- $program 2>&1 | grep -v '^Machine ' >"$work/whole"
        for options in "--set mesh.block=1" "--set mesh.block=3" "--set mesh.block=16" "--threads 1" "--threads 2" \
            "--threads 1 --no-skip"; do # reads of waiting cores one by one
            $command --max-cycles $limit $options -- $program 2>&1 | grep -v '^Machine ' | cmp -s - "$work/whole"
            ok $? "$case: the same bytes to cycle $limit with $options"
        done
    done
    $plain --threads 1 -- $program 2>/dev/null | total >"$work/total"
    for options in "--threads 2" "--set mesh.block=1"; do # what text leaves out, too: values of each tile
        $plain $options -- $program 2>/dev/null | total | cmp -s - "$work/total"
        ok $? "$case: the same values of each tile with $options"
    done
    $command --set mesh.block=4 -- $program | grep -vE '^(State hash|Machine) ' >"$work/statistics"
    for options in "core.run_ahead=1" "core.run_ahead=37"; do
        $command --set $options -- $program | grep -vE '^(State hash|Machine) ' | cmp -s - "$work/statistics"
        ok $? "$case: the same statistics with $options"
    done
done

# Bands of columns, which one thread joins when windows are too short for two (machine_test does so at any time).
# shellcheck disable=SC2086
for case in "atomic.elf 1024 3" "barrier.elf 2 2 512 3"; do
    large="$run --machine manycore-2 --cores 512 --core interpreter --format json"
    $large --threads 1 -- $elf/$case 2>/dev/null | total >"$work/total"
    $large --threads 2 -- $elf/$case 2>/dev/null | total | cmp -s - "$work/total"
    ok $? "512 cores, $case: the same values of each tile in bands"
done

# Of two faults in one cycle that of the lesser core counts, whose block may be the later one.
python3 "$folder/elf.py" "$work/two.elf" e3500004 13500008 07f000f0 e3a00102 e5901000 eafffffd
for options in "--set mesh.block=4" "--set mesh.block=1" "--threads 1"; do
    # shellcheck disable=SC2086
    expect 2 "two faults in one cycle, $options" "core 4, pc 0x00008008" $run --machine manycore-2 --cores 64 $options \
        -- "$work/two.elf"
done
tap_end
