#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The system with QEMU, and the guest library for aarch64. Usage: system.sh BUILD-FOLDER
cd "$(dirname "$0")/../.." || exit 1
.ci/packages system >/dev/null || exit 1
if command -v aarch64-linux-gnu-gcc >/dev/null; then
    apps/system/build.sh --aarch64 && echo "ok - the guest library compiles for aarch64"
fi
exec tests/long/system.py "$1"
