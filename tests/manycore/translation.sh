#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Translated cores compute what interpreted ones do: the same bytes, state hashes of all epochs included.
# Usage: translation.sh MANIPLE TRANSLATED_RUN [long]; long: all programs, and more random instructions
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
translated_run=$(realpath "$2")
elf=$folder/../../apps/manycore/elf
work=$tap_folder
export XDG_CACHE_HOME=$work/cache
command -v cc >/dev/null || { echo "1..0 # SKIP no compiler cc"; exit 0; }

# Without optimisation it compiles sooner; what the code says is the same.
mkdir "$work/bin"
printf '#!/bin/bash\necho >>%s/compiled\nexec %s "${@//-O2/-O0}"\n' "$work" "$(command -v cc)" >"$work/bin/cc"
chmod +x "$work/bin/cc"
path=$PATH
PATH=$work/bin:$PATH

# Parameters that are not the usual ones: penalties, hits of more than a cycle, small caches, other policies.
odd="--set core.branch=3 --set core.load_use=4 --set core.scratchpad=3 --set core.multiply=2"
plain=$odd
odd="$odd --set icache.size=512 --set icache.line=32 --set icache.hit=2 --set dcache.hit=3 --set dcache.line=32"
odd="$odd --set dcache.size=3072 --set dcache.ways=2 --set tile.private=48MiB"
same() { # NAME OPTIONS -- PROGRAM ARGUMENTS; options of its own take the place of those in front, without a word (-qq)
    local name=$1
    shift
    "$maniple" run -qq --long --hash --core interpreter --threads 1 --executor serial "$@" >"$work/interpreted" 2>&1 </dev/null
    local before=$?
    "$maniple" run -qq --long --hash --core translation "$@" >"$work/translated" 2>&1 </dev/null
    [ $? -eq $before ] && cmp "$work/interpreted" "$work/translated" | note
    cmp -s "$work/interpreted" "$work/translated"
    ok $? "$name"
}

programs="$elf/atomic.elf $elf/barrier.elf $elf/ep.elf $elf/wrong.elf" seeds=1 blocks=32
[ "${3:-}" != long ] || programs=$(echo "$elf"/*.elf) seeds="1 2 3 4 5" blocks=96
for seed in $seeds; do
    expect 0 "random instructions" "no difference" bash -c "$translated_run $seed $blocks <$folder/vectors.in"
done
for program in $programs; do
    name=$(basename "$program" .elf)
    argument=8
    [ "$name" = barrier ] && argument="2 3"
    # shellcheck disable=SC2086
    same "$name on manycore-2" --machine manycore-2 --cores 15 --set mesh.block=2 --threads 2 --window 3 \
        --max-cycles 200000 -- "$program" $argument
done
same "fibonacci on manycore-1" --machine manycore-1 --cores 16 --threads 2 -- "$elf/fibonacci.elf" 9
same "barrier on manycore-1" --machine manycore-1 --cores 16 --threads 2 -- "$elf/barrier.elf" 2 3
# shellcheck disable=SC2086
same "odd parameters, FIFO" --machine manycore-2 --cores 12 $odd --set dcache.write_back_latency=5 \
    -- "$elf/matmul.elf" 24
# shellcheck disable=SC2086
same "odd parameters, LRU, writing through" --machine manycore-2 --cores 12 $odd --set dcache.replacement=lru \
    --set icache.replacement=lru --set dcache.write_back=false --set dcache.write_allocate=false -- "$elf/matmul.elf" 24
# shellcheck disable=SC2086
same "odd parameters without caches" --machine manycore-1 --cores 12 $plain --set core.private=2 -- "$elf/matmul.elf" 24
same "short runs" --machine manycore-2 --cores 12 --set core.run_ahead=300 -- "$elf/matmul.elf" 24
same "a limit" --machine manycore-2 --cores 12 --max-cycles 12345 -- "$elf/matmul.elf" 24
fault() { # NAME WORDS…
    local name=$1
    shift
    python3 "$folder/elf.py" "$work/bad.elf" "$@"
    same "$name" --machine manycore-2 --cores 3 -- "$work/bad.elf"
}
fault "a fault in a block" e3a00207 e2811001 e5901000
fault "a return into Thumb code" e3a00001 e92d0001 e8bd8000
fault "a load of the pc with bit 0" e3a00001 e92d0001 e49df004
fault "code that goes on beyond its end" e3a00001 e1a00000
fault "a jump beyond the code" e3a00a09 e1a0f000

# ===== the cache of translations =====
before=$(wc -l <"$work/compiled")
expect 0 "a translation is found again" "right on 16" "$maniple" run -q --core translation --machine manycore-1 --cores 16 \
    -- "$elf/fibonacci.elf" 4
[ "$(wc -l <"$work/compiled")" -eq "$before" ]
ok $? "and not compiled again"
for cores in 7 300; do
    expect 0 "on $cores cores" "right on $cores" "$maniple" run -q --core translation --machine manycore-1 --cores $cores \
        -- "$elf/fibonacci.elf" 4
done
[ "$(wc -l <"$work/compiled")" -eq "$before" ]
ok $? "on more and fewer cores, too"
for quiet in -q -qq; do
    XDG_CACHE_HOME=$work/cache$quiet "$maniple" run $quiet --core translation --machine manycore-1 --cores 4 -- "$elf/fibonacci.elf" 4 \
        2>&1 >"$tap_folder/out" | grep -q translating
    [ $? = 1 ]
    ok $? "translating is not told with $quiet"
done
export XDG_CACHE_HOME=$work/told
expect 0 "translating is told, and its time apart" "translating fibonacci.elf, once for each program" "$maniple" run \
    --core translation --machine manycore-1 --cores 4 -o "$work/told" -- "$elf/fibonacci.elf" 4
grep -qE "S-MIPS; before that, [0-9.]+ s to translate the program$" "$tap_folder/out"
ok $? "at the end"
python3 - "$work/told" <<'PYTHON'
import json, sys
run, total = (json.load(open(sys.argv[1] + "/results.json"))[name] for name in ("run", "total"))
rate = total["statistics"]["instructions"]["value"] / 1e6 / (run["wall_seconds"] - run["translation_seconds"])
sys.exit(not (0 < run["translation_seconds"] < run["wall_seconds"] and abs(rate - run["s_mips"]) < 0.01 * rate))
PYTHON
ok $? "it is no time of the simulation"
expect 0 "a translation that is there takes none" "right on 4" "$maniple" run --core translation --machine manycore-1 --cores 4 -- "$elf/fibonacci.elf" 4
! grep -q translat "$tap_folder/out"
ok $? "and nothing is said"
export XDG_CACHE_HOME=$work/cache
XDG_CACHE_HOME=$work/auto expect 0 "auto on 256 cores" "right on 256" "$maniple" run -q --machine manycore-1 --cores 256 \
    -- "$elf/fibonacci.elf" 3
[ "$(find "$work/auto" -name "*.so" | wc -l)" -eq 1 ]
ok $? "translates the program"
for i in 1 2 3; do
    XDG_CACHE_HOME=$work/race "$maniple" run -q --core translation --machine manycore-1 --cores 4 -- "$elf/fibonacci.elf" 9 \
        >"$work/race.$i" &
done
wait
cmp -s "$work/race.1" "$work/race.2" && cmp -s "$work/race.1" "$work/race.3" && grep -q "right on 4" "$work/race.1" &&
    [ "$(find "$work/race" -type f | wc -l)" -eq 1 ]
ok $? "three processes at once leave one translation"
printf '#!/bin/bash\nexit 1\n' >"$work/bin/cc"
XDG_CACHE_HOME=$work/none expect 2 "a compiler that fails, asked for" "cc failed" "$maniple" run -q --core translation --cores 5 -- "$elf/fibonacci.elf"
expect 0 "a compiler that fails, with auto" "cores are interpreted" "$maniple" run -v --machine manycore-1 --cores 256 \
    --set tile.dspm=2KiB -- "$elf/fibonacci.elf" 3
printf '#!/bin/bash\necho >"%s/compiling"\nexec sleep 100\n' "$work" >"$work/bin/cc"
XDG_CACHE_HOME=$work/ended "$maniple" run -q --core translation --cores 5 -- "$elf/fibonacci.elf" >"$work/out" 2>&1 &
until [ -e "$work/compiling" ]; do sleep 0.02; done
SECONDS=0
kill -TERM $!
wait $!
status=$?
[ $status -eq 130 ] && [ $SECONDS -lt 50 ]
ok $? "a run ends when it is asked to, while the compiler works"
[ -z "$(find "$work/ended" -type f)" ]
ok $? "and leaves nothing in the cache"
mkdir -m 777 "$work/open"
mkdir -m 777 "$work/open/maniple"
chmod 777 "$work/open/maniple"
XDG_CACHE_HOME=$work/open expect 2 "a folder that others can write" "others than you" "$maniple" run -q \
    --core translation --cores 5 -- "$elf/fibonacci.elf"
PATH=$path
expect 2 "an unknown kind of core" "is not one of auto, interpreter, translation" "$maniple" run --core jit -- x
tap_end
