#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Machine code of a workload with clusters: atomics on the shared memory of whichever block an address's rank names.
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
export MANIPLE_APPS_CODE=$tap_folder
expect 0 "without time" ' 0 differ: right' $maniple app run clusterhist --functional --machine h100-pcie
expect 0 "with time" ' 0 differ: right' $maniple app run clusterhist --machine h100-pcie
tap_end
