#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The worked example of a kind of machine (docs/examples/ring), in a command that was built with it: every core is
# passed the token after the link's latency, so the answer is known; and all that a session does for every kind works
# for it.
# Usage: ring.sh MANIPLE-WITH-RING MANIPLE RING.CFG
source "$(dirname "$0")/../tap.sh"
ring=$1
maniple=$2
machine=$3
work=$tap_folder

# value NAME FILE: of a statistic of the total
value() { python3 -c "import json, sys; print(json.load(open('$2'))['total']['statistics']['$1']['value'])"; }

# same FILE FILE: results but for how the run was made
same() {
    python3 -c "import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
sys.exit(dict(a, run=0) != dict(b, run=0))" "$1" "$2"
}

for shape in "8 1000 5" "2 1 1" "3 7 1" "64 20 13"; do
    read -r cores rounds latency <<<"$shape"
    "$ring" run -q --machine "$machine" --cores "$cores" --set ring.rounds="$rounds" --set ring.latency="$latency" \
        --threads 1 --format json >"$work/one.json"
    [ "$(value ring_cycles "$work/one.json")" = $((cores * rounds * latency)) ] &&
        [ "$(value ring_hops "$work/one.json")" = $((cores * rounds)) ]
    ok $? "$cores cores, $rounds rounds, latency $latency: $((cores * rounds * latency)) cycles"
    wrong=""
    for way in "--threads 2" "--threads 4" "--executor serial" "--executor lockstep --threads 2" "--no-skip" \
        "--executor pool --threads 2" "--schedule dynamic --threads 4" "--window 1"; do
        # shellcheck disable=SC2086
        "$ring" run -q --machine "$machine" --cores "$cores" --set ring.rounds="$rounds" \
            --set ring.latency="$latency" $way --format json >"$work/other.json"
        same "$work/one.json" "$work/other.json" || wrong="$wrong $way;"
    done
    ok "$([ -z "$wrong" ]; echo $?)" "the same however it is run${wrong:+, but for$wrong}"
done

expect 0 "its file is understood" 'ring.latency\|latency = 5' "$ring" machine show "$machine"
expect 0 "its model is described" 'ring_cycles_per_hop' "$ring" models ring_core
expect 0 "text, with the total" 'ring_cycles  *40,000 cycle' "$ring" run -q --machine "$machine"
expect 3 "a limit" 'stopped at --max-cycles' "$ring" run --machine "$machine" --max-cycles 777
expect 2 "a window that is too long" 'the link from core 0 to core 1 has a latency of 5 core cycles' \
    "$ring" run --machine "$machine" --window 6
expect 2 "a key that it has not" 'did you mean ring.rounds' "$ring" run --machine "$machine" --set ring.round=2
expect 2 "a value that is impossible" 'ring.latency' "$ring" run --machine "$machine" --set ring.latency=0
expect 2 "a program on it" 'takes no program for its own cores .* of kind "manycore"' \
    "$ring" run --machine "$machine" -- "$(dirname "$0")/../../apps/manycore/elf/fibonacci.elf"
expect 2 "a command that was built without it" 'machine.kind is "ring"; this version builds "gpu" or "manycore"' \
    "$maniple" run --machine "$machine"
expect 0 "a folder of results" '' \
    "$ring" run -q --machine "$machine" -o "$work/results" --sample 10000 --hash --costs --threads 1
[ "$(sed -n 2p "$work/results/samples.csv")" = 10000,2000 ] &&
    [ "$(sed -n 5p "$work/results/samples.csv")" = 40000,2000 ]
ok $? "samples: 2,000 hops in every 10,000 cycles"
[ -s "$work/results/epochs.csv" ] && [ -s "$work/results/costs.bin" ] && [ -s "$work/results/machine.resolved" ]
ok $? "epochs, costs and the resolved machine"
tap_end
