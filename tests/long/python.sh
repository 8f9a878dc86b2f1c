#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The wheel of the Python package, built and installed in an environment of its own, with pandas and matplotlib: Debian's where
# they are installed, otherwise they are fetched. DuckDB and pandas read what `maniple merge` and a run write. Usage: python.sh BUILD
set -eu
build=$(realpath "$1")
venv=build-long/python
[ -x $venv/bin/python ] || /usr/bin/python3 -m venv --system-site-packages $venv
$venv/bin/pip install -q hatchling build
rm -rf build-long/wheel
MANIPLE_BUILD=$build $venv/bin/python -m build -q --wheel --no-isolation --outdir build-long/wheel python
$venv/bin/pip install -q --force-reinstall --no-deps build-long/wheel/*.whl
$venv/bin/python -c 'import pandas, matplotlib' 2>/dev/null || $venv/bin/pip install -q pandas matplotlib
ls -l build-long/wheel/*.whl
(root=$PWD; cd / && "$root/$venv/bin/maniple" --version)
$venv/bin/python tests/cli/python.py "$build/maniple" "$build/maniple-tracegen"
$venv/bin/pip install -q duckdb==1.5.5 duckdb-extensions duckdb-extension-sqlite-scanner==1.5.5
$venv/bin/python tests/cli/database.py "$build/maniple" "$build/maniple-tracegen"
