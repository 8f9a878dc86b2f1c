#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The trace of `maniple timeline` by the descriptions of the Python package perfetto, which is fetched for it.
# Usage: timeline.sh MANIPLE TRACEGEN
set -eu
venv=build-long/perfetto
[ -x $venv/bin/python ] || python3 -m venv $venv
$venv/bin/pip install -q perfetto
$venv/bin/python tests/cli/timeline.py "$1" "$2"
