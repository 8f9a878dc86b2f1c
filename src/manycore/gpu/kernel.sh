#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes kernel.ptx of kernel.cu and the steps that it includes, with nvcc. The PTX is kept in the project, so that nobody
# needs a compiler for GPUs to build Maniple; it says that it is of the oldest version that has what it uses, so that
# older drivers take it.
# Usage: kernel.sh [--check]     --check builds it elsewhere and says whether it differs from what is kept
set -eu
cd "$(dirname "$0")"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$nvcc" -ptx -arch=compute_75 -std=c++20 -diag-suppress 550 -I ../.. -o "$folder/new.ptx" kernel.cu
# Hints of which bytes are used came with PTX 8.3, and would make it too new for its version. Names of functions that only
# this file has begin with a number that nvcc draws from the path.
sed -e '/^[[:space:]]*\/\//d' -e '/^$/d' -e '/used_bytes_mask/d' -e 's/^\.version .*/.version 7.0/' -e 's/_ZN[0-9]*_INTERNAL_[0-9a-f]*_[0-9]*_kernel_cu_[0-9a-f]*/_ZN6kernel/g' \
    "$folder/new.ptx" >"$folder/kernel.ptx"
if [ "${1:-}" = --check ]; then
    cmp "$folder/kernel.ptx" kernel.ptx
else
    cp "$folder/kernel.ptx" kernel.ptx
fi
