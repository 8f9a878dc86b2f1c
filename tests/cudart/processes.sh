#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# CUDA programs on two processes, in seconds: the second one does what the first one's program has done to the device, so
# that kernels of modules of the driver's and of the runtime's are found there. tests/cli/mpi.sh has more shapes.
# Usage: processes.sh MANIPLE RUNTIME-PROGRAM SANITIZERS
source "$(dirname "$0")/../tap.sh"
build=$(dirname "$(realpath "$1")")
runtime=$(realpath "$2")
launcher='' kind=''
for each in openmpi mpich; do
    found=$(command -v "mpirun.$each" || command -v "mpiexec.$each")
    [ -z "$launcher" ] && [ -n "$found" ] && [ -e "$build/maniple-$each.so" ] && launcher=$found kind=$each
done
[ "$kind" = openmpi ] && launcher="$launcher --allow-run-as-root --oversubscribe"
if [ -z "$launcher" ] || [ "$3" != none ] || [ ! -e "$build/libcuda.so.1" ]; then
    skip "CUDA programs on two processes" "no MPI, no runtime, or sanitizers"
    tap_end
    exit
fi

# two NAME PROGRAM…: what one process prints, two print.
two() {
    local name=$1
    shift
    "$build/maniple" run -q --machine rtx3080ti -- "$@" >"$tap_folder/one" 2>"$tap_folder/error"
    # shellcheck disable=SC2086,SC2181
    [ $? -eq 0 ] && timeout 100 $launcher -n 2 "$build/maniple" run -q --threads 1 --machine rtx3080ti -- "$@" \
        >"$tap_folder/two" 2>>"$tap_folder/error" </dev/null
    [ $? -eq 0 ] && [ -s "$tap_folder/one" ] && cmp <(sort "$tap_folder/one") <(sort "$tap_folder/two")
    ok $? "$name"
}
two "a kernel of a module that the driver has loaded" "$build/maniple-apps" run lastblock --size 4096
cp "$runtime" "$tap_folder/runtime"
chmod +x "$tap_folder/runtime"
two "a kernel of the program's own module" "$tap_folder/runtime" symbols
tap_end
