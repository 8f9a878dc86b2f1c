#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The contract of many-core machines: all bytes are the same for executors, threads, schedules and windows with the same
# cut into blocks, and all statistics with any cut. Usage: contract.sh MANIPLE [long]; long: more programs, larger meshes
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
elf=$folder/../../apps/manycore/elf
work=$tap_folder
run="$maniple run -q"
cases=("manycore-1 24 barrier 0 2 48" "manycore-2 48 barrier 2 3 96" "torus 48 atomic 48 5 1")
[ "${2:-}" != long ] || cases=("manycore-1 48 barrier 0 2 96" "manycore-2 48 barrier 0 2 96" "manycore-2 48 barrier 2 3 96"
    "manycore-2 48 atomic 96 20" "manycore-2 96 fft 128" "torus 48 fft 128" "torus 48 atomic 96 5 1" "manycore-1 96 fft 128"
    "turns 48 atomic 96 5 1")

for case in "${cases[@]}"; do
    # shellcheck disable=SC2086
    set -- $case
    machine="--machine ${1/torus/manycore-2 --set mesh.torus=true}"
    machine=${machine/turns/manycore-2 --set mesh.arbitration=round_robin}
    command="$run $machine --cores $2 --set mesh.queue=2"
    program="$elf/$3.elf ${*:4}"
    $command --hash --set mesh.block=4 --executor serial --no-skip --window 1 -- $program >"$work/reference"
    ok $? "$case: cycle by cycle"
    for options in "--executor serial" "--threads 1" "--threads 2" "--threads 3 --window 1" "--threads 2 --no-skip" \
        "--threads 4 --schedule dynamic" "--threads 2 --schedule static --window 7"; do
        $command --hash --set mesh.block=4 $options -- $program | cmp -s - "$work/reference"
        ok $? "$case: the same bytes with $options"
    done
    $command --set mesh.block=4 -- $program | grep -vE '^(State hash|Machine) ' >"$work/statistics"
    for options in "mesh.block=1" "mesh.block=3" "mesh.block=16" "core.run_ahead=1" "core.run_ahead=37"; do
        $command --set $options -- $program | grep -vE '^(State hash|Machine) ' | cmp -s - "$work/statistics"
        ok $? "$case: the same statistics with $options"
    done
done
tap_end
