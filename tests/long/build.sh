#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds what the other pieces run.
set -eu
[ -e build/build.ninja ] || meson setup build
ninja -C build
[ -e build-fuzz/build.ninja ] || CC=clang meson setup build-fuzz -Dfuzz=true -Dtests=disabled -Dbuildtype=debug -Doptimization=1 \
    -Db_sanitize=address,undefined -Db_lundef=false
ninja -C build-fuzz
