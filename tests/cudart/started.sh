#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What starts CUDA programs, and what opens CUDA's libraries while it runs. Usage: started.sh MANIPLE SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
build=$(dirname "$(realpath "$1")")
maniple=$build/maniple
program=$build/tests/cudart/driver_program
if [ "$2" != none ] || [ ! -e "$build/libcudart-13.so" ]; then
    skip "programs that start others" "the libraries are for x86-64 and cannot be preloaded with a sanitizer's"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine rtx3080ti"

# ===== children =====
cat >script <<SCRIPT
#!/bin/sh
echo begin
$program
$program >inner
echo end
SCRIPT
chmod +x script
expect 0 "a script whose programs use CUDA" '^Maniple rtx3080ti: error 0, 0 wrong' $run --functional -o family -- ./script
[ "$(grep -c '^ *1  squares ' out)" -eq 2 ] && [ "$(grep -cE '^(begin|end)$' out)" -eq 2 ]
ok $? "each of them has results, where those of the run go"
grep -q '^Maniple rtx3080ti' inner && ! grep -q squares inner
ok $? "what a program prints goes where it wants"
[ -s family/results.json ] && [ -s family/process-2/results.json ]
ok $? "the first one's are in the folder, the second one's in a folder there"
$run --functional -- ./script >whole 2>&1
$run --functional -- ./script >>whole 2>&1
[ "$(grep -cE '^(begin|end)$' whole)" -eq 4 ] && [ "$(grep -c '^ *1  squares ' whole)" -eq 4 ]
ok $? "in a file, nothing is written over"
$run --functional --format json -- ./script >json 2>err
python3 - <<'PYTHON'
import json
text, decoder, names = open("json").read().strip(), json.JSONDecoder(), []
while text:
    value, end = decoder.raw_decode(text)
    names.append(value["kernels"][0]["name"])
    text = text[end:].strip()
assert names == ["squares", "squares"], names
PYTHON
ok $? "JSON: one value of each"
expect 0 "a program that becomes another one" '^ *1  squares ' $run --functional -- sh -c "exec $program"
expect 0 "a program found as a shell finds it" '^Maniple rtx3080ti' $run --functional -- env "$program"
expect 3 "the status is the starting program's own" '' $run --functional -- sh -c "$program; exit 3"
expect 0 "with time" '^ *1  squares .* 64 ' $run -- sh -c "$program; true"
$maniple trace record -o traced -- ./script >out 2>&1 && [ -s traced/kernelslist.g ] &&
    [ -s traced/process-2/kernelslist.g ]
ok $? "traces of both are recorded"

# ===== libraries by name =====
cat >opens.py <<'PYTHON'
import ctypes, sys
driver = ctypes.CDLL(sys.argv[1])
runtime = ctypes.CDLL(sys.argv[2])
version, count = ctypes.c_int(), ctypes.c_int()
assert driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
assert runtime.cudaRuntimeGetVersion(ctypes.byref(version)) == 0
print(count.value, "device, version", version.value)
PYTHON
expect 0 "the driver and the runtime by name" '^1 device, version 13000' $run -- python3 opens.py libcuda.so.1 libcudart.so.13
expect 0 "and by a path" '^1 device, version 12000' \
    $run -- python3 opens.py /nowhere/libcuda.so /nowhere/libcudart.so.12.4.127
expect 1 "other libraries are not ours" 'nowhere/libcudart.so.11.0' \
    $run -- python3 opens.py libcuda.so.1 /nowhere/libcudart.so.11.0

# ===== the stand-in for ptxas =====
printf '.version 8.0\n.target sm_80\n' >in.ptx
"$build/maniple-ptxas" -lineinfo -v --gpu-name=sm_80 in.ptx -o out.o && cmp -n "$(stat -c %s in.ptx)" in.ptx out.o
ok $? "the stand-in for ptxas hands on PTX"
"$build/maniple-ptxas" --version | grep -q 'release [0-9]*\.[0-9]*, V'
ok $? "and has a version"
expect 1 "an input that is not there" 'maniple-ptxas: nothing: No such file' "$build/maniple-ptxas" nothing -o out.o

# ===== what is wrong =====
expect 2 "a script that uses no CUDA" "uses neither CUDA's runtime nor its driver" $run -- sh -c true
expect 5 "one that fails says that, and why there are no results" 'sh has ended with status 5, and has not used CUDA: there are no results' \
    $run -- sh -c 'exit 5'
expect 2 "a program that is nowhere" 'nowhere-at-all' $run -- nowhere-at-all
tap_end
