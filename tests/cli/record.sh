#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# maniple trace record: what a program executes is what its trace holds, and what a run of the trace issues; text and
# packed traces give the same statistics; what cannot be recorded.
# Usage: record.sh MANIPLE SANITIZERS
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
cubins=$(realpath "$(dirname "$0")/../frontend/sass/data")
if [ "$2" != none ]; then
    skip "recording" "the sanitizer's runtime would have to be in the program"
    tap_end
    exit
fi
cd "$tap_folder" || exit 1

# statistic FOLDER NAME…: the sum of statistics of all kernels; each kernel's, with -k first.
statistic() {
    python3 - "$@" <<'PYTHON'
import json, sys
each = sys.argv[1] == "-k"
folder, *names = sys.argv[2 if each else 1:]
results = json.load(open(folder + "/results.json"))
sums = [sum(k["statistics"].get(n, {"value": 0})["value"] for n in names) for k in results["kernels"]]
print(*sums if each else [sum(sums)])
PYTHON
}

# Every launch has as many instructions in its trace, and in a run of it, as were executed; and of each class as many as
# when the program itself is simulated.
classes="int imad fp32 half fp64 sfu convert tensor branch sync memory special"
check() {
    local name=$1 same=0 class
    shift
    expect 0 "$name is recorded" "" "$maniple" trace record -q --machine rtx3080ti -o "$name" --app "$name" -- "$@"
    "$maniple" app run "$name" "$@" -q --functional --machine rtx3080ti -o executed >out 2>&1
    "$maniple" app run "$name" "$@" -q --machine rtx3080ti -o timed >out 2>&1
    expect 0 "$name: its trace can be simulated" "" "$maniple" run -q -o text --machine rtx3080ti "$name/kernelslist.g"
    local executed
    executed=$(statistic -k executed gpgpu_n_tot_w_icount)
    [ -n "$executed" ] && [ "$executed" = "$(statistic -k text gpgpu_n_tot_w_icount)" ]
    ok $? "$name: as many instructions as were executed, in every launch"
    for class in $classes; do
        [ "$(statistic text "instructions_$class")" = "$(statistic timed "instructions_$class")" ] || same=1
    done
    executed=$(statistic timed instructions_int)
    [ "${executed:-0}" -gt 0 ] || same=1
    ok $same "$name: of each class as many as when the program is simulated"
}
check reduction --size 4096
check gemm --m 32 --n 32 --k 32 --kernel tiled
"$maniple" trace record -q -o vecadd --machine rtx3080ti --app vecadd -- --size 5000 >out 2>&1
grep -q '^MemcpyHtoD,0x[0-9a-f]*,20000$' vecadd/kernelslist.g && [ "$(grep -c ^kernel- reduction/kernelslist.g)" -eq 2 ]
ok $? "copies and launches are listed"

expect 0 "packed at once" "" "$maniple" trace -o packed --format mtrace --machine rtx3080ti -q --app vecadd -- --size 5000
[ "$(ls packed)" = trace.mtrace ]
ok $? "which leaves the packed trace alone"
"$maniple" run -q --machine rtx3080ti -o a vecadd/kernelslist.g >out 2>&1
"$maniple" run -q --machine rtx3080ti -o b packed/trace.mtrace >out 2>&1
cmp -s a/stats.txt b/stats.txt && [ -s a/stats.txt ]
ok $? "text and packed trace give the same statistics"
expect 0 "by warps" "" "$maniple" trace record -o warps --format tracez --machine rtx3080ti -q --app vecadd -- --size 5000
python3 - warps/kernel-1.tracez damaged <<'PYTHON'
import pathlib, shutil, struct, sys
data = bytearray(pathlib.Path(sys.argv[1]).read_bytes())
at, end, frames = data.index(0) + 9, struct.unpack("<Q", data[-8:])[0], []
while at < end:
    pieces, at = struct.unpack_from("<I", data, at + 4)[0], at + 8
    for _ in range(pieces):
        size = struct.unpack_from("<I", data, at)[0]
        frames.append((at + 4, size))
        at += 4 + size
assert frames and all(data[first:first + 4] == b"\x28\xb5\x2f\xfd" and data[first + 4] & 4 for first, _ in frames)
shutil.copytree(pathlib.Path(sys.argv[1]).parent, sys.argv[2])
data[frames[0][0] + frames[0][1] - 1] ^= 1
pathlib.Path(sys.argv[2], pathlib.Path(sys.argv[1]).name).write_bytes(data)
PYTHON
ok $? "every piece has the checksum of its text"
expect 2 "which is verified" "checksum" "$maniple" run -q --machine rtx3080ti damaged/kernelslist.g
[ -s warps/kernel-1.tracez ] && [ ! -e warps/kernel-1.traceg ]
ok $? "which writes files of Accel-Sim 2.0's form"
"$maniple" run -q --machine rtx3080ti -o c warps/kernelslist.g >out 2>&1
same() { grep -E '^  (gpgpu_n_tot_w_icount|gpu_sim_insn|L1D_total_cache_accesses) ' "$1"/stats.txt; }
[ -n "$(same a)" ] && [ "$(same a)" = "$(same c)" ]
ok $? "and gives the same instructions and accesses"
for form in text tracez; do
    "$maniple" trace record -q -o "constants-$form" --format $form --machine rtx3080ti --app convolution >out 2>&1
    "$maniple" run -q --machine rtx3080ti -o "of-$form" "constants-$form/kernelslist.g" >out 2>&1
done
misses=$(grep -E '^  constant_misses ' of-text/stats.txt)
[ -n "$misses" ] && [ "$misses" = "$(grep -E '^  constant_misses ' of-tracez/stats.txt)" ]
ok $? "constants lie where the program has them, in either form"
"$maniple" trace record -q -o engines --format tracez --machine h100-sxm --app wsgemm -- --m 256 --n 256 --k 128 --cluster 2 >out 2>&1
"$maniple" trace info engines/kernelslist.g >out
grep -q '^HGMMA.64x128x16.F32  *256 ' out &&
    awk '/^Warp instructions/ { gsub(",", "", $3); few = $3 + 0 > 5000 && $3 + 0 < 20000 } END { exit !few }' out
ok $? "products, and waits without their polls, are in it"

# Copies, products, mbarriers, clusters and named barriers take as long out of the trace as in the program that was
# traced. What is missing is an instruction that ends a group of products, which machine code has not.
cycles() { awk '/^kernel  / { rows = 1 } rows && $1 == 1 { gsub(",", "", $5); print $5; exit }' "$1"; }
close_to_program() {
    application=$1
    shift
    "$maniple" trace record -q -o timed --format tracez --machine h100-sxm --app "$application" -- "$@" >out 2>&1
    "$maniple" app run "$application" --machine h100-sxm -- "$@" >program 2>&1
    "$maniple" run --machine h100-sxm timed/kernelslist.g >traced 2>&1
    awk -v program="$(cycles program)" -v traced="$(cycles traced)" 'BEGIN {
        off = traced - program; exit !(program > 1000 && off < 0.05 * program && off > -0.05 * program) }' &&
        ! grep -q '^maniple: warning' traced
    ok $? "$application from its trace takes the program's cycles: $(cycles traced), $(cycles program)"
    rm -rf timed
}
close_to_program wsgemm --m 256 --n 256 --k 128
close_to_program wsgemm --m 256 --n 256 --k 256 --cluster 2
close_to_program tmastencil
close_to_program attention
close_to_program clusterhist
"$maniple" trace info vecadd/kernelslist.g >out
grep -q '^FADD  *' out && grep -q '^LDG.E  *' out && grep -q '^STG.E  *' out && grep -q '^EXIT ' out
ok $? "opcodes are those of machine code"
"$maniple" trace record -q -o again --machine rtx3080ti --app vecadd -- --size 5000 >out 2>&1
diff -r vecadd again >out
ok $? "two recordings are the same"

# Where no lane takes part, a tracer writes the width and an address that is none; Accel-Sim wants a width.
mkdir code && cp "$cubins/pathfinder.sm_75.cubin" code/pathfinder.cubin
MANIPLE_APPS_CODE=code "$maniple" trace record -q -o machine_code --machine rtx2060 --app pathfinder >out 2>&1
grep -q '^[0-9a-f]* 00000000 1 R[0-9]* LDS.U 1 R[0-9]* 4 1 0x0 0 0$' machine_code/kernel-1.traceg &&
    ! grep -qE '^[0-9a-f]+ 0{8} .*(LD|ST)[GS]\S* .* R[0-9]+ 0 0$' machine_code/kernel-1.traceg
ok $? "accesses that no lane takes part in have a width"

expect 2 "no folder" "state the folder" "$maniple" trace record -- ./program
expect 2 "no program" "there is no program" "$maniple" trace record -o x
expect 2 "no such format" "is not one of text, tracez, mtrace" "$maniple" trace record -o x --format zip -- ./program
expect 2 "a program that is none" "is no program for this host" "$maniple" trace record -o x -- ./nothing
expect 2 "a program without CUDA" "has not used the CUDA runtime: there is nothing to record" "$maniple" trace record -o x -- /bin/true
expect 2 "no such machine" "nosuch" "$maniple" trace record -o x --machine nosuch --app vecadd
expect 2 "no such workload" "" "$maniple" trace record -o x --app nosuch
expect 2 "an option for the program" "stands behind --" "$maniple" trace record -o x ./program
tap_end
