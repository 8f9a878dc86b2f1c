#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# All programs of apps/manycore on a GPU that Maniple simulates by value give the host's bytes: 4, 16 and 64 tiles of both
# architectures, a torus, round robin, several blocks. Usage: manycore_cuda.sh MANIPLE
set -eu
maniple=$1
cd "$(dirname "$0")/../.."
status=0
compare() { # MACHINE CORES "PROGRAM…" [OPTION…]
    # shellcheck disable=SC2086
    python3 tests/manycore/cuda.py "$maniple" apps/manycore/elf "$1" "$2" $3 -- "${@:4}" || status=1
}
programs() { # CORES
    echo "matmul,$1 idct,$1 dequantise,$1 ncc,$1,20 cut,$1 fft,$((4 * $1)) atomic,$((4 * $1)),10 atomic,$((2 * $1)),10,1 ep,8" \
        "barrier,1,2,$1,20 barrier,2,2,$1,20 dhrystone,2 fibonacci,6 relaunch:atomic,$1,10 relaunch:fft,$((4 * $1))" \
        "translated:matmul,$1 translated:idct,$1 translated:dequantise,$1 translated:ncc,$1,20 translated:cut,$1 translated:fft,$((4 * $1))" \
        "translated:atomic,$((4 * $1)),10 translated:ep,8 translated:barrier,2,2,$1,20 translated:dhrystone,2"
}
for machine in manycore-1 manycore-2; do
    compare "$machine" 4 "$(programs 4) barrier,0,2,4,20"
    compare "$machine" 16 "$(programs 16) barrier,0,2,16,20"
done
compare manycore-2 16 "$(programs 16) barrier,0,2,16,20" --set mesh.torus=true --set mesh.queue=1
# Cores that all ask one tile take 361,000 cycles for a barrier of 64, and the simulated GPU several minutes.
compare manycore-2 32 "barrier,0,2,32,20" --set mesh.block=3 --set mesh.arbitration=round_robin
compare manycore-2 64 "$(programs 64)" --set mesh.block=3 --set mesh.arbitration=round_robin
compare manycore-1 64 "$(programs 64) barrier,0,2,64,20"
exit $status
