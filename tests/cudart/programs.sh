#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# CUDA programs from outside: one that checks what it gets from the runtime, kept built (programs/runtime.cu says how),
# and programs, options and machines that are wrong. Usage: programs.sh MANIPLE SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
build=$(dirname "$(realpath "$1")")
maniple=$build/maniple
if ! maniple=$(sanitize "$maniple" "$2"); then
    skip "CUDA programs" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
if [ ! -e "$build/libcudart-13.so" ] || ldd "$folder/programs/runtime" 2>&1 | grep -v cudart | grep -q 'not found\|not a dynamic'; then
    skip "CUDA programs" "this host cannot run the kept x86-64 program"
    tap_end
    exit
fi
cp "$folder/programs/runtime" "$tap_folder/runtime"
chmod +x "$tap_folder/runtime"
cd "$tap_folder" || exit 1
run="$maniple run -q --functional --machine rtx3080ti"

# ===== the parts of the program =====
parts=$($run -- ./runtime list)
[ "$(echo "$parts" | wc -l)" -eq 12 ]
ok $? "the program names its twelve parts"
declare -A part_status=([missing]=2 [faults]=2)
for part in $parts; do
    expect "${part_status[$part]:-0}" "$part" '^right$' $run -- ./runtime "$part"
done
expect 0 "without a machine, the one for the program's code" '^Maniple rtx2060: sm_75, 30 SMs' $maniple run -q -- ./runtime device
expect 0 "properties come from the machine file" '^Maniple h100-pcie: sm_90, 114 SMs, 2048 threads and 233472 bytes' \
    $maniple run -q --machine h100-pcie -- ./runtime device
$maniple machine show rtx3080ti >mine.cfg
expect 0 "or from a file of the user's" 'sm_86, 80 SMs' $maniple run -q --machine mine.cfg -- ./runtime device
expect 0 "and from --set" 'sm_86, 7 SMs' $run --set sm.count=7 -- ./runtime device

# As CUDA's occupancy calculator has it: 1536 or 2048 threads, 16 or 32 blocks, 100 or 228 KiB with 1 KiB for each block.
expect 0 "occupancy of compute capability 8.6" '^1 6 16 2 blocks' $run -- ./runtime occupancy
expect 0 "occupancy of compute capability 9.0" '^2 8 32 5 blocks' $maniple run -q --machine h100-pcie -- ./runtime occupancy

# ===== reports of faults =====
$run -- ./runtime faults >out 2>&1
grep -q 'PTX of ./runtime:[0-9]*: kernel fill(int\*, int, int), block (1,0,0), thread (36,0,0): `st.global.u32`: an access outside every allocation, at address 0x7[0-9a-f]*90; the nearest allocation is 0x7[0-9a-f]*, 400 bytes' out
ok $? "a fault's report has kernel, line, block, thread, address and the nearest allocation"
grep -q 'kernel stop(), block (0,0,0), thread (0,0,0): `trap`' out
ok $? "a trap's too"
expect 2 "what is not supported is named" 'cudaIpcGetMemHandle is not supported yet' $run -- ./runtime missing

expect 0 "a program of the driver API that opens its library by name" '^Maniple rtx3080ti: error 0, 0 wrong' \
    $run -- "$build/tests/cudart/driver_program"
cp "$build/tests/cudart/driver_program" by_nvcc
echo "no kernel" >section && objcopy --add-section .nv_fatbin=section by_nvcc
expect 0 "also where nvcc has left a section for device code" '^Maniple rtx3080ti: error 0, 0 wrong' $run -- ./by_nvcc
expect 0 "and with time, whose kernel is among the results" '^ *1  squares .* 1 .* 64 ' \
    $maniple run -q --machine h100-pcie -- "$build/tests/cudart/driver_program"

# ===== results =====
expect 0 "results of a program whose library has used the device before it begins" '^right$' \
    $maniple run -q --machine rtx3070 -o early -- "$build/tests/cudart/early_program"
grep -q 'kernel_of_a_name_that_no_c' out && [ -s early/results.json ]
ok $? "and its kernel of a long name among them"
$run -o results -- ./runtime symbols >text
grep -q '  scale  *1  *8 ' text && [ -s results/results.json ] && [ -s results/machine.resolved ]
ok $? "results follow what the program prints, and go to a folder"
$run --format json -- ./runtime symbols >json 2>err
python3 - <<'PYTHON'
import json
results = json.load(open("json"))
assert results["kernels"][0]["name"] == "_Z5scalePii" and results["kernels"][0]["block"] == [8, 1, 1]
assert results["kernels"][0]["statistics"]["gpgpu_n_tot_w_icount"]["value"] > 5
assert open("err").read() == "right\n"
PYTHON
ok $? "JSON is all of standard output; the program's goes to standard error"
same=0
$run -- ./runtime streams >first
for i in 1 2 3 4 5 6 7 8 9 10; do
    $run -- ./runtime streams | cmp -s - first || same=1
done
ok $same "streams, events and polling: the same bytes in ten runs"
same=0
timed="$maniple run -q --machine rtx3080ti"
for part in vector_add symbols memory managed managed_variables launches textures faults; do
    expect "${part_status[$part]:-0}" "with time: $part" '^right$' $timed --set sm.count=16 -- ./runtime "$part"
done
$timed --threads 1 -- ./runtime streams >first
for how in "--threads 2" "--threads 4 --schedule dynamic" "--executor serial" "--executor lockstep --threads 2" \
    "--executor pool --threads 2" "--executor domains --threads 2" "--window 1" "--no-skip"; do
    $timed $how -- ./runtime streams | cmp - first | note
    [ "${PIPESTATUS[1]}" -eq 0 ] || same=1
done
ok $same "with time: the same bytes for any number of threads, executor and window"

# ===== the documentation =====
python3 - "$folder/../.." "$build" <<'PYTHON'
import re, subprocess, sys
page, driver_page = open(sys.argv[1] + "/docs/cuda-functions.md").read().split("## The runtime API")[1].split("## The driver API")
named = set(re.findall(r"`(_*cuda\w+)`", "".join(line for line in page.splitlines() if line.startswith("| "))))
source = open(sys.argv[1] + "/src/cudart/api/runtime_aliases.c").read()
alias = set(re.findall(r"^ALIAS\((\w+),", source, re.M))
lines = subprocess.run(["nm", "-D", "--defined-only", f"{sys.argv[2]}/libcuda.so.1"], check=True, capture_output=True,
                       text=True).stdout.splitlines()
exported = {line.split()[2] for line in lines if re.search(r" (__)?cuda[A-Z]", line)} - {"cudaGetDeviceProperties_v2"}
weak = {line.split()[2] for line in lines if line.split()[1] == "W"} # of the lists in data/exports, and not ours
missing = weak & exported
assert exported - missing - alias == named, exported - missing - alias ^ named
driver = {line.split()[2] for line in lines if re.search(r" cu[A-Z]", line)}
driver_named = set(re.findall(r"`(cu[A-Z]\w+)`", "".join(line for line in driver_page.splitlines() if line.startswith("| "))))
header = open(sys.argv[1] + "/include/maniple/driver.h").read()
forms = dict(re.findall(r"^#define (cu\w+)\s+(cu\w+)$", header, re.M))
declared = {forms.get(name, name) for name in re.findall(r"^CUresult (\w+)\(", header, re.M)}
assert declared - driver == set(), declared - driver
source = open(sys.argv[1] + "/src/cudart/api/driver_aliases.c").read()
driver_missing = weak & driver | {"cuGetExportTable"} # refused, too
driver -= driver_missing | set(re.findall(r"^ALIAS\((\w+),", source, re.M))
assert driver == driver_named, driver ^ driver_named
assert driver_page.split()[0] == str(len(driver)) and f"other {len(driver_missing)} of" in driver_page, len(driver)
assert page.split()[0] == str(len(named)) and f"have {len(missing)} more" in page, (len(named), len(missing))
PYTHON
ok $? "docs/cuda-functions.md names all functions that are supported, and no other"

# ===== what is wrong =====
expect 1 "code for newer machines alone" 'no PTX for sm_70 or below (it holds: PTX of 75)' \
    $maniple run -q --machine v100 -- ./runtime symbols
expect 1 "and an answer to a question about it that no launch follows" 'no PTX for sm_70 or below (it holds: PTX of 75)' \
    $maniple run -q --machine v100 -- ./runtime occupancy

# A program without results says why; its children, which load the library too, keep silent.
expect 134 "a program that ends by a signal" 'ended by a signal (Aborted): there are no results' \
    $maniple run --machine rtx3080ti -- "$build/tests/cudart/driver_program" abort
expect 0 "a program that leaves the device alone" '^maniple: the program has launched no kernel' \
    $maniple run --machine rtx3080ti -- "$build/tests/cudart/driver_program" idle
expect 134 "a recording that a signal ends" 'ended by a signal (Aborted): its trace is not whole' \
    $maniple trace record -o record -- "$build/tests/cudart/driver_program" abort
expect 0 "a recording" ': recorded; ' $maniple trace record -o record -- "$build/tests/cudart/driver_program"
expect 2 "nothing to record where there is a trace already" 'there is nothing to record' \
    $maniple trace record -o record -- "$build/tests/cudart/driver_program" idle
expect 0 "and its children" '' $maniple run --machine rtx3080ti -- "$build/tests/cudart/driver_program" children
[ "$(grep -c 'no kernel' out)" -eq 1 ]
ok $? "are not spoken of"

# The dynamic linker takes blanks for the end of a path.
mkdir "two words"
cp "$build/maniple" "$build"/libcuda.so.1 "$build"/libcudart-13.so "$build"/libmaniple-redirect.so "two words"
# shellcheck disable=SC2086
expect 0 "maniple in a folder whose name has a blank" '^right$' \
    ${maniple%"$build/maniple"} "./two words/maniple" run -q --functional -- ./runtime symbols
grep -q "LD_PRELOAD cannot be preloaded" out
ok $((1 - $?)) "its libraries are found"

sed 's/libcudart\.so\.13/libcudart.so.11/g' runtime >old
chmod +x old
expect 2 "another version of CUDA" 'needs the shared runtime of CUDA 11, which is not supported' $run -- ./old
expect 2 "a program without CUDA" 'uses neither CUDA.s runtime nor its driver' $run -- /bin/true
expect 7 "one that has failed" 'has ended with status 7, and has not used CUDA: there are no results' $run -- sh -c 'exit 7'
expect 2 "one that closes standard error at its end" 'uses neither CUDA.s runtime nor its driver' $run -- echo
cat >shapes.py <<'END'
import ctypes, sys
driver = ctypes.CDLL("libcuda.so.1")
context, module, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
assert driver.cuInit(0) == 0 and driver.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
ptx = b".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry none()\n{\nret;\n}\n"
assert driver.cuModuleLoadData(ctypes.byref(module), ptx) == 0
assert driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"none") == 0
for threads, shared in zip(sys.argv[1::2], sys.argv[2::2]):
    driver.cuLaunchKernel(kernel, 1, 1, 1, int(threads), 1, 1, int(shared), None, None, None)
END
expect 0 "a launch that fails" \
    'launched no kernel, so there are no results; 1 launch has failed, of grid (1,1,1), block (2048,1,1): error' \
    ${run/-q/} -- python3 shapes.py 2048 0
expect 0 "launches that fail beside one" 'warning: 2 launches have failed, the last one of kernel none, grid (1,1,1)' \
    ${run/-q/} -- python3 shapes.py 2048 0 32 0 32 1000000
$run -o failed -- python3 shapes.py 2048 0 32 0 >out 2>&1
grep -q '1 launch has failed' failed/results.json
ok $? "and results say so"
expect 2 "a choice of none of the launches" "none of the program.s 1 launches" ${run/--functional/} --kernels 7 -- python3 shapes.py 32 0
grep -q 'Machine\|cycles' out
[ $? -ne 0 ]
ok $? "prints no table"
echo '__global__ void k() {}' >source.cu
expect 2 "CUDA source" 'is CUDA source; build it and run the program: nvcc -o source' $run -- source.cu
expect 2 "a many-core machine" 'takes no CUDA programs; choose one of kind "gpu"' $maniple run --machine manycore-2 -- ./runtime
expect 2 "a misspelt key" 'sm.cuont' $run --set sm.cuont=4 -- ./runtime
expect 2 "two GPUs and checks" '--check: a program on 2 GPUs (gpu.devices) does not have that yet' \
    $run --check race --gpus 2 -- ./runtime
expect 2 "no GPUs" '--gpus 0: is too small; state a whole number from 1 to 16' $run --gpus 0 -- ./runtime
expect 2 "an option about time, without time" '--max-cycles: with --functional there is no time' \
    $run --max-cycles 5 -- ./runtime
expect 2 "several processes without time" 'execution without time is of one process' \
    $maniple run --machine rtx3070 --functional --executor mpi -- ./runtime
cp runtime plain
chmod -x plain
[ "$(id -u)" -eq 0 ] || expect 2 "a file that cannot be run" 'cannot be run' $run -- ./plain
head -c 64 runtime >short
expect 2 "a program of its header alone" 'short' $run -- ./short
problem=0
for bytes in 100 800 5000 20000 40000; do
    head -c $bytes runtime >cut
    chmod +x cut
    $run -- ./cut symbols >/dev/null 2>&1 </dev/null
    status=$?
    # What is left may be enough to start; then the host's loader refuses it, or the program itself ends by a signal.
    [ $status -ge 1 ] && [ $status -ne 70 ] || problem=1
done
ok $problem "truncated programs end with an error"
tap_end
