#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# All programs of apps/manycore on a GPU that Maniple simulates by value give the host's bytes: 4, 16 and 64 tiles of both
# architectures, a torus, round robin, several blocks. Usage: manycore_cuda.sh MANIPLE
set -eu
maniple=$1
cd "$(dirname "$0")/../.."
status=0
compare() { # MACHINE CORES [OPTION…]
    python3 tests/manycore/cuda.py "$maniple" apps/manycore/elf "$1" "$2" "matmul,$2" "idct,$2" "dequantise,$2" \
        "ncc,$2,20" "fft,$((4 * $2))" "atomic,$((4 * $2)),10" "atomic,$((2 * $2)),10,1" ep,8 "barrier,0,2,$2,20" \
        "barrier,1,2,$2,20" "barrier,2,2,$2,20" dhrystone,2 fibonacci,6 "relaunch:atomic,$2,10" "relaunch:fft,$((4 * $2))" -- "${@:3}" || status=1
}
for machine in manycore-1 manycore-2; do
    compare "$machine" 4
    compare "$machine" 16
done
compare manycore-2 16 --set mesh.torus=true --set mesh.queue=1
compare manycore-2 64 --set mesh.block=3 --set mesh.arbitration=round_robin
compare manycore-1 64
exit $status
