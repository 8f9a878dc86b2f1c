#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# With AddressSanitizer the suites slow and asan-long, which make test runs without it; with ThreadSanitizer the suite threads.
# Usage: sanitized.sh asan|tsan
set -eu
cd "$(dirname "$0")/../.."
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 TSAN_OPTIONS=halt_on_error=1
case $1 in
asan) sanitize=address,undefined wrapper= suites="slow asan-long" flags=-Dc_args=-fno-sanitize=null,object-size ;;
tsan) sanitize=thread wrapper="setarch $(uname -m) -R" suites=threads flags= ;; # it cannot live with the widest randomisation of addresses
esac
folder=build-$1
[ -e "$folder/build.ninja" ] ||
    # shellcheck disable=SC2086
    CC=gcc meson setup "$folder" -Dbuildtype=debug -Doptimization=g -Db_sanitize=$sanitize -Dwerror=false -Dmpi=disabled $flags
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
