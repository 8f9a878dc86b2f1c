#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The random cases of the toy machine, all of them. Usage: toys.sh BUILD
set -u
status=0
for program in "$1"/tests/engine/toy/toy_*_test; do
    "$program" || status=1
done
exit $status
