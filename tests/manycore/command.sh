#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Many-core machines from outside: programs that check themselves, the contract, and inputs that are wrong.
# Usage: command.sh MANIPLE A32_RUN [lines]; lines: this build reads debug information
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
a32_run=$(realpath "$2")
source_lines=${3:-}
elf=$folder/../../apps/manycore/elf
work=$tap_folder
run="$maniple run -q"

"$a32_run" <"$folder/vectors.in" | cmp - "$folder/vectors.out"
ok $? "the core does what unicorn did on the recorded instructions"

expect 0 "json" '"ipc": ' $run --format json --cores 4 -- "$elf/fibonacci.elf" 5
expect 0 "a summary, which fits a screen" "what limits it: maniple report" $run --cores 4 -- "$elf/fibonacci.elf" 5
[ "$(wc -l <"$tap_folder/out")" -le 24 ] && ! grep -qE "^ +noc_|  0 " "$tap_folder/out"
ok $? "of at most 24 lines, without statistics that are zero"
expect 0 "and all statistics with --long" "^  noc_blocked_cycles  *0 cycle" $run --long --machine manycore-1 --cores 4 -- "$elf/fibonacci.elf" 5
expect 0 "a folder of results" "" $run -o "$work/results" --cores 4 -- "$elf/fibonacci.elf" 5
[ -s "$work/results/results.json" ] && [ -s "$work/results/machine.resolved" ]
ok $? "holds results.json and machine.resolved"
python3 - "$work/results" <<'PYTHON'
import json, sys, xml.dom.minidom
for name in ("links", "stalls"):
    map = xml.dom.minidom.parse(f"{sys.argv[1]}/mesh.{name}.svg")
    squares = bars = 0
    for path in map.getElementsByTagName("path"):
        squares += path.getAttribute("d").count("h7v7h-7z")
        bars += path.getAttribute("d").count("h2v6h-2z") + path.getAttribute("d").count("h6v2h-6z")
    assert (squares, bars) == (4, 8), (name, squares, bars)
statistics = json.load(open(sys.argv[1] + "/results.json"))["total"]["statistics"]
value = lambda name: statistics[name]["value"]
for total, part in (("instructions", "core_instructions"), ("s_events", "core_s_events"), ("s_event_wait_cycles", "core_wait_cycles")):
    assert value(total) == sum(value(part + "_per_unit")["tile"]), total
links = [sum(value(f"link_{name}_per_unit")["tile"]) for name in ("north", "east", "south", "west")]
assert value("noc_hops") == sum(links) > 0
assert links[0] == links[2] and links[1] == links[3], links  # what goes one way comes back, along other links
PYTHON
ok $? "maps of links and stalls with every tile and link; values per tile add up to the totals"
cp "$elf/fft.elf" "$work/fft.elf"
$run --cores 4 -- "$elf/fft.elf" 64 >"$work/here"
$run --cores 4 -- "$work/fft.elf" 64 | cmp -s - "$work/here"
ok $? "a run does not depend on where its program lies"
expect 0 "machine show" "tile: {" $maniple machine show manycore-2
expect 2 "a timeline of a run that has kept none" "has kept nothing over time; make it again with --timeline cores, .* or --sample N" \
    $maniple timeline "$work/results" -o "$work/nothing.trace"
[ ! -e "$work/nothing.trace" ]
ok $? "and nothing is written"
expect 0 "models" "A rectangle of tiles" $maniple models block

# ===== options that other machines have are refused =====
for option in "--gpus 2" "--unknown alu" "--trace-memory 1MiB"; do
    expect 2 "${option%% *} of programs for cores" "error: ${option%% *}: .* is a program for the cores of a many-core machine" \
        $run --cores 4 $option -- "$elf/fibonacci.elf" 5
done
for option in ctas warps:10-20; do
    expect 2 "--timeline $option of cores" "error: --timeline ${option%%:*}: a machine of kind \"manycore\" has --timeline cores and accesses:T0-T1" \
        $run --cores 4 --timeline $option -o "$work/refused" -- "$elf/fibonacci.elf" 5
done
expect 2 "two kinds of timelines" "--timeline ctas: there is --timeline cores already" \
    $run --cores 4 --timeline cores --timeline ctas -o "$work/refused" -- "$elf/fibonacci.elf" 5

# ===== meshes are named, chains are warned of =====
expect 0 "a mesh in the summary" "^Mesh  *8 x 4  tiles" $run --cores 32 -- "$elf/fibonacci.elf" 5
expect 0 "a chain" "warning: 17 tiles make a mesh of 17 x 1, in which packets take up to 16 hops; 16 tiles take 6" \
    $run --cores 17 -- "$elf/fibonacci.elf" 5
for cores in 1 2 3 5 12 15; do
    $run --cores $cores -- "$elf/fibonacci.elf" 5 2>&1 >/dev/null | grep -q warning
    [ $? = 1 ]
    ok $? "$cores tiles are no chain"
done
$run --cores 17 --set mesh.width=1 -- "$elf/fibonacci.elf" 5 2>&1 >/dev/null | grep -q warning
[ $? = 1 ]
ok $? "a width that is asked for is not warned of"

# ===== size: up to 65536 tiles; private memory takes place on the host when it is written =====
expect 0 "16384 tiles" ": right on 16384 cores" \
    $run --core interpreter --machine manycore-1 --cores 16384 -- "$elf/fibonacci.elf" 1
expect 0 "4096 tiles of architecture II" ": right on 4096 cores" \
    $run --core interpreter --machine manycore-2 --cores 4096 -o "$work/large" -- "$elf/fibonacci.elf" 1
python3 -c 'import json, sys
peak = json.load(open(sys.argv[1]))["run"]["peak_memory_bytes"]
sys.exit(not 0 < peak < 1.5e9)' "$work/large/results.json"
ok $? "take less than 1.5 GB of the host, of 4 GiB of private memory"

# ===== inputs that are wrong =====
make() { python3 "$folder/elf.py" "$work/bad.elf" "$@"; }
bad() { # NAME PATTERN ELF-ARGUMENTS…
    local name=$1 pattern=$2
    shift 2
    make "$@"
    expect 2 "$name" "bad.elf: .*$pattern" $run --cores 3 -- "$work/bad.elf"
}
leave="e3a00018 e59f1000 ef123456 00020026" # exit with status 0
bad "AArch64" "is a 64-bit program" class=2 machine=183 $leave
bad "big endian" "is big endian" data=2 $leave
bad "another processor" "is for ELF machine 3, not for ARM" machine=3 $leave
bad "Thumb at the entry" "begins in Thumb code" entry=0x8001 $leave
bad "hard float" "needs a floating-point unit" flags=0x05000400 $leave
bad "an object file" "is not an executable at fixed addresses" type=1 $leave
bad "an entry outside" "lies in no executable segment" entry=0x9000 $leave
bad "a file cut off" "does not fit into the file" stored=4100 $leave
bad "a header cut off" "is cut off" stored=60 $leave
echo "no program" >"$work/text"
expect 2 "a text" "is not an ELF file" $run -- "$work/text"
expect 2 "--steady" '^maniple: error: --steady: passes over kernels of GPUs, and a machine of kind "manycore" has none' $run --steady -- "$elf/wrong.elf" 3
expect 2 "no file" "No such file" $run -- "$work/nothing.elf"
bad "an undefined instruction" "core 0, pc 0x00008004 .*undefined instruction" e1a00000 e7f000f0
bad "a later core is not the first" "core 0, pc" e7f000f0
bad "a branch into Thumb code" "Thumb" e3a00001 e12fff10
bad "an unmapped address" "core 0, pc 0x00008004 .*unmapped address at 0x70000000; .*: ldr r1, \[r0\]" e3a00207 e5901000
bad "an address behind the banks" "unmapped address at 0xa0000000; .*; shared memory ends before 0x827ffff0: 3 banks of 13981008 bytes" e3a0020a e5901000
bad "a misaligned access" "misaligned access at 0x2" e3a00002 e5901000
bad "a write to code" "write to the program's code" e3a00902 e5801000
bad "code that goes on beyond its end" "the pc has left" e1a00000
bad "a stack that overflows" "the stack has outgrown the scratchpad" e92d4000 eafffffd
bad "a system call of another kind" "semihosting" ef000000
bad "MOVW, which is of later processors" "undefined" e3000001
make e3500001 07f000f0 e3a00102 e5901000 eafffffd
for machine in manycore-1 manycore-2; do
    expect 2 "a fault while others use shared memory on $machine" "core 1, pc 0x00008004" \
        $run --machine $machine --cores 9 --set mesh.block=1 -- "$work/bad.elf"
done
make $leave
expect 0 "a program of three instructions" "" $run --cores 3 -- "$work/bad.elf"
make e3a00018 e3a01001 ef123456
expect 1 "the program's own exit status" "" $run --cores 3 -- "$work/bad.elf"
make eafffffe
expect 3 "a program that never ends" "stopped at --max-cycles" $run --max-cycles 1000000 --cores 5 -- "$work/bad.elf"
make e3a00102 e5901000 e3510000 0afffffc
line_of() { # FILE FIXED-STRING: its line number
    grep -nF -m 1 "$2" "$folder/../../apps/manycore/$1" | cut -d: -f1
}
for machine in manycore-1 manycore-2; do
    stuck="$run --machine $machine --cores 9 --set livelock=20000 --max-cycles 2000000 --"
    expect 3 "a flag that nobody sets on $machine" "\[0x80000000\] = 0x0, not changed of late" $stuck "$work/bad.elf"
    grep -q "9 cores wait for another value: 0-8; core 0 since cycle .* at 0x00008004" "$tap_folder/out"
    ok $? "names the cores and where they are"
    expect 3 "a lock never released on $machine" "\[0x80000000\] = 0x3, last changed by core 2, which has exited at" \
        $stuck "$elf/wrong.elf" 0
    grep -q "cores wait for another value: .*-8; .*(mc_lock+0x" "$tap_folder/out"
    ok $? "names the waiting cores and the function"
    expect 3 "locks in opposite order on $machine" \
        "a circle: core 0 waits for \[0x80000004\] of core 1, core 1 waits for \[0x80000000\] of core 0" \
        $stuck "$elf/wrong.elf" 1
    expect 3 "a loop without shared memory is no livelock on $machine" "stopped at --max-cycles" $stuck "$elf/wrong.elf" 2
    grep -q "3 of 9 cores have exited, 0 wait" "$tap_folder/out" && grep -q "core 3 runs at 0x.*(mc_main" "$tap_folder/out"
    ok $? "says where the cores are that have not ended"
    expect 2 "recursion without end on $machine" "core 3, pc .*(recurse.*outgrown the scratchpad" $stuck "$elf/wrong.elf" 3
    expect 2 "a misaligned access to shared memory on $machine" "core 3, pc .*misaligned access at 0x80000001" \
        $stuck "$elf/wrong.elf" 4
    expect 2 "an access to nothing on $machine" "core 3, pc .*unmapped address at 0x70000000" $stuck "$elf/wrong.elf" 5
    expect 2 "an undefined instruction on $machine" "core 3, pc .*(mc_main.*undefined instruction" $stuck "$elf/wrong.elf" 6
done
if [ "$source_lines" = lines ]; then
    expect 2 "a fault's source line" "core 3, pc .*, wrong.c:$(line_of wrong.c '0x70000000'))" $run --cores 9 -- "$elf/wrong.elf" 5
    expect 3 "the source line of a loop that waits" "(mc_lock+0x[0-9a-f]*, manycore.c:$(line_of manycore.c 'ldrex')" \
        $run --cores 9 --set livelock=20000 -- "$elf/wrong.elf" 0
else
    skip "source lines" "built without libdw"
fi
python3 - "$elf/wrong.elf" "$work" <<'PYTHON'
import random, struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
table, count, names = struct.unpack_from("<I", data, 32)[0], *struct.unpack_from("<HH", data, 48)
sections = [struct.unpack_from("<10I", data, table + 40 * i) for i in range(count)]
rng = random.Random(1)
for copy in range(20):
    damaged = bytearray(data)
    for section in sections:
        name = bytes(data[sections[names][4] + section[0]:]).split(b"\0")[0]
        for _ in range(section[5] // 8 if name.startswith(b".debug") else 0):
            damaged[section[4] + rng.randrange(section[5])] = rng.randrange(256)
    open(f"{sys.argv[2]}/damaged.{copy}", "wb").write(damaged)
PYTHON
for copy in "$work"/damaged.*; do
    $run --cores 4 -- "$copy" 5 2>&1 | grep -q "core 3, pc .*unmapped address at 0x70000000" || echo "# $copy"
done >"$work/lost"
[ "$(find "$work" -name "damaged.*" | wc -l)" -eq 20 ] && [ ! -s "$work/lost" ]
ok $? "damaged debug information costs no more than the line"
expect 2 "tiles that make no mesh" "make no mesh" $run --cores 16381 -- "$work/bad.elf"
without="since its shared.network is global; leave it out, or choose --set shared.network=mesh"
expect 2 "a key of a mesh, and none" "mesh.torus: machine manycore-1 has no use for it, $without" \
    $run --machine manycore-1 --set mesh.torus=true -- "$work/bad.elf"
expect 2 "a key of caches, and none" "dcache.size: .* its tile.caches is false; leave it out, or .* tile.caches=true" \
    $run --machine manycore-1 --set dcache.size=8KiB -- "$work/bad.elf"
expect 2 "a latency of private memory behind caches" "core.private: .* its tile.caches is true" \
    $run --machine manycore-2 --set core.private=2 -- "$work/bad.elf"
expect 2 "a latency of the global space, and a mesh" "shared.global_latency: .* its shared.network is mesh" \
    $run --machine manycore-2 --set shared.global_latency=2 -- "$work/bad.elf"
echo 'machine: { kind = "manycore"; extends = "manycore-1"; }; mesh: { width = 8; torus = true; }; dcache: { ways = 4; };' \
    >"$work/eight.cfg"
expect 0 "a machine file may state them" "right on 64 cores" $run --machine "$work/eight.cfg" --cores 64 -- "$elf/fibonacci.elf" 1
expect 2 "rows of a width that is stated" "--set mesh.width=7: mesh.width: 64 tiles make no full rows of 7 .*; choose 63 or 70 tiles (--cores), or a width that divides 64, such as 4; mesh.width=0 follows the number of tiles" \
    $run --cores 64 --set mesh.width=7 -- "$work/bad.elf"
expect 2 "rows wider than there are tiles" "64 tiles make no full row of 65 (mesh.width); choose a width that divides 64, such as 64, or 65 tiles (--cores); mesh.width=0 follows the number of tiles" \
    $run --cores 64 --set mesh.width=65 -- "$work/bad.elf"
expect 2 "no program" "give the kernelslist.g of a trace, or -- and a program" $run --machine manycore-2
$run --cores 4 -o "$work/one" -- "$elf/fibonacci.elf" 5 >/dev/null
$run --cores 4 --set core.branch=2 -o "$work/two" -- "$elf/fibonacci.elf" 5 >/dev/null
$run --cores 4 -o "$work/three" -- "$elf/matmul.elf" 8 >/dev/null
expect 0 "runs of the coprocessor are compared" "branch_penalty_cycles" "$maniple" compare "$work/one" "$work/two"
! grep -q "Wang\|gpu_sim_cycle\|kernelslist" "$tap_folder/out"
ok $? "without statistics of GPUs"
expect 2 "different programs" "different inputs (.*fibonacci.elf 5; .*matmul.elf 8)" "$maniple" compare "$work/one" "$work/three"
expect 2 "tiles for rows of a file" "error: --cores 60: 60 tiles make no full rows of 8 (mesh.width); choose 56 or 64 tiles" \
    $run --machine "$work/eight.cfg" --cores 60 -- "$work/bad.elf"
expect 2 "too many tiles" "is too large" $run --cores 65537 -- "$work/bad.elf"
expect 2 "a machine that is a GPU" "takes no program for its own cores such as .*bad.elf; choose one of kind \"manycore\"" $run --machine rtx3070 -- "$work/bad.elf"
expect 2 "a program of the host for its cores, whatever the options" 'of kind "manycore", which takes no CUDA programs' \
    "$maniple" run --machine manycore-2 --cores 16 -- /bin/true
expect 2 "a cache of no whole sets" "whole number of sets" $run --set dcache.size=1000 -- "$work/bad.elf"
expect 2 "a line of no power of two" "error: --set dcache.line=48: dcache.line: a line of 48 bytes" $run --set dcache.line=48 -- "$work/bad.elf"
expect 2 "ways of no whole sets" "error: --set icache.ways=3: icache.ways: 32768 bytes are not" $run --set icache.ways=3 -- "$work/bad.elf"
expect 2 "a hit slower than a miss" "error: --set dcache.hit=12: dcache.hit: a miss cannot" $run --set dcache.hit=12 -- "$work/bad.elf"

# ===== banks that are too small for what the library and the program keep in each =====
small="barrier.elf: needs 1544 bytes of each core's bank .*, and 32768 cores leave 1280 bytes of shared.size = 41943040 to each"
for machine in manycore-1 manycore-2; do
    expect 2 "banks of 32768 cores on $machine" "$small: give at most 27165 cores, or --set shared.size=50593792" \
        $run --machine $machine --cores 32768 -- "$elf/barrier.elf" 2 1
done
expect 2 "banks of a small memory" "64 cores leave 1024 bytes of shared.size = 65536 .*: give at most 42 cores, or --set shared.size=98816" \
    $run --cores 64 --set shared.size=64KiB -- "$elf/barrier.elf" 1 1
expect 0 "the advice holds" "right on 64 cores" $run --cores 64 --set shared.size=98816 -- "$elf/barrier.elf" 1 2 16 1
expect 0 "programs that need less of a bank run in less" "right on 64 cores" $run --cores 64 --set shared.size=32KiB -- "$elf/fibonacci.elf" 1
expect 2 "--cores without a program" "is for programs" $run --cores 4 "$work/text"
expect 2 "free running is for many-core machines" "executor s-events is for many-core machines alone" \
    "$maniple" app run vecadd --size 1024 --machine gtx480 -q --executor s-events
tap_end
