#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What --executor cuda says when the driver, the GPU, its memory or its life is missing: exit status 2, what is wrong and
# what helps, and nothing hangs. Usage: cuda_faults.sh MANIPLE STUB STUB-OLD; see stub_driver.c
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
elf=$folder/../../apps/manycore/elf
mkdir "$tap_folder/new" "$tap_folder/old" "$tap_folder/broken"
cp "$2" "$tap_folder/new/libcuda.so.1"
cp "$3" "$tap_folder/old/libcuda.so.1"
mkdir "$tap_folder/nvrtc"
cp "$2" "$tap_folder/nvrtc/libcuda.so.1"
cp "$2" "$tap_folder/nvrtc/libnvrtc.so.13"
echo "no library" >"$tap_folder/broken/libcuda.so.1"

core=interpreter # NVRTC opens the driver as well, and ours has not all that it asks for
fails() { # NAME PATTERN DRIVER "VARIABLES" OPTION…
    local name=$1 pattern=$2 driver=$3 variables=$4
    shift 4
    # shellcheck disable=SC2086
    expect 2 "$name" "$pattern" env LD_LIBRARY_PATH="$tap_folder/$driver" $variables timeout 60 "$maniple" run --executor cuda --core "$core" \
        --machine manycore-2 --max-cycles 1000000 -o "$tap_folder/out-$tap_count" "$@" -- "$elf/fibonacci.elf" 5
}
fails "a library that is none" "libcuda.so.1 cannot be opened" broken "" --cores 4
fails "a driver without cooperative launches" "no cuLaunchCooperativeKernel: the NVIDIA driver is too old" old "" --cores 4
fails "no device" "looking for a GPU.*(100).*no GPU that the driver can use" new STUB_DEVICES=0 --cores 4
fails "a driver that finds none" "looking for a GPU.*(100).*no GPU that the driver can use" new STUB_INIT=100 --cores 4
fails "a driver older than the kernels" "loading the kernels.*(222).*the driver is too old" new STUB_LOAD=222 --cores 4
fails "a GPU older than the kernels" "loading the kernels.*(209).*older than compute capability 7.5" new STUB_LOAD=209 --cores 4
fails "too little memory" "Stub has too little memory: 1024 cores take [0-9]* MiB, [0-9]* bytes each.*64 MiB are free; choose fewer" \
    new STUB_MEMORY=67108864 --cores 1024
fails "less memory than was said" "taking device memory.*(2).*choose fewer cores" new "STUB_MEMORY=30000000 STUB_TOLD=1000000000" \
    --cores 1024
core=translation
fails "an NVRTC that is none" "core translation: libnvrtc.so has no nvrtc[A-Za-z]*; use --core auto" nvrtc "" --cores 4
core=interpreter
# hints that are newer than the version that the kernels say they are of: no driver would take them
! python3 "$folder/../../data/ptx/build.py" --show kernel | grep -q used_bytes_mask
ok $? "the kernels have nothing that is newer than they say"
for launch in 1 3; do
    fails "a device lost in launch $launch" "running the machine: CUDA_ERROR_LAUNCH_FAILED (719)" new STUB_LOST=$launch --cores 4
    [ "$(grep -c "CUDA_ERROR_LAUNCH_FAILED" "$tap_folder/out")" -eq 1 ]
    ok $? "is told once"
done
tap_end
