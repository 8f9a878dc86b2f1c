#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Messages that lead: misspelt words name the nearest, remedies can be followed, nothing from outside steers the
# terminal, and a list of kernels may come through a pipe. Usage: messages.sh MANIPLE TRACEGEN
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
work=$tap_folder
run="$maniple run --machine rtx3070 -q"

"$tracegen" vectoradd "$work/trace" >"$work/out" 2>&1
ok $? "maniple-tracegen vectoradd"
list=$work/trace/kernelslist.g

# ===== did you mean =====

expect 2 "a verb" "did you mean run?" "$maniple" rnu
expect 2 "an option of run" "no option --tread; did you mean --threads?" "$maniple" run --tread=2 "$list"
expect 2 "an option with a value behind it" "did you mean --machine?" "$maniple" run --machin2 rtx3070 "$list"
expect 2 "an option without a near one" "no option --xyzzy (.maniple run --help. tells more)" "$maniple" run --xyzzy "$list"
expect 2 "a letter" "no option -Z" "$maniple" run -Z "$list"
expect 2 "an option that is cut" "error: maniple run has no option --exec; did you mean --executor?" $run --exec serial "$list"
expect 2 "an option that is cut, with a value" "no option --thr; did you mean --threads?" $run --thr=1 "$list"
expect 2 "help that is cut" "error: maniple run has no option --he" $run --he
expect 2 "a clock without a unit" "clock.core = 1588 has no unit, so that it is in hertz, and too small; state a frequency" $run --set clock.core=1588 "$list"
expect 2 "a clock with one" "clock.core = 1kHz is too small" $run --set clock.core=1kHz "$list"
expect 2 "a timeline named as JSON" "tl.json: a timeline is Perfetto's protobuf, not JSON" "$maniple" timeline "$work" -o "$work/tl.json"
expect 0 "a value may look like an option" "" $run -o --odd "$list"
rm -rf ./--odd
expect 2 "an option of convert" "did you mean --output?" "$maniple" convert --outptu "$list"
expect 2 "an option of compare" "has no option --tolernace" "$maniple" compare --tolernace a b
expect 2 "an option of trace record" "did you mean --machine?" "$maniple" trace record --machien x
expect 2 "an option of trace info" "did you mean --help?" "$maniple" trace info --hepl
expect 2 "a verb of trace" "did you mean info?" "$maniple" trace inof "$list"
expect 2 "a verb of machine" "did you mean show?" "$maniple" machine shwo rtx3070
expect 2 "a machine" "did you mean rtx3070?" "$maniple" machine show rtx3700
expect 2 "a machine of several kinds" "did you mean h100-pcie or h100-sxm or h100-nvl" "$maniple" run --machine h100 "$list"
expect 2 "a machine in other letters" "did you mean rtx4090?" "$maniple" run --machine "RTX 4090 Ti" "$list"
expect 2 "a machine with more behind it" "did you mean a100?" "$maniple" run --machine a100-80gb "$list"
expect 2 "a machine that is like none" 'file "xyzzy" (machines:' "$maniple" run --machine xyzzy "$list"
"$tracegen" stream "$work/other" arch=86 >"$work/out" 2>&1
expect 0 "results of a trace" "" $run -o "$work/kept" "$list"
expect 0 "results of another one are replaced with a word" "kept has results of $list, which those of $work/other/kernelslist.g replace" \
    "$maniple" run --machine rtx3070 -o "$work/kept" "$work/other/kernelslist.g"
$run -o "$work/kept" "$work/other/kernelslist.g" 2>&1 >"$work/out" | grep -q replace
[ $? = 1 ]
ok $? "those of the same one are replaced without"
fft=$(dirname "$0")/../../apps/manycore/elf/fft.elf
many() { "$maniple" run -q --machine manycore-2 "$@" -- "$fft" 64; }
# file TEXT: a machine that extends the RTX 3070 and states this in line 2.
file() { printf 'machine: { name = "mine"; kind = "gpu"; extends = "rtx3070"; %s };\n%s\n' "${2:-}" "$1" >"$work/mine.cfg"; }
file 'l2: { fetch = 48; };'
expect 2 "a part's key of a file" "mine.cfg:2: l2.fetch is 48 bytes; use a power of two" "$maniple" machine show "$work/mine.cfg"
file 'sm: { l1d: { size = "100KiB"; }; };'
expect 2 "that of another part" "mine.cfg:2: sm.shared.max of 102400 bytes leaves" "$maniple" machine show "$work/mine.cfg"
expect 2 "a size between two, with the nearer" "l2.slice.size is 100000 bytes, which is no multiple of l2.line × l2.slice.ways = 2048; use 100352" \
    $run --set l2.slice.size=100000 "$list"
expect 2 "and one below the first" "= 2048; use 2048, or change" $run --set l2.slice.size=1000 "$list"
expect 2 "one of --set" "error: --set l2.fetch=48: l2.fetch is 48 bytes" $run --set l2.fetch=48 "$list"
file 'dram: { kind = "hbm3"; };'
expect 2 "another memory with the cycles of the first" "mine.cfg:2: dram.kind: dram.timing.cl and others of dram.timing remain in cycles" \
    "$maniple" machine show "$work/mine.cfg"
file 'dram: { kind = "hbm3"; timing: { ccd = 0; rcd = 0; ras = 0; rp = 0; rc = 0; cl = 0; }; };'
expect 0 "one with its own" "" "$maniple" machine show "$work/mine.cfg"
file 'dram: { kind = "gddr6"; };'
expect 0 "the same memory" "" "$maniple" machine show "$work/mine.cfg"
file '' 'architecture = 61;'
expect 2 "an architecture older than the machine's" "mine.cfg:1: machine.architecture = 61 is older than sm_86 of rtx3070" \
    "$maniple" machine show "$work/mine.cfg"
: >"$work/empty.cfg"
expect 2 "a machine file without a word" "empty.cfg: is empty; a machine file states at least" "$maniple" machine show "$work/empty.cfg"
expect 2 "a plan without one" "empty.cfg: is empty; a plan states machines" "$maniple" sweep "$work/empty.cfg" -o "$work/none"
expect 2 "a window the wrong way round" "--timeline warps:200-100: the window ends before it begins" $run --timeline warps:200-100 "$list"
expect 2 "a key of the user's before those of the machine" "error: --set dcache.line=48: dcache.line: a line of 48" many --set dcache.line=48
expect 2 "one of several that do not fit" "error: --set dcache.ways=3: dcache.ways: 32768 bytes are not" many --set dcache.ways=3
expect 2 "cores that are stated twice" "--cores 64 and --set tile.count=16 state the same key" many --cores 64 --set tile.count=16
touch "$work/x.cu" "$work/y.cu" "$work/x.py" "$work/x.ptx" "$work/x.cpp" && echo "int main() {}" >"$work/x.cu"
for name in x y; do
    expect 2 "CUDA source" "$name.cu: is CUDA source; build it .* nvcc -o $name .*/$name.cu && maniple run -- ./$name" \
        "$maniple" run "$work/$name.cu"
done
expect 2 "Python" "maniple run -- python3 .*x.py" "$maniple" run "$work/x.py"
expect 2 "PTX" "run the program that launches its kernels" "$maniple" run "$work/x.ptx"
expect 2 "C++" "compile it and run the program: maniple run -- ./x" "$maniple" run "$work/x.cpp"
cp /bin/true "$work/prog"
expect 2 "a program in place of a verb" "to simulate it: maniple run -- .*/prog" "$maniple" "$work/prog"
expect 2 "a trace in place of a verb" "to simulate it: maniple run .*kernelslist.g" "$maniple" "$list"
expect 2 "source in place of a verb" "to simulate it: maniple run .*x.cu" "$maniple" "$work/x.cu"
expect 2 "a path to nothing in place of a verb" "no such file; to simulate a program: maniple run -- PROGRAM" "$maniple" ./none/prog
(cd "$work" && "$maniple" prog 2>&1) | grep -q "maniple run -- ./prog"
ok $? "a program of this folder"
if [ -x "$(dirname "$maniple")/maniple-apps" ]; then
    expect 2 "a verb of app" "did you mean run?" "$maniple" app rnu sgemm
    expect 2 "a workload" "did you mean sgemm?" "$maniple" app show sgem
fi
expect 2 "a kind of trace" "did you mean matmul?" "$tracegen" matmull "$work/none"

# ===== maniple-tracegen =====

cd "$work" || exit 1
expect 0 "help on a kind" "The kind and its keys" "$tracegen" matmul --help
expect 0 "behind a folder too" "The kind and its keys" "$tracegen" matmul folder --help
[ ! -e ./--help ] && [ ! -e folder ]
ok $? "makes no folder"
expect 2 "a folder that looks like an option" "./--list" "$tracegen" matmul --list

# ===== what is said of a machine =====

expect 0 "what --set states stands in the header" "^Machine rtx3070 with sm.count=16, gpc.count=2; otherwise: .*46 SMs" \
    $run --set sm.count=16 --set gpc.count=2 "$list"
expect 0 "the last of a key" "^Machine rtx3070 with sm.count=8; otherwise" $run --set sm.count=16 --set sm.count=8 "$list"
expect 2 "a built-in file is not to be edited" "state another value with --set sm.l1d.line=.* extends the machine" \
    $run --set l2.line=64 "$list"
printf 'machine: { extends = "rtx3070"; };\nl2: { line = 64; };\nsm: { l1d: { line = 128; }; };\n' >"$work/own.cfg"
expect 2 "a file of one's own is" "own.cfg:3: sm.l1d.line" $run --machine "$work/own.cfg" "$list"

# ===== options that are there twice =====

expect 0 "an option with two values" "^maniple: warning: maniple run: --machine is there twice, with rtx3070 and v100: the last one counts" \
    $run --machine=v100 "$list"
expect 0 "its letter" "warning: maniple run: -*o[a-z]* is there twice, with $work/twice and $work/again" $run -o "$work/twice" -o"$work/again" "$list"
$run --machine rtx3070 --set sm.count=16 --set gpc.count=2 --threads 1 --threads=1 "$list" 2>&1 | grep -q "there twice"
ok $((! $?)) "the same value, and options that may be repeated, are no matter"
$run --threads 1 --threads=2 -qq "$list" 2>&1 | grep -q "there twice"
ok $((! $?)) "nothing with -qq"

# ===== control characters =====

esc=$'\e[31m'
# plain NAME COMMAND…: fails, and what is said has no control characters but ends of lines.
plain() {
    local name=$1
    shift
    "$@" >"$work/said" 2>&1 </dev/null
    [ -s "$work/said" ] && ! LC_ALL=C grep -q '[^[:print:][:space:]]' <(LC_ALL=C tr -d '\200-\377' <"$work/said")
    ok $? "$name is written without control characters"
}
plain "a verb" "$maniple" "r$esc"
plain "an option" "$maniple" run "--x$esc"
plain "a letter" "$maniple" run "-$esc"
plain "an input" $run "$work/no${esc}where"
plain "a machine" "$maniple" run --machine "rtx$esc" "$list"
plain "a key" $run --set "sm.${esc}count=3" "$list"
plain "a value" $run --set "sm.count=3$esc" "$list"
plain "a number" $run --threads "3$esc" "$list"
plain "a folder" $run -o "/proc/a${esc}b" "$list"
plain "a kind of trace" "$tracegen" "mat$esc" "$work/none"
plain "a workload" "$maniple" app show "sgemm$esc"
printf 'ker\e[31mnel\n' >"$work/trace/bad.g"
plain "a name in a list" $run "$work/trace/bad.g"
cp "$work"/trace/kernel-1* "$work/trace/kernel-9.traceg"
sed -i "s/^-kernel name = .*/-kernel name = fill${esc}red/" "$work/trace/kernel-9.traceg"
echo kernel-9.traceg >"$work/trace/red.g"
plain "a kernel" $run "$work/trace/red.g"
grep -q 'fill.x1b\[31mred' "$work/said"
ok $? "but as an escape"
plain "a kernel with --long" $run --long "$work/trace/red.g"
plain "a kernel as GPGPU-Sim writes it" $run --format gpgpusim "$work/trace/red.g"
plain "a kernel of a trace" "$maniple" trace info "$work/trace/red.g"

# ===== pipes =====

grep -v Memcpy "$list" | sed "s,^,$work/trace/," >"$work/absolute.g"
$run --long "$work/absolute.g" >"$work/expected" 2>&1
$run --long <(cat "$work/absolute.g") >"$work/got" 2>&1
cmp -s "$work/expected" "$work/got"
ok $? "a list may come through a pipe"
mkfifo "$work/trace/fifo"
grep -v Memcpy "$list" >"$work/trace/fifo" &
timeout 20 $run --long "$work/trace/fifo" >"$work/got" 2>&1
cmp -s "$work/expected" "$work/got"
ok $? "or a FIFO, beside the files that it names"
(cd "$work/trace" && grep -v Memcpy "$list" | $run --long /dev/stdin) >"$work/got" 2>&1
cmp -s "$work/expected" "$work/got"
ok $? "or standard input, whose names are relative to the working directory"
"$maniple" convert -q "$list" -o "$work/packed.mtrace"
$run <(cat "$work/packed.mtrace") >"$work/out" 2>&1
[ $? -eq 2 ] && grep -q "is no file but a pipe" "$work/out"
ok $? "a packed trace in a pipe is refused"

# ===== the summary =====

for _ in $(seq 30); do cat "$work/absolute.g"; done >"$work/many.g"
$run "$work/many.g" >"$work/out"
[ "$(wc -l <"$work/out")" -le 50 ] && [ "$(grep -c ' vectoradd ' "$work/out")" -eq 10 ] && grep -q " 20 more kernels" "$work/out"
ok $? "the text of many kernels fits a screen, and says how many are left out"
[ "$($run --long "$work/many.g" | grep -c ' vectoradd ')" -eq 30 ]
ok $? "--long shows all"
sed -i "s/^-kernel name = .*/-kernel name = _Z4fillPii/" "$work/trace/kernel-9.traceg"
$run "$work/trace/red.g" >"$work/text"
$run --format json "$work/trace/red.g" >"$work/json"
grep -q '"_Z4fillPii"' "$work/json" && grep -qE ' fill |_Z4fillPii' "$work/text"
ok $? "kernels' names are C++ in text, without parameters, where the host can, and mangled in JSON"
tap_end
