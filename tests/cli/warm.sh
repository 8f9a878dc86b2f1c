#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Host copies that warm the L2, and flushes before kernels: counts known from the sizes of the copies. Usage: warm.sh MANIPLE TRACEGEN
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
work=$tap_folder
"$tracegen" vectoradd "$work/trace" n=16384 >/dev/null # reads two arrays of 64 KiB, 2,048 sectors each
list=$work/trace/kernelslist.g
kernel=kernel-1.traceg

# A statistic of the whole run of a list, with further options.
total() {
    local name=$1 input=$2
    shift 2
    "$maniple" run -q --machine rtx3070 "$@" --format json "$input" 2>>"$tap_folder/said" |
        python3 -c "import json, sys; print(json.load(sys.stdin)['total']['statistics']['$name']['value'])"
}
# Compares what the two words say.
same() {
    [ "$1" = "$2" ]
    ok $? "$3 ($1, expected $2)"
}
warm="--set memcpy_warms_l2=true"

same "$(total total_dram_reads "$list")" 4096 "by default copies warm nothing"
same "$(total L2_warmed "$list" $warm)" 4096 "two copies warm every sector of theirs"
same "$(total total_dram_reads "$list" $warm)" 0 "which is never fetched"
code=$(total dram_fetches "$list") # sectors of code and constants
same "$(total L2_warmed_code "$list" $warm) $(total dram_fetches "$list" $warm)" "$code 0" "code has come the same way"
same "$(total dram_fetches "$list" $warm --set launch.flush_l2=true)" "$code" "but is not in an L2 that is emptied"
printf 'MemcpyHtoD,0x7f1000000010,65535\n%s\n' $kernel >"$work/trace/edges.g"
same "$(total L2_warmed "$work/trace/edges.g" $warm)" 2047 "sectors that a copy covers in part are not warmed"
printf 'MemcpyHtoD,0x7f0000000000,1073741824\n%s\n' $kernel >"$work/trace/large.g"
same "$(total L2_warmed "$work/trace/large.g" $warm | awk '{print ($1 >= 131072)}')" 1 "a copy larger than the L2 fills it"
same "$(total total_dram_reads "$work/trace/large.g" $warm)" 4096 "and nothing else"
same "$(total dram_fetches "$work/trace/large.g" $warm)" "$code" "code is no longer there"
printf '%s\nMemcpyHtoD,0x7f1000000000,65536\nMemcpyHtoD,0x7f1100000000,65536\n' $kernel >"$work/trace/late.g"
same "$(total total_dram_reads "$work/trace/late.g" $warm)" 4096 "a copy waits for the kernels before it"
printf 'MemcpyHtoD,0xffffffffffffff00,18446744073709551615\nMemcpyHtoD,0x0,0\n%s\n' $kernel >"$work/trace/wild.g"
same "$(total total_dram_reads "$work/trace/wild.g" $warm)" 4096 "impossible copies do no harm"
for _ in $(seq 500); do echo MemcpyHtoD,0x7f1000000000,65536; done >"$work/trace/many.g"
echo $kernel >>"$work/trace/many.g"
same "$(total total_dram_reads "$work/trace/many.g" $warm)" 2048 "500 copies one after another"

# Flushes: a kernel that runs twice finds what it read before, or does not.
printf '%s\n%s\n' $kernel $kernel >"$work/trace/twice.g"
cold="--set launch.flush_l2=true"
same "$(total total_dram_reads "$work/trace/twice.g")" 4096 "the second of two kernels finds its lines in the L2"
same "$(total total_dram_reads "$work/trace/twice.g" $cold)" 8192 "an L2 that is flushed before kernels has lost them"
same "$(total total_dram_writes "$work/trace/twice.g" $cold)" 0 "a flush writes nothing back in simulated time"
same "$(total total_dram_reads "$list" $warm $cold)" 4096 "a flush takes out what copies have warmed"
cycles() { "$maniple" run -q --machine rtx3070 "$@" --format json "$work/trace/twice.g" | python3 -c "
import json, sys
print(*[kernel['statistics']['gpu_sim_cycle']['value'] for kernel in json.load(sys.stdin)['kernels']])"; }
read -r first second <<<"$(cycles)"
read -r flushed again <<<"$(cycles $cold)"
same "$flushed" "$first" "a flush of an empty L2 takes no time"
[ "$again" -gt $((second + 100)) ] && [ "$again" -le "$flushed" ]
ok $? "after a flush a kernel takes longer than with its lines in the L2, and not longer than the first one"

for set in "$warm" "$warm $cold"; do
    reference=$("$maniple" run -q --machine rtx3070 $set --threads 1 "$work/trace/twice.g")
    for option in --threads=2 --executor=lockstep --window=1 --no-skip; do
        [ "$("$maniple" run -q --machine rtx3070 $set --threads 1 $option "$work/trace/twice.g")" = "$reference" ]
        ok $? "the same bytes with $set $option"
    done
done
tap_end
