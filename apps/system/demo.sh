#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs for Linux on ARM that offload work to simulated coprocessors and check it. Usage: demo.sh BUILD-FOLDER
set -eu
cd "$(dirname "$0")/../.."
build=$1
apps/system/build.sh "$build"
maniple=$build/maniple
elf=apps/manycore/elf
echo "== A matrix product, 256 rows, on 64 cores of manycore-2"
"$maniple" system --machine manycore-2 --cores 64 --with $elf/product.elf -- "$build/guest/matmul" 0 256
echo
echo "== A background subtraction, 128 rows, on 64 cores of manycore-2"
"$maniple" system --machine manycore-2 --cores 64 --with $elf/subtraction.elf -- "$build/guest/ncc" 0 128
echo
echo "== A kernel of PTX on a GeForce GTX 480"
data/ptx/build.py --show vecadd >"$build/guest/vecadd.ptx"
"$maniple" system --machine gtx480 --with "$build/guest/vecadd.ptx" -- "$build/guest/vecadd" 4096
