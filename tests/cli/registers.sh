#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# bench/registers.py: with no ptxas it is skipped; beside a stand-in of one, whose figures are known, the shares are what they
# are by hand. With MANIPLE_MATRIX=full and NVIDIA's ptxas, shared memory of all kernels of apps/gpu is as ptxas has it. Usage: registers.sh BENCH-REGISTERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
tool=$(realpath "$1")
bench=$folder/../../bench/registers.py
cd "$tap_folder" || exit 1
python=$(python3 -c 'import sys; print(sys.executable)')

kernel() { # NAME PLACE: 32 values live at once, so that 37 registers are estimated; they are stored at some place
    printf '.visible .entry %s(.param .u64 p)\n{\n.reg .b64 a; .reg .b32 v<32>;\nld.param.u64 a, [p];\n' "$1"
    for i in $(seq 0 31); do echo "ld.global.u32 v$i, [a+$((4 * i))];"; done
    echo "bar.sync 0;"
    for i in $(seq 0 31); do echo "st.global.u32 [a+$((512 + 4 * i + $2))], v$i;"; done
    printf 'ret;\n}\n'
}
{
    printf '.version 7.0\n.target sm_80\n.address_size 64\n'
    kernel near 0
    kernel far 512
    kernel again 512
} >two.ptx

expect 0 "there is no ptxas" '^registers: skipped, there is no ptxas$' env PATH=nowhere "$python" "$bench" --tool "$tool" two.ptx
mkdir stand-in
cat >stand-in/ptxas <<'STANDIN'
#!/bin/sh
for each in near:40 far:74 again:74; do
    echo "ptxas info    : Compiling entry function '${each%:*}' for 'sm_90'" >&2
    echo "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" >&2
    echo "ptxas info    : Used ${each#*:} registers, used 1 barriers" >&2
done
STANDIN
chmod +x stand-in/ptxas
# 37 of 40 is near and in the same unit, 37 of 74 is neither; the third kernel is the second one again
expect 0 "shares, error and bias" \
    '^all: 2 kernels, within 10 %: 50.0 %, same unit of eight: 50.0 %, same blocks an SM: 50.0 %, mean absolute error 28.7 %, bias -28.7 %$' \
    env PATH="$PWD/stand-in:$PATH" "$python" "$bench" --tool "$tool" --cache said.json two.ptx
expect 0 "what ptxas has said is kept" '"near": \[40, 0, 0\]' cat said.json
sed -i 's/used 1 barriers/&, 64 bytes smem/' stand-in/ptxas
expect 1 "other shared memory" '^shared memory of two.ptx near: ptxas 64 bytes, here 0$' \
    env PATH="$PWD/stand-in:$PATH" "$python" "$bench" --tool "$tool" two.ptx
if [ "${MANIPLE_MATRIX:-}" = full ] && command -v ptxas >/dev/null; then
    for file in "$folder"/../../data/ptx/apps/*.xz; do "$python" -c 'import lzma, sys; print(lzma.open(sys.argv[1], "rt").read())' \
        "$file" >"$(basename "$file" .xz)"; done
    rm two.ptx
    expect 0 "shared memory of all kernels" '^shared memory: as ptxas has it in [0-9]+ kernels$' \
        "$python" "$bench" --tool "$tool" ./*.ptx
fi
tap_end
