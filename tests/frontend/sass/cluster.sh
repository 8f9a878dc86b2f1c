#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Machine code of workloads with clusters: atomics on the shared memory of whichever block an address's rank names, and
# stores there whose bytes a barrier counts.
# Usage: cluster.sh MANIPLE CUBIN-OF-CLUSTERHIST SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../../tap.sh"
maniple=$(realpath "$1")
cubin=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "clusters" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
cp "$cubin" clusterhist.cubin
cp "${cubin%/*}/clustersum.sm_90.cubin" clustersum.cubin
export MANIPLE_APPS_CODE=$tap_folder
expect 0 "without time" ' 0 differ: right' $maniple app run clusterhist --functional --machine h100-pcie
expect 0 "with time" ' 0 differ: right' $maniple app run clusterhist --machine h100-pcie
expect 0 "stores without time" ' 0 differ: right' $maniple app run clustersum --functional --machine h100-pcie
expect 0 "stores with time" ' 0 differ: right' $maniple app run clustersum --machine h100-pcie
# One thread arrives in each of the four clusters; whoever asks whether the bytes are there changes nothing.
expect 0 "a question to a barrier is no atomic" 'accesses_shared_atomic  *4 ' $maniple app run clustersum --long --machine h100-pcie
tap_end
