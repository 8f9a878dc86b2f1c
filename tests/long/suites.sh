#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The tests that continuous integration has no time for. With gcc the suite long, and the suite matrix, of which make test has a
# part, in full; with AddressSanitizer also the suites that make test runs without it; with ThreadSanitizer the suite threads.
# Usage: suites.sh gcc|asan|tsan
set -eu
cd "$(dirname "$0")/../.."
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 TSAN_OPTIONS=halt_on_error=1
wrapper='' folder=build-$1 flags='-Dbuildtype=debug -Doptimization=g -Dwerror=false -Dmpi=disabled'
case $1 in
gcc) suites='long matrix' folder=build flags='' && export MANIPLE_MATRIX=full OMP_WAIT_POLICY=passive ;;
asan) suites="slow asan-long cuda kinds" flags="$flags -Db_sanitize=address,undefined -Dc_args=-fno-sanitize=null,object-size" ;;
tsan) suites=threads wrapper="setarch $(uname -m) -R" flags="$flags -Db_sanitize=thread" ;; # it cannot live with the widest randomisation of addresses
esac
# shellcheck disable=SC2086
[ -e "$folder/build.ninja" ] || CC=gcc meson setup "$folder" $flags
options=$(printf -- '--suite %s ' $suites)
# shellcheck disable=SC2046,SC2086
ninja -C "$folder" $(python3 tests/targets.py "$folder" $options)
# shellcheck disable=SC2086
$wrapper meson test -C "$folder" --no-rebuild $options --timeout-multiplier 5 --print-errorlogs && status=0 || status=$?
python3 - "$folder/meson-logs/testlog.json" <<'END'
import json, sys
for entry in map(json.loads, open(sys.argv[1], encoding="utf-8")):
    print("ok" if entry["result"] in ("OK", "SKIP") else "not ok", "-", entry["name"])
END
exit $status
