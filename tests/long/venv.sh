# SPDX-License-Identifier: BSD-3-Clause
# For tests of apps/python: packages from PyPI in an environment of their own, and programs that say of themselves that they
# are right. Sourced with $maniple set.
failed=0
before=() # what starts maniple, in front of it
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

packages() { # NAME REQUIREMENTS: $python has them; the test ends without a failure where they cannot be fetched
    python=build-long/$1/bin/python
    [ -x "$python" ] || python3 -m venv "build-long/$1" || exit 1
    if ! "build-long/$1/bin/pip" install -q -r "apps/python/$2"; then
        echo "skipped: the packages of apps/python/$2 cannot be fetched"
        exit 0
    fi
}

right() { # PROGRAM [ARGUMENT…] -- OPTION…: the program says so, and nothing is refused
    local program=()
    while [ "$1" != -- ]; do
        program+=("$1")
        shift
    done
    shift
    if "${before[@]}" "$maniple" run -q "$@" -- "$python" "apps/python/${program[0]}.py" "${program[@]:1}" >"$work/out" 2>&1 &&
        grep -qE '^(loss [0-9.]+: )?right$' "$work/out"; then
        echo "right: ${program[*]} $*"
    else
        echo "wrong: ${program[*]} $*"
        head -20 "$work/out"
        failed=1
    fi
}

compared() { # PROGRAM… -- OPTION…: with one thread and with two, in $work/out
    right "$@" --threads 1 -o "$work/one"
    right "$@" --threads 2 -o "$work/two"
    "$maniple" compare "$work/one" "$work/two" >"$work/out" 2>&1
}

verdict() { # STATUS PROGRAM…
    if [ "$1" -eq 0 ]; then
        echo "the same on 1 and 2 threads: ${*:2}"
    else
        echo "not the same on 1 and 2 threads: ${*:2}"
        cat "$work/out"
        failed=1
    fi
}

same() { # PROGRAM… -- OPTION…: all but the description of the runs is equal
    compared "$@"
    verdict $? "$@"
}

alike() { # PROGRAM… -- OPTION…: all statistics are, of each kernel too; what lies in memory need not be
    compared "$@"
    grep -q '^0 of [0-9]* statistics differ' "$work/out"
    verdict $? "$@"
}
