#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What a program marks (--kernels profiler, nvtx:REGEX), what other launches leave in the L2 (--between), and sampling
# plans (maniple plan, --plan). Usage: chosen.sh MANIPLE MARKS APPS SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
plain=$maniple
marks=$(realpath "$2")
apps=$(realpath "$3")
if ! maniple=$(sanitize "$maniple" "$4"); then
    skip "chosen parts" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine rtx3080ti --threads 1"

value() { # FOLDER STATISTIC: of the kernels there, with their numbers
    python3 -c 'import json, sys
for kernel in json.load(open(sys.argv[1] + "/results.json"))["kernels"]:
    print("%d:%d" % (kernel["id"], kernel["statistics"][sys.argv[2]]["value"]), end=" ")' "$1" "$2"
}
numbers() { value "$1" gpu_sim_cycle | sed 's/:[0-9]*//g'; }

# ===== marks =====
expect 0 "all launches" '^right$' $run -o all -- "$marks"
for case in "profiler:3 " "nvtx:^solve:5 6 7 " "nvtx:inner:6 " "nvtx:setup,8:4 8 " "profiler,nvtx:solve$:3 5 6 "; do
    list=${case%:*}
    expect 0 "--kernels $list" '^right$' $run --kernels "$list" -o marked -- "$marks"
    [ "$(numbers marked)" = "${case##*:}" ]
    ok $? "has ${case##*:}"
done
expect 2 "a range that is not there" "none of the program's 8 launches is named by it" $run --kernels nvtx:nothing -- "$marks"
expect 2 "a range of a wrong expression" 'nvtx:REGEX with a regular expression' $run --kernels 'nvtx:(' -- "$marks"

# ===== between two names =====
$run --functional -o names -- "$apps" run gaussian --size 8 >/dev/null
first=$(python3 -c 'import json; print(json.load(open("names/results.json"))["kernels"][0]["name"])')
second=$(python3 -c 'import json; print(json.load(open("names/results.json"))["kernels"][1]["name"])')
expected() { # the numbers of launches from each one that has the first word as its name to the next that has the second
    python3 -c 'import json, sys
inside, from_, to = False, *sys.argv[1:3]
for kernel in json.load(open("names/results.json"))["kernels"]:
    began = not inside and kernel["name"] == from_
    if inside or began:
        print(kernel["id"], end=" ")
    inside = began or (inside and kernel["name"] != to)' "$1" "$2"
}
for pair in "$second $first" "$first nothing"; do
    read -r from to <<<"$pair"
    $run --kernels "from:^$from\$ to:^$to\$" -o between -- "$apps" run gaussian --size 8 >/dev/null 2>&1
    [ -n "$(numbers between)" ] && [ "$(numbers between)" = "$(expected "$from" "$to")" ]
    ok $? "from $from to $to ($(numbers between))"
done
expect 2 "a first name that is none" 'nor from:REGEX to:REGEX' $run --kernels 'from:( to:x' -- "$marks"
expect 2 "a second one" 'nor from:REGEX to:REGEX' $run --kernels 'from:x to:' -- "$marks"

# ===== what is left in the L2 =====
# Launches 2 and 7 read and write the same 32 KiB, 1024 sectors: launch 1 has brought them in.
$run --kernels 2,7 -o cold -- "$marks" >/dev/null && $run --kernels 2,7 --between warm -o warm -- "$marks" >/dev/null
[ "$(value cold total_dram_reads)" = "2:1024 7:0 " ]
ok $? "--between functional: the first chosen launch reads the memory ($(value cold total_dram_reads))"
[ "$(value warm total_dram_reads)" = "2:0 7:0 " ]
ok $? "--between warm: it finds all in the L2 ($(value warm total_dram_reads))"
python3 -c 'import json # 18 instructions in 3 lines, 8 that are fetched ahead, and one of constants: of 4 sectors, in a half or two
code = json.load(open("warm/results.json"))["total"]["statistics"]["L2_warmed"]["value"] - 1024
assert 0 < code <= 2 * 12 * 4, code'
ok $? "which were so many sectors"
[ "$(value warm L2_total_cache_misses)" = "$(value all L2_total_cache_misses | tr ' ' '\n' | grep '^[27]:' | tr '\n' ' ')" ]
ok $? "as in the whole run"
[ "$(value warm gpu_sim_cycle)" = "$(value all gpu_sim_cycle | tr ' ' '\n' | grep '^[27]:' | tr '\n' ' ')" ] &&
    [ "$(value cold gpu_sim_cycle | grep -o '2:[0-9]* ')" != "$(value warm gpu_sim_cycle | grep -o '2:[0-9]* ')" ]
ok $? "--between warm: code lies there too, and the launch takes the cycles of the whole run ($(value warm gpu_sim_cycle))"
code() { # requests for code that the caches of the GPCs have had, and those that they could not answer
    $run --kernels 7 --between "$1" --set gpc.code.size=64KiB -o code -- "$marks" >/dev/null
    python3 -c 'import json; total = json.load(open("code/results.json"))["total"]["statistics"]
print(total["gpc_code_accesses"]["value"] > 0, total["gpc_code_misses"]["value"] > 0)'
}
[ "$(code functional), $(code warm)" = "True True, True False" ]
ok $? "and in the GPCs"
$run --kernels 2,7 --between warm -- "$marks" >one
$run --kernels 2,7 --between warm --threads 2 --executor lockstep -- "$marks" | cmp - one
ok $? "the same bytes for threads and executors"
expect 2 "--between alone" 'add --kernels or --plan' $run --between warm -- "$marks"
expect 2 "--between of nothing" 'is not one of functional, warm' $run --kernels 1 --between cold -- "$marks"

# ===== plans =====
work="$apps run gaussian --size 48"
$run --functional -o profile -- $work >/dev/null
expect 0 "a plan from a run without time" '^94 launches in [0-9]* groups; [0-9]* are simulated' "$plain" plan profile -o plan.txt
"$plain" plan profile -o again.txt >/dev/null && cmp plan.txt again.txt
ok $? "is the same every time"
"$plain" plan profile --seed 2 -o other.txt >/dev/null && ! cmp -s plan.txt other.txt
ok $? "and another with another seed"
$run -o whole -- $work >/dev/null
expect 0 "a run by it" '^Estimated for all 94 launches' $run --plan plan.txt -o sampled -- $work
python3 - <<'PYTHON'
import json, sqlite3
whole, sampled = (json.load(open(name + "/results.json")) for name in ("whole", "sampled"))
plan = [line.split() for line in open("plan.txt")]
taken = sorted(int(number) for line in plan if line[0] == "take" for number in line[2:])
leads = [int(number) for line in plan if line[0] == "lead" for number in line[1:]]
assert leads and sorted(leads) == sorted({number - 1 for number in taken} - set(taken) - {0})
assert [kernel["id"] for kernel in sampled["kernels"]] == sorted(taken + leads)
estimate = sampled["total"]["estimate"]
assert estimate["launches"] == 94 and estimate["simulated"] == len(taken) < 94
# By hand: of each group the mean times its size.
cycles = {kernel["id"]: kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in sampled["kernels"]}
sizes = {line[1]: int(line[2]) for line in plan if line[0] == "group"}
by_hand = sum(sizes[line[1]] * sum(cycles[int(n)] for n in line[2:]) / len(line[2:]) for line in plan if line[0] == "take")
got = estimate["statistics"]["gpu_sim_cycle"]
assert abs(got["value"] - by_hand) <= 1, (got, by_hand)
true = sum(kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in whole["kernels"])
assert abs(got["value"] - true) < 0.05 * true, (got, true)
rows = sqlite3.connect("sampled/results.sqlite").execute("SELECT value, margin FROM estimate WHERE statistic = 'gpu_sim_cycle'")
assert rows.fetchall() == [(got["value"], got["margin"])]
PYTHON
ok $? "simulates what it names, and estimates totals as by hand, within 5 % of the whole run's"
$run --plan plan.txt -- $work >one
$run --plan plan.txt --threads 2 --schedule dynamic -- $work | cmp - one
ok $? "the same bytes for any threads"
"$plain" plan whole --method sieve -o sieve.txt >out
expect 0 "Sieve's way, from a run with time" '^Estimated for all 94 launches' $run --plan sieve.txt -- $work
expect 2 "a plan for other arguments" 'a plan for another program, or for other arguments' \
    $run --plan plan.txt -- "$apps" run gaussian --size 40
expect 2 "for another program" 'for a program of 94 launches, and this one has made 1' \
    $run --plan plan.txt -- "$apps" run vecadd --size 100
expect 2 "no plan" 'is no plan of this version' $run --plan "$folder/chosen.sh" -- $work
expect 2 "a plan that is not there" 'nowhere.txt' $run --plan nowhere.txt -- $work
sed 's/^take 1 .*/take 1 1 1/' plan.txt >twice.txt
expect 2 "a launch twice" 'twice' $run --plan twice.txt -- $work
for change in 's/^launches .*/launches x/' '3s/^group 1/group 2/' 's/^take 1 .*/take 1/' 's/^take 1 .*/take 1 95/' '/^take 2 /d' '/^group 1 /d' 's/^lead .*/lead 95/' 's/^lead .*/lead 1/'; do
    sed "$change" plan.txt >damaged.txt
    expect 2 "damaged: $change" 'damaged.txt:[0-9]*: ' $run --plan damaged.txt -- $work
done
"$plain" plan profile --lead 0 -o alone.txt >/dev/null && ! grep -q '^lead' alone.txt && cmp -s alone.txt <(grep -v '^lead' plan.txt)
ok $? "without launches in front: the same is taken"
expect 2 "too many in front" '--lead 65: state a whole number from 0 to 64' "$plain" plan profile --lead 65 -o out.txt
expect 2 "with --kernels" 'leave --kernels out' $run --plan plan.txt --kernels 1 -- $work
expect 2 "without time" 'leave --functional out' $run --functional --plan plan.txt -- $work
expect 2 "from a part of a run" 'launch 1 is not in these results' "$plain" plan warm -o out.txt
expect 2 "from nothing" 'there is no folder' "$plain" plan -o out.txt
expect 2 "to nothing" 'state it with -o FILE' "$plain" plan profile
expect 2 "from no results" 'nowhere' "$plain" plan nowhere -o out.txt
tap_end
