#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds and tests one configuration after another, then counts the cases of all. Usage: tests/run.sh CONFIGURATION…
#   gcc    optimised, all tests but the suite long, which make test-long runs
#   clang  optimised, the tests of the engine and the models, and those whose answers are written down
#   o0     not optimised, the tests whose answers are written down
#   asan   AddressSanitizer and UndefinedBehaviorSanitizer: engine, models, parsers and executors. Make test-long has the
#          stand-ins for CUDA's libraries and the slow tests with them, the suite asan-long among them. Style, written-down
#          answers and what is compiled when it runs need none. ASan finds null pointers, so UBSan need not look for
#          them as well, which halves the time of compilation (as does -Og; -g1 takes a seventh).
#   tsan   ThreadSanitizer, the tests of the engine and the toy machine; make test-long has the others that run threads
#   fuzz   every fuzz target for a short while with libFuzzer; asan replays their seeds, changed
# A configuration other than gcc builds what its tests need. In sanitizer builds gcc warns of what cannot happen, so there warnings are no errors.
set -u
# Under nohup nobody hears SIGHUP, the programs of the tests neither.
[ -n "${MANIPLE_SIGNALS:-}" ] || MANIPLE_SIGNALS=default exec env --default-signal=HUP bash "$0" "$@"
cd "$(dirname "$0")/.." || exit 1
export CMOCKA_MESSAGE_OUTPUT=TAP
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=halt_on_error=1
export OMP_WAIT_POLICY=passive # threads that wait actively for one another take the processors of tests beside them
[ "${MANIPLE_MATRIX:-}" = full ] || export MNP_TEST_EFFORT=${MNP_TEST_EFFORT:-25} # per cent of random cases
# Many tests sleep or wait for a process: twice as many of them as processors keep these busy.
processes=$((2 * $(nproc)))
logs=()
broken=0

# ThreadSanitizer of these compilers cannot live with the widest randomisation of addresses.
without_randomisation() {
    if setarch "$(uname -m)" -R true 2>/dev/null; then
        setarch "$(uname -m)" -R "$@"
    else
        "$@"
    fi
}

# leg NAME FOLDER COMPILER "SETUP OPTIONS" "TEST OPTIONS" [WRAPPER]
leg() {
    local name=$1 folder=$2 compiler=$3 setup=$4 options=$5 wrapper=${6:-} begun=$SECONDS built
    echo "=== $name"
    # shellcheck disable=SC2086
    if [ ! -e "$folder/build.ninja" ] && ! CC=$compiler meson setup "$folder" $setup >"$folder.log" 2>&1; then
        tail -20 "$folder.log"
        broken=$((broken + 1))
        return
    fi
    rm -f "$folder.log"
    local targets=
    # shellcheck disable=SC2086
    [ "$name" = gcc ] || targets=$(python3 tests/targets.py "$folder" $options)
    # shellcheck disable=SC2086
    if ! ninja -C "$folder" $targets >"$folder/ninja.log" 2>&1; then
        grep -vE '^\[[0-9]+/' "$folder/ninja.log" | tail -40
        echo "failed: the configuration $name does not build"
        broken=$((broken + 1))
        return
    fi
    rm -f "$folder/meson-logs/testlog.json"
    built=$SECONDS
    # shellcheck disable=SC2086
    $wrapper meson test -C "$folder" --no-rebuild --num-processes $processes --print-errorlogs $options || true
    echo "=== $name: built in $((built - begun)) s, tested in $((SECONDS - built)) s"
    logs+=("$folder/meson-logs/testlog.json")
}

for configuration in "$@"; do
    case $configuration in
    gcc)
        # `make` alone needs fewer packages: a folder of its making does not know what has been installed since.
        [ ! -e build/build.ninja ] || meson introspect build --dependencies | grep -q '"cmocka"' ||
            meson setup --reconfigure build >/dev/null
        leg "gcc" build gcc "" "--no-suite long --timeout-multiplier 3" # of a busy host
        ;;
    o0) leg "gcc without optimisation" build-o0 gcc "-Dbuildtype=debug" "--suite golden --timeout-multiplier 5" ;;
    clang)
        leg "clang" build-clang clang "-Dmpi=disabled" "--suite golden --suite engine --suite toy --suite parts --suite gpu --suite trace \
            --suite results --suite ptx --suite cuda --no-suite slow --no-suite long"
        ;;
    asan)
        leg "AddressSanitizer and UndefinedBehaviorSanitizer" build-asan gcc \
            "-Dbuildtype=debug -Doptimization=g -Db_sanitize=address,undefined -Dwerror=false -Dmpi=disabled
                -Dc_args=['-fno-sanitize=null,object-size','-g1']" \
            "--no-suite slow --no-suite long --no-suite asan-long --no-suite cuda --no-suite kinds --no-suite style --no-suite golden
                --no-suite compiles --timeout-multiplier 5"
        ;;
    tsan) # toy identity takes four times as long as without it
        MNP_TEST_EFFORT=$((${MNP_TEST_EFFORT:-100} / 4)) leg "ThreadSanitizer" build-tsan gcc \
            "-Dbuildtype=debug -Doptimization=1 -Db_sanitize=thread -Dwerror=false -Dmpi=disabled -Dc_args=-g1" \
            "--suite engine --suite toy --no-suite slow --timeout-multiplier 10" without_randomisation
        ;;
    fuzz)
        leg "fuzz targets" build-fuzz clang \
            "-Dfuzz=true -Dtests=disabled -Dbuildtype=debug -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false" \
            "--suite fuzz"
        ;;
    *)
        echo "unknown configuration $configuration" >&2
        exit 2
        ;;
    esac
done
python3 tests/summary.py "$broken" "${logs[@]}"
