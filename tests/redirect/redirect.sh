#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs and libraries that hold NVIDIA's static runtime, as nvcc links it by default: made-up ones everywhere
# (static_runtime.h), and those of nvcc where there is one. Usage: redirect.sh MANIPLE SOURCES SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
build=$(dirname "$(realpath "$1")")
sources=$2
held=$build/tests/redirect
maniple=$build/maniple
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "static runtimes" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --functional --machine rtx3080ti --set sm.count=7"

for version in 11080 12090 13000; do
    expect 0 "a program of CUDA $version" "^CUDA $version: right" $run -- "$held/holder-$version"
    expect 2 "a function that we lack is named" 'cudaFunctionOfTomorrow is not supported yet' $run -- "$held/holder-$version" missing
done
expect 0 "without --" '^CUDA 13000: right' $run "$held/holder-13000"
expect 0 "a copy of the process" '^CUDA 12090: right' $run -- "$held/holder-12090" fork
expect 0 "as a shell starts it" '^CUDA 13000: right' $run -- sh -c "env true && exec $held/holder-13000"

# Libraries of several versions in one process, each with the structures of its own; opened twice, closed, opened again.
libraries="$held/libheld-11080.so $held/libheld-12090.so $held/libheld-13000.so"
for how in open deep; do
    [ $how = deep ] && [ "$3" != none ] && continue # sanitizers refuse RTLD_DEEPBIND
    # shellcheck disable=SC2086
    expect 0 "libraries of three versions in one process: $how" '^CUDA 12090: right' $run -- "$held/holder-12090" $how $libraries
    [ "$(grep -c 'right$' out)" -eq 7 ] && ! grep -q wrong out
    ok $? "all are right"
done
cat >opener.py <<'PYTHON'
import ctypes, sys
sys.exit(sum(ctypes.CDLL(name).check_other() for name in sys.argv[1:]))
PYTHON
expect 0 "libraries that others need" '^CUDA 13000: right' $run -- python3 opener.py "$held/libneeding-12090.so" "$held/libneeding-13000.so"
cat >failing.py <<'PYTHON'
import ctypes, sys
for name in sys.argv[1:]:
    try:
        ctypes.CDLL(name)
        print("opened", name)
    except OSError as error:
        print("not opened:", error)
PYTHON
expect 0 "a library whose need is not there, and one opened after it" '^not opened' \
    $run -- python3 -c "$(cat failing.py)
import shutil
shutil.copy('$held/libneeding-12090.so', 'alone.so')
ctypes.CDLL('$held/libheld-13000.so').check()" nothing.so
# ===== without symbols =====
for version in 12090 13000; do
    strip -o bare "$held/holder-$version"
    expect 2 "a stripped program without a map" 'holds NVIDIA.s CUDA runtime .* without symbols' $run -- ./bare
done
mkdir -p here/data/runtimes
cp -r "$build/maniple" "$build"/*.so "$build"/libcuda.so.1 here
expect 2 "damaged maps" 'without symbols' ${maniple%"$build/maniple"} here/maniple run -q --functional -- ./bare
# The object file of the program stands for the archive.
object=$(find "$held" -path '*holder-13000.p*' -name '*holder.c.o' | head -1)
python3 "$sources/data/runtimes/map.py" "$object" 13000 >here/data/runtimes/13.map 2>map.log
if [ -s here/data/runtimes/13.map ]; then
    expect 0 "a stripped program whose version has a map" '^CUDA 13000: right' \
        ${maniple%"$build/maniple"} here/maniple run -q --functional --machine rtx3080ti --set sm.count=7 -- ./bare
else
    skip "a map" "$(cat map.log)"
fi

# ===== nvcc's own =====
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
if [ -z "$nvcc" ]; then
    skip "nvcc's default build" "there is no nvcc"
elif ! { "$nvcc" -arch=sm_86 -c -o vectoradd.o "$folder/../cudart/vectoradd.cu" && "$nvcc" -o vectoradd vectoradd.o &&
    "$nvcc" -cudart shared -o shared vectoradd.o; } >log 2>&1; then
    skip "nvcc's default build" "nvcc: $(tail -1 log)"
else
    expect 0 "nvcc's default build" '' $maniple run -q --machine rtx3080ti -- ./vectoradd
    sed 's/vectoradd/shared/' out >default
    $maniple run -q --machine rtx3080ti -- ./shared 2>&1 | sed 's/vectoradd/shared/' | cmp - default
    ok $? "prints the same as with -cudart shared"
    strip vectoradd
    expect 0 "and stripped" '' $maniple run -q --machine rtx3080ti -- ./vectoradd
fi
tap_end
