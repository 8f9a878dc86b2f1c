# SPDX-License-Identifier: BSD-3-Clause
# Tests of programs from outside, in the Test Anything Protocol. Source it, call the checks, end with tap_end.
# shellcheck shell=bash
set -u
tap_count=0
tap_failed=0
tap_folder=$(mktemp -d)
export XDG_CACHE_HOME=$tap_folder/xdg-cache XDG_STATE_HOME=$tap_folder/xdg-state # nothing is left in the home of who runs the tests
trap 'rm -rf "$tap_folder"' EXIT

# ok CONDITION-STATUS NAME
ok() {
    tap_count=$((tap_count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_count - $2"
    else
        echo "not ok $tap_count - $2"
        tap_failed=$((tap_failed + 1))
    fi
}

skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

# in_turn N: true for one case in N of a matrix, and for all of them with MANIPLE_MATRIX=full, as in make test-long. An N that
# does not divide a matrix's width meets every one of its columns in some row.
tap_turn=0
in_turn() {
    tap_turn=$((tap_turn + 1))
    [ "${MANIPLE_MATRIX:-}" = full ] || [ $((tap_turn % $1)) -eq 0 ]
}

note() {
    sed 's/^/# /'
}

# processes_of PATTERN: the numbers of the processes whose command line matches an extended regular expression, in order.
# (pgrep is not on every machine.)
processes_of() {
    local folder
    for folder in $(printf '%s\n' /proc/[0-9]* | sort -t/ -k3 -n); do
        { tr '\0' ' ' <"$folder/cmdline"; } 2>/dev/null | grep -qE -- "$1" && echo "${folder#/proc/}"
    done
}

# expect STATUS NAME PATTERN COMMAND…: the command ends with that status, and what it prints (standard output and error)
# holds the pattern, a basic regular expression; "" is none. What it printed stays in $tap_folder/out.
expect() {
    local status=$1 name=$2 pattern=$3
    shift 3
    "$@" >"$tap_folder/out" 2>&1 </dev/null
    local got=$? problem=0
    [ "$got" -eq "$status" ] || problem=1
    [ -z "$pattern" ] || grep -q -- "$pattern" "$tap_folder/out" || problem=1
    ok $problem "$name"
    if [ $problem -ne 0 ]; then
        {
            echo "command: $*"
            echo "status $got, expected $status; expected to see: $pattern"
            head -20 "$tap_folder/out"
        } | note
    fi
}

# sanitize MANIPLE OPTION WHAT: prints the command that runs MANIPLE with CUDA programs in a configuration with these
# sanitizers (b_sanitize; "none"). Of gcc's, AddressSanitizer can be in the program too, and must come first there;
# others fail, and WHAT is to be skipped.
sanitize() {
    local libraries
    libraries=$(ldd "$1" | awk '/libasan|libubsan/ { print $3 }' | paste -sd:)
    case $2:$libraries in
    none:*) echo "$1" ;;
    *address*:*libasan*) # what the program itself does not free is no leak of ours
        echo "env LD_PRELOAD=$libraries ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 $1"
        ;;
    *) return 1 ;;
    esac
}

tap_end() {
    echo "1..$tap_count"
    [ $tap_failed -eq 0 ]
    exit
}
