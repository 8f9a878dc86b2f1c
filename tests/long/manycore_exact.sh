#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The contract of many-core machines with more programs, all programs translated, and the largest meshes.
# Usage: manycore_exact.sh BUILD-FOLDER
set -u
cd "$(dirname "$0")/../.."
status=0
tests/manycore/contract.sh "$1/maniple" long || status=1
tests/manycore/translation.sh "$1/maniple" "$1/tests/manycore/translated_run" long || status=1
for machine in "manycore-1" "manycore-2" "manycore-2 --set mesh.torus=true"; do
    # shellcheck disable=SC2086
    if "$1/maniple" run -q --core interpreter --machine $machine --cores 65536 -- apps/manycore/elf/fibonacci.elf 1 |
        grep -q ": right on 65536 cores"; then
        echo "ok - 65536 tiles of $machine"
    else
        echo "not ok - 65536 tiles of $machine"
        status=1
    fi
done
exit $status
