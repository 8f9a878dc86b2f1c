#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What continuous integration has no time for: the pieces of pieces.txt, at most 90 minutes on two processors, which two pieces
# of one processor share. A piece that has passed leaves a stamp in build-long/, named after a hash of the sources, and is not run again
# for the same ones; so an interrupted run goes on where it was. Usage: tests/long/run.sh [again] [PIECE…]
# The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
export CMOCKA_MESSAGE_OUTPUT=TAP
export MANIPLE_TRACES=${MANIPLE_TRACES:-$PWD/../shared/traces}
folder=build-long
mkdir -p $folder
[ "${1:-}" = again ] && rm -f $folder/*.passed && shift
chosen=" $* "

# What the results can depend on: everything that git does not ignore, but for pages.
tree=$(git ls-files -co --exclude-standard -- src include machines apps tests bench meson.build meson_options.txt |
    LC_ALL=C sort | while read -r file; do [ -f "$file" ] && sha256sum "$file"; done | sha256sum | cut -c1-16)
passed=0
failed=0

# The cases of a piece: its lines in the Test Anything Protocol, or itself.
count() { # LOG STATUS
    local good bad
    good=$(grep -cE '^ *ok\b' "$1")
    bad=$(grep -cE '^ *not ok\b' "$1")
    [ "$2" -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
    [ "$2" -eq 0 ] && [ "$good" -eq 0 ] && [ "$bad" -eq 0 ] && good=1
    echo "$good $bad"
}

# Processor seconds of what a shell has waited for.
spent() { # PROCESS
    awk '{ printf "%d", ($16 + $17) / '"$(getconf CLK_TCK)"' }' "/proc/$1/stat"
}

# Runs a piece, says how it went, and leaves the numbers of cases in build-long/NAME.cases.
piece() { # NAME MINUTES COMMAND…
    local name=$1 minutes=$2 log=$folder/$1.log good bad status began=$SECONDS shell=$BASHPID
    shift 2
    timeout --kill-after=30 "${minutes}m" "$@" >"$log" 2>&1 </dev/null
    status=$?
    read -r good bad < <(count "$log" $status)
    echo "$good $bad" >"$folder/$name.cases"
    echo "$name: $good passed, $bad failed, $((SECONDS - began)) s, $(spent "$shell") of processors"
    if [ "$bad" -gt 0 ]; then
        [ $status -eq 124 ] && echo "  it took longer than $minutes minutes"
        echo "  see $log"
        grep -E '^ *not ok\b' "$log" | head -10 | sed 's/^/  /'
    else
        rm -f $folder/"$name"-*.passed
        echo "$good" >"$folder/$name-$tree.passed"
    fi
}

running() {
    jobs -rp | wc -l
}

names=()
while read -r name processors minutes command; do
    [[ -z $name || $name == \#* ]] && continue
    [[ $chosen != "  " && $chosen != *" $name "* ]] && continue
    if [ -e "$folder/$name-$tree.passed" ]; then
        read -r good <"$folder/$name-$tree.passed"
        passed=$((passed + good))
        echo "$name: $good passed before"
        continue
    fi
    names+=("$name")
    while [ $(($(running) + processors)) -gt 2 ]; do wait -n; done
    # shellcheck disable=SC2086
    piece "$name" "$minutes" $command &
    [ "$processors" -eq 1 ] || wait
done <tests/long/pieces.txt
wait
for name in "${names[@]}"; do
    read -r good bad <"$folder/$name.cases"
    passed=$((passed + good))
    failed=$((failed + bad))
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
