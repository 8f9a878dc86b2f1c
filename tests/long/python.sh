#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The wheel of the Python package, built and installed in environments of their own: it holds all that it needs, tests pass with
# pandas and matplotlib, annotations are complete, and it works on a bare Debian 12 and 13 (with root, debootstrap and a mirror).
# DuckDB and pandas read what `maniple merge` and a run write. Usage: python.sh BUILD
set -eu
build=$(realpath "$1")
root=$PWD
rm -rf build-long/wheel
python/wheel.sh "$build" build-long/wheel
wheel=$(realpath build-long/wheel/*manylinux*.whl)

# A clean environment without any of the system's packages, and nothing of this shell's: every Python that is at hand.
for python in /usr/bin/python3.[0-9] /usr/bin/python3.[0-9][0-9] "$HOME"/.pyenv/versions/3.*/bin/python; do
    [ -x "$python" ] || continue
    version=$("$python" -c 'import sys; print("3.%d" % sys.version_info[1] if sys.version_info >= (3, 9) else "old")')
    if [ "$version" = old ] || ! "$python" -c "import ensurepip" 2>/dev/null; then continue; fi
    clean=build-long/clean-$version
    rm -rf "$clean"
    "$python" -m venv "$clean"
    "$clean/bin/pip" install -q --no-index "$wheel"
    (cd / && env -i PATH=/usr/bin:/bin "$root/tests/long/wheel_check.sh" "$root/$clean/bin")
    env -i PATH=/usr/bin:/bin MPLCONFIGDIR=/tmp "$clean/bin/python" tests/cli/python.py "$clean"/lib/python*/site-packages/maniple/bin/maniple{,-tracegen}
done

# Annotations, of the package and of a program that uses it.
types=build-long/types
[ -x $types/bin/mypy ] || { /usr/bin/python3 -m venv $types && $types/bin/pip install -q mypy numpy; }
$types/bin/pip install -q --force-reinstall --no-deps "$wheel"
$types/bin/mypy --strict --python-version 3.10 python/maniple
cat >build-long/typed.py <<'EOF'
import maniple

run = maniple.run("product/kernelslist.g", machine="rtx3070", set={"sm.count": 8})
seconds: float = run.kernel_seconds
names: list[str] = [str(row["name"]) for row in run.rows("SELECT name FROM kernel")]
gains: list[dict[str, str]] = maniple.sweep(machines=["rtx3070"], apps=["vecadd"]).by_input()
EOF
(cd build-long && "$root/$types/bin/mypy" --strict --python-version 3.10 typed.py)

# Systems with nothing but Python: Debian 12, and 13, whose C library is newer.
tests/long/wheel_bare.sh "$wheel" bookworm trixie

venv=build-long/python
[ -x $venv/bin/python ] || /usr/bin/python3 -m venv --system-site-packages $venv
$venv/bin/pip install -q --force-reinstall --no-deps "$wheel"
$venv/bin/python -c 'import pandas, matplotlib' 2>/dev/null || $venv/bin/pip install -q pandas matplotlib
$venv/bin/python tests/cli/python.py "$build/maniple" "$build/maniple-tracegen"
$venv/bin/pip install -q duckdb==1.5.5 duckdb-extensions duckdb-extension-sqlite-scanner==1.5.5
$venv/bin/python tests/cli/database.py "$build/maniple" "$build/maniple-tracegen"
