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
[ "${MANIPLE_MATRIX:-}" = full ] || export MNP_TEST_EFFORT=${MNP_TEST_EFFORT:-20} # per cent of random cases
# Many tests sleep or wait for a process: twice as many of them as processors keep these busy.
processes=$((2 * $(nproc)))
logs=()
broken=0
notes=$(mktemp -d) # for each configuration: what went wrong in its build (.failure), and what its tests print (.out)

# ThreadSanitizer of these compilers cannot live with the widest randomisation of addresses.
without_randomisation() {
    if setarch "$(uname -m)" -R true 2>/dev/null; then
        setarch "$(uname -m)" -R "$@"
    else
        "$@"
    fi
}

# describe CONFIGURATION: sets what the functions below read. `options` are meson test's, `wrapper` runs it.
describe() {
    wrapper=
    case $1 in
    gcc) name=gcc folder=build compiler=gcc setup="" options="--no-suite long --timeout-multiplier 3" ;; # of a busy host
    o0)
        name="gcc without optimisation" folder=build-o0 compiler=gcc setup="-Dbuildtype=debug"
        options="--suite golden --timeout-multiplier 5"
        ;;
    clang)
        name=clang folder=build-clang compiler=clang setup="-Dmpi=disabled"
        options="--suite golden --suite engine --suite toy --suite parts --suite gpu --suite trace --suite results --suite ptx --suite cuda
            --no-suite slow --no-suite long"
        ;;
    asan)
        name="AddressSanitizer and UndefinedBehaviorSanitizer" folder=build-asan compiler=gcc
        setup="-Dbuildtype=debug -Doptimization=g -Db_sanitize=address,undefined -Dwerror=false -Dmpi=disabled
            -Dc_args=['-fno-sanitize=null,object-size','-g1']"
        # Gold links two hundred programs, each with all of AddressSanitizer's code, in three quarters of the time.
        command -v ld.gold >/dev/null && setup="$setup -Dc_link_args=-fuse-ld=gold"
        options="--no-suite slow --no-suite long --no-suite asan-long --no-suite cuda --no-suite kinds --no-suite style --no-suite golden
            --no-suite compiles --timeout-multiplier 5"
        ;;
    tsan)
        name=ThreadSanitizer folder=build-tsan compiler=gcc wrapper=without_randomisation
        setup="-Dbuildtype=debug -Doptimization=1 -Db_sanitize=thread -Dwerror=false -Dmpi=disabled -Dc_args=-g1"
        options="--suite engine --suite toy --no-suite slow --timeout-multiplier 10"
        ;;
    fuzz)
        name="fuzz targets" folder=build-fuzz compiler=clang options="--suite fuzz"
        setup="-Dfuzz=true -Dtests=disabled -Dbuildtype=debug -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false"
        ;;
    *)
        echo "unknown configuration $1" >&2
        exit 2
        ;;
    esac
}

# build CONFIGURATION: with what its tests need.
build() {
    local begun=$SECONDS targets="" failure=$notes/$1.failure
    describe "$1"
    # `make` alone needs fewer packages: a folder of its making does not know what has been installed since.
    [ "$1" != gcc ] || [ ! -e build/build.ninja ] || meson introspect build --dependencies | grep -q '"cmocka"' ||
        meson setup --reconfigure build >/dev/null
    # shellcheck disable=SC2086
    if [ ! -e "$folder/build.ninja" ] && ! CC=$compiler meson setup "$folder" $setup >"$folder.log" 2>&1; then
        tail -20 "$folder.log" >"$failure"
        return
    fi
    rm -f "$folder.log"
    # shellcheck disable=SC2086
    [ "$1" = gcc ] || targets=$(python3 tests/targets.py "$folder" $options)
    # shellcheck disable=SC2086
    ninja -C "$folder" $targets >"$folder/ninja.log" 2>&1 &
    wait $! || grep -vE '^\[[0-9]+/' "$folder/ninja.log" | tail -40 >"$failure"
    echo $((SECONDS - begun)) >"$folder/ninja.seconds"
}

# check CONFIGURATION: its tests, when it has been built.
check() {
    local begun=$SECONDS effort=${MNP_TEST_EFFORT:-100}
    describe "$1"
    [ "$1" != tsan ] || effort=$((effort / 4)) # toy identity takes four times as long as without it
    rm -f "$folder/meson-logs/testlog.json"
    # What a shell starts in the background hears no interrupts, which some tests send.
    # shellcheck disable=SC2086
    MNP_TEST_EFFORT=$effort $wrapper env --default-signal=INT,QUIT meson test -C "$folder" --no-rebuild --num-processes $processes --print-errorlogs $options &
    wait $!
    echo "=== $name: built in $(cat "$folder/ninja.seconds") s, tested in $((SECONDS - begun)) s"
}

# tell CONFIGURATION: whether it was built; if not, what went wrong.
tell() {
    describe "$1"
    echo "=== $name"
    [ -s "$notes/$1.failure" ] || return 0
    cat "$notes/$1.failure"
    echo "failed: the configuration $name does not build"
    return 1
}

# All others are built while the first one's tests run, many of which sleep or wait: they have what processors these leave
# over. Then their tests run side by side, as those of one alone keep no two processors busy.
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$notes"' EXIT
first=$1
shift
build "$first"
if [ $# -gt 0 ]; then
    (trap 'kill $!' TERM && renice -n 19 $BASHPID >/dev/null && for each; do build "$each"; done) &
    builder=$!
fi
if tell "$first"; then
    check "$first"
    logs+=("$folder/meson-logs/testlog.json")
else
    broken=$((broken + 1))
fi
[ $# -eq 0 ] || wait "$builder"
for each; do
    [ -s "$notes/$each.failure" ] || (trap 'kill $!' TERM && check "$each" >"$notes/$each.out" 2>&1) &
done
wait
for each; do
    if tell "$each"; then
        cat "$notes/$each.out"
        logs+=("$folder/meson-logs/testlog.json")
    else
        broken=$((broken + 1))
    fi
done
python3 tests/summary.py "$broken" "${logs[@]}"
