#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Stretches of steady kernels that are passed over (--steady): values, instructions and bytes are those of whole runs, and
# cycles near them; what an estimate says; what is refused. Usage: steady.sh MANIPLE APPS TRACEGEN SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
apps=$(realpath "$2")
tracegen=$(realpath "$3")
if ! maniple=$(sanitize "$maniple" "$4"); then
    skip "steady kernels" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine rtx3080ti --set sm.count=8 --threads 1"
steady="--steady --set sm.steady.period=8192 --set sm.steady.detail=1024 --set sm.steady.warm=256"

sum() { # FOLDER STATISTIC: over the kernels there
    python3 -c 'import json, sys
print(sum(kernel["statistics"][sys.argv[2]]["value"] for kernel in json.load(open(sys.argv[1] + "/results.json"))["kernels"]))' "$1" "$2"
}

# ===== a loop without memory: its pace is the same all the time, and so are its cycles =====
pi="$apps run montecarlo_pi --blocks 64 --points 128"
$run -o whole -- $pi >/dev/null
expect 0 "a loop that is passed over computes what it does" '^montecarlo_pi: PASS' $run $steady -o passed -- $pi
grep -q 'of whose warp instructions [4-9][0-9][.][0-9]* % were passed over' out
ok $? "two fifths of its instructions and more are passed over"
[ "$(sum whole gpgpu_n_tot_w_icount)" = "$(sum passed gpgpu_n_tot_w_icount)" ] &&
    [ "$(sum whole gpu_sim_insn)" = "$(sum passed gpu_sim_insn)" ] && [ "$(sum whole steady_instructions)" = 0 ]
ok $? "as many instructions and lanes are counted"
python3 - "$(sum whole gpu_sim_cycle)" "$(sum passed gpu_sim_cycle)" <<'PYTHON'
import json, sys
whole, passed = map(int, sys.argv[1:])
estimate = json.load(open("passed/results.json"))["total"]["estimate"]
stated = estimate["statistics"]["gpu_sim_cycle"]
assert abs(passed - whole) < 0.04 * whole, (whole, passed)
assert stated["value"] == passed and abs(passed - whole) <= stated["margin"], (stated, whole)
assert estimate["passed_over_ppm"] > 400000, estimate
PYTHON
ok $? "its cycles are within 4 %, and within the margin that is stated"

# ===== longer turns: warps go on in longer rows, and what is computed and counted is the same =====
expect 0 "longer turns: the same values" '^montecarlo_pi: PASS' $run $steady --set sm.steady.turn=512 -o turns -- $pi
[ "$(sum whole gpgpu_n_tot_w_icount)" = "$(sum turns gpgpu_n_tot_w_icount)" ] && [ "$(sum turns steady_instructions)" != 0 ]
ok $? "longer turns: as many instructions"
python3 - "$(sum whole gpu_sim_cycle)" <<'PYTHON'
import json, sys
stated = json.load(open("turns/results.json"))["total"]["estimate"]["statistics"]["gpu_sim_cycle"]
assert abs(stated["value"] - int(sys.argv[1])) <= stated["margin"], (sys.argv[1], stated)
PYTHON
ok $? "longer turns: the whole run's cycles are within the margin"

# ===== margins: the true cycles, those of the whole run, lie within them =====
held() { # a workload, with short slots: also where paces change, where warps end one by one, where most wait
    local short="--steady --set sm.steady.period=16384 --set sm.steady.detail=1024 --set sm.steady.warm=256"
    $run -o true -- $apps run $1 >/dev/null
    $run $short -o near -- $apps run $1 >/dev/null
    python3 - "$(sum true gpu_sim_cycle)" "$(sum near gpu_sim_cycle)" <<'PYTHON'
import json, sys
whole, passed = map(int, sys.argv[1:])
estimate = json.load(open("near/results.json"))["total"].get("estimate")
margin = estimate["statistics"]["gpu_sim_cycle"]["margin"] if estimate else 0
assert abs(whole - passed) <= margin, (whole, passed, margin)
assert abs(whole - passed) <= 0.1 * whole, (whole, passed)
PYTHON
    ok $? "the margin of $1 holds, and it is within a tenth"
    python3 - <<'PYTHON'
import json, sys
def read(folder):
    total = json.load(open(folder + "/results.json"))["total"]
    values = {name: entry["value"] for name, entry in total["statistics"].items()
              if isinstance(entry.get("value"), int) and not name.startswith("steady_")}
    return values, total.get("estimate", {}).get("statistics", {})
(true, _), (near, stated) = read("true"), read("near")
if stated:
    assert near["issue_slots"] == 4 * near["sm_cycles"] == sum(v for n, v in near.items() if n.startswith("issue_slots_")), near["issue_slots"]
    assert near["issue_slots_issued"] == true["issue_slots_issued"] == near["gpgpu_n_tot_w_icount"]
    wrong = [(n, true[n], near[n], stated.get(n)) for n in true
             if n != "gpu_sim_cycle" and abs(true[n] - near[n]) > stated.get(n, {"margin": 0})["margin"] + 1]
    assert len(wrong) <= len(stated) / 20, wrong
PYTHON
    ok $? "slots of $1 are cycles times sub-cores, and nineteen of twenty counters lie within their margins"
}
for work in srad reduction atax scan "gemm --m 64 --n 64 --k 256 --kernel tiled" "lud --size 64"; do
    held "$work"
done

# ===== … and are those of the formula on docs/sampling.md, from the counters in the results =====
python3 - <<'PYTHON'
import json, math
def read(folder):
    return json.load(open(folder + "/results.json"))
found = read("near")
kernels = [{name: entry["value"] for name, entry in kernel["statistics"].items() if "value" in entry}
           for kernel in found["kernels"]]
for k, kernel in zip(kernels, found["kernels"]):
    k["margin"] = kernel.get("margin")
    k.update({name[7:]: value for name, value in k.items() if name.startswith("steady_")})
passed = [k for k in kernels if k["instructions"]]
common = {name: sum(k[name] for k in kernels) for name in ("sms", "checks", "checked", "errors")}
squares = slowest = 0
for k in passed:
    by = k if k["checks"] else common
    each = by["checked"] / by["checks"] if by["checks"] else 1
    part = (by["errors"] + 4 * each / 8) / (by["checked"] + 4 * each)
    one = math.sqrt((part ** 2 * math.pi / 4 * k["squares"] + 2 * 64 ** 2 * k["stretches"]) / k["sms"])
    freedom = (by["checks"] / by["sms"] if by["sms"] else 0) + 4
    t = next(q for f, q in reversed([(4, 2.776), (5, 2.571), (6, 2.447), (7, 2.365), (8, 2.306), (9, 2.262), (10, 2.228),
                                     (12, 2.179), (15, 2.131), (20, 2.086), (25, 2.060), (30, 2.042), (40, 2.021), (60, 2.0),
                                     (80, 1.99), (120, 1.98)]) if f <= freedom)
    late = math.sqrt(2 * math.log(2) * math.ceil(math.log2(k["sms"]))) * one
    late += 0.02 * k["cycles"] / k["sm_active_cycles"] * k["gpu_sim_cycle"]
    squares, slowest = squares + (t * one) ** 2, slowest + late
    assert abs(k["margin"]["chance"] - t * one) <= 1 + t * one / 1000 and abs(k["margin"]["late"] - late) <= 1 + late / 1000, (k["margin"], t * one, late)
margin = found["total"]["estimate"]["statistics"]["gpu_sim_cycle"]["margin"]
assert passed and abs(math.sqrt(squares) + slowest - margin) <= 1 + margin / 1000, (math.sqrt(squares) + slowest, margin)
PYTHON
ok $? "the margin is that of the formula"

# ===== a plan whose launches are passed over: where each launch is chosen, it says what is said without it =====
short="--steady --set sm.steady.period=16384 --set sm.steady.detail=1024 --set sm.steady.warm=256"
$run $short -o alone -- $apps run atax >/dev/null
$maniple plan alone --method sieve --lead 0 -o each.plan >/dev/null
$run $short --plan each.plan -o planned -- $apps run atax >/dev/null
python3 - <<'PYTHON'
import json
def cycles(folder):
    estimate = json.load(open(folder + "/results.json"))["total"]["estimate"]
    return estimate["statistics"]["gpu_sim_cycle"]
assert abs(cycles("alone")["margin"] - cycles("planned")["margin"]) <= 2 and cycles("alone")["margin"] > 0
assert cycles("alone")["value"] == cycles("planned")["value"], (cycles("alone"), cycles("planned"))
PYTHON
ok $? "each launch chosen: the estimate is that without a plan"

# ===== barriers, divergence, atomics, spinning: values are right =====
while read -r work; do
    expect 0 "$work" ': PASS' $run $steady -- "$apps" run $work
done <<'END'
gemm --m 64 --n 64 --k 128 --kernel tiled
bfs --nodes 1000 --degree 4
spinlock --blocks 8 --rounds 20
histogram --size 50000 --blocks 20
lastblock --size 20000 --blocks 20
END

# ===== warps that poll are not passed over: how often they do depends on how long others take =====
$run -o locks -- $apps run spinlock --blocks 8 --rounds 20 >/dev/null
$run $steady -o spun -- $apps run spinlock --blocks 8 --rounds 20 >/dev/null
python3 - "$(sum locks gpu_sim_cycle)" "$(sum spun gpu_sim_cycle)" <<'PYTHON'
import sys
whole, passed = map(int, sys.argv[1:])
assert abs(passed - whole) < 0.02 * whole, (whole, passed)
PYTHON
ok $? "a spinlock's cycles are those of the whole run, but for 2 %"

# ===== what is passed over stays in the L2: a kernel finds there what the ones before it have written =====
layer="$apps run llama --hidden 256 --feed 1408 --tokens 128"
chosen="--machine a100 --set sm.count=8 --values needed --kernels 11-13 --between skip --threads 1"
short="--steady --set sm.steady.period=16384 --set sm.steady.detail=512 --set sm.steady.warm=128"
$maniple run -q $chosen -o layer -- $layer >/dev/null
$maniple run -q $chosen $short -o partly -- $layer >/dev/null
python3 - <<'PYTHON'
import json
def kernels(folder):
    return [{name: entry["value"] for name, entry in kernel["statistics"].items() if "value" in entry}
            for kernel in json.load(open(folder + "/results.json"))["kernels"]]
whole, partly = kernels("layer"), kernels("partly")
passed = partly[0]["steady_instructions"] / partly[0]["gpgpu_n_tot_w_icount"]
assert passed > 0.15, passed
misses = [rows[2]["L2_read_misses"] for rows in (whole, partly)]
assert misses[1] <= misses[0] * 1.1 + 64, misses
assert abs(partly[2]["gpu_sim_cycle"] - whole[2]["gpu_sim_cycle"]) < 0.15 * whole[2]["gpu_sim_cycle"], (whole[2]["gpu_sim_cycle"], partly[2]["gpu_sim_cycle"])
PYTHON
ok $? "SwiGLU reads from the L2 what two products have written that were passed over"

# A warp that a load's answer finds at a barrier, to which it was passed over, stays there: rows of softmax.
expect 0 "barriers that warps come to while answers are on their way" 'not checked' $maniple run -q --machine a100 --set sm.count=8 --threads 1 --steady --values needed --kernels 7 --between skip -- "$apps" run llama --tokens 512 --hidden 512 --feed 128

# ===== the same bytes =====
gemm="$apps run gemm --m 64 --n 64 --k 256 --kernel tiled"
$run $steady -o one -- $gemm >/dev/null
grep -q 'were passed over' one/stats.txt
ok $? "a product is passed over in part"
for other in "--threads 2 --schedule dynamic" "--executor lockstep" "--window 1" "--no-skip"; do
    $run $steady $other -o two -- $gemm >/dev/null
    $maniple compare one two >out 2>&1
    ok $? "the same bytes: $other"
done
turns="--set sm.steady.turn=512"
$run $steady $turns -o one -- $gemm >/dev/null
grep -q 'were passed over' one/stats.txt
ok $? "with longer turns, too"
for other in "--threads 2 --schedule dynamic" "--executor lockstep --window 1" "--no-skip"; do
    $run $steady $turns $other -o two -- $gemm >/dev/null
    $maniple compare one two >out 2>&1
    ok $? "the same bytes with longer turns: $other"
done

# SMs begin and cease to pass over in any cycle, also behind an issue that nothing has classified yet.
often="--steady --set sm.steady.period=3000 --set sm.steady.detail=300 --set sm.steady.warm=50 --hash"
for work in "$gemm" "$apps run atax"; do
    $run $often -o one -- $work >/dev/null
    $run $often --executor serial --window 1 -o two -- $work >/dev/null
    [ "$(wc -l <one/epochs.csv)" -gt 500 ] && cmp -s one/epochs.csv two/epochs.csv
    ok $? "the same state at the end of each epoch: ${work#"$apps run "}"
done

# ===== traces =====
"$tracegen" vectoradd adds arch=86 n=400000 >/dev/null
$run -o trace adds/kernelslist.g >/dev/null
expect 0 "a trace" '' $run $steady -o less adds/kernelslist.g
[ "$(sum trace gpgpu_n_tot_w_icount)" = "$(sum less gpgpu_n_tot_w_icount)" ]
ok $? "a trace has as many instructions"

# ===== refusals =====
expect 2 "no room for a warm-up" 'make it shorter' $run --set sm.steady.period=1000 --set sm.steady.detail=500 --set sm.steady.warm=500 adds/kernelslist.g
expect 2 "a slot longer than its period" 'make it shorter' $run --set sm.steady.period=1000 --set sm.steady.detail=2000 adds/kernelslist.g
expect 2 "a turn that is too short" '8' $run --set sm.steady.turn=4 adds/kernelslist.g
expect 2 "with --by-instruction" 'leave --by-instruction out' $run --steady --by-instruction -o x adds/kernelslist.g
tap_end
