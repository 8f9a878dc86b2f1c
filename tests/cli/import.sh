#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `maniple import`: what becomes of options, that the machine runs, and what is said of mistakes.
# Usage: import.sh MANIPLE TRACEGEN
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
seeds=$(dirname "$(realpath "$0")")/../fuzz/seeds/import
work=$tap_folder
mkdir "$work/SM99_Small"
cp "$seeds/small.config" "$work/SM99_Small/gpgpusim.config"
base=$work/SM99_Small/gpgpusim.config

import() { # FILE…: the machine file, and every value of it
    "$maniple" import "$@" >"$work/machine.cfg" 2>"$work/summary" && "$maniple" machine show "$work/machine.cfg" >"$work/shown"
}

value() { # KEY VALUE: in a machine file that has nothing else on a line
    python3 - "$1" "$2" "$work/shown" <<'PYTHON'
import re, sys
key, wanted, path = sys.argv[1:]
groups = []
for line in open(path, encoding="utf-8"):
    line = line.split("//")[0].strip()
    if line.endswith("{"):
        groups.append(line.split(":")[0])
    elif line.startswith("}"):
        groups.pop()
    elif "=" in line and ".".join(groups + [line.split("=")[0].strip()]) == key:
        sys.exit(line.split("=")[1].strip(' ;"') != wanted)
sys.exit(1)
PYTHON
    ok $? "$1 is $2"
}

import "$base"
ok $? "a configuration is imported and shown"
value sm.count 4
value sm.subcores 4
value sm.warps 32
value sm.scheduler lrr
value clock.l2 900MHz
value clock.dram 1750.5MHz
value sm.int.lanes 16    # two cycles for a warp
value sm.int.latency 6   # four in the pipe, and two
value sm.tensor.lanes 0
value sm.l1d.size 32KiB
value sm.l1d.tags 1      # as without the option
value l2.slice.size 128KiB
value l2.set_hash ipoly
value latency.l1 30
value latency.l2 220     # 30 + 190
value latency.dram 320   # and 100
value dram.bus_width 8   # two chips of four bytes
value dram.burst 4       # 64 bytes would be two sectors
value dram.timing.ccd 1  # the same
value dram.timing.rtpl 2
value dram.row 4KiB      # C and S are twelve bits
value dram.bank_interleave 256
value dram.banks_interleaved 2
grep -q 'name = "sm99_small"' "$work/machine.cfg"
ok $? "the machine has the name of the folder"
grep -q "^maniple: 25 options: " "$work/summary"
ok $? "the summary counts the options"

"$tracegen" vectoradd "$work/trace" n=4096 >/dev/null && "$maniple" run -q --machine "$work/machine.cfg" "$work/trace/kernelslist.g" >/dev/null
ok $? "the machine runs a trace"

printf '%s\n' '-trace_opcode_latency_initiation_int 2,4' '-trace_opcode_latency_initiation_dp 64,64' \
    '-gpgpu_num_dp_units 4' '-specialized_unit_1 1,4,4,4,4,UDP' '-trace_opcode_latency_initiation_spec_op_1 4,1' \
    '-specialized_unit_2 1,4,200,4,4,TEX' '-trace_opcode_latency_initiation_spec_op_2 200,4' '-new_thing 7' >"$work/trace.config"
import "$base" "$work/trace.config"
ok $? "a trace.config is imported with it"
value sm.int.lanes 8
value sm.int.latency 4
value sm.fp64.lanes 2    # half a lane for each of four
value sm.fp64.shared true
value sm.uniform.lanes 32
for lost in "-new_thing: not known" "-specialized_unit_2: there is no such unit"; do
    grep -qF -- "$lost" "$work/summary" && grep -q "trace.config:[0-9]*: ${lost%%:*}" "$work/summary"
    ok $? "the summary says where ${lost%%:*} stands, and why it is lost"
    grep -q "^//.*${lost%%:*}" "$work/machine.cfg"
    ok $? "so does the file"
done

printf '%s\n' '-gpgpu_adaptive_cache_config 1' '-gpgpu_unified_l1d_size 128' '-gpgpu_shmem_option 0,16,64,96' \
    '-gpgpu_cache:il1 N:64:128:16,L:R:f:N:L,S:2:48,4' '-gpgpu_const_cache:l1 N:32:64:8,L:R:f:N:L,S:2:64,4' \
    '-gpgpu_operand_collector_num_units_gen 8' '-gpgpu_num_reg_banks 16' '-gpgpu_reg_file_port_throughput 2' \
    '-gpgpu_enable_specialized_operand_collector 0' '-gpgpu_perf_sim_memcpy 1' '-gpgpu_l1_cache_write_ratio 25' \
    '-gpgpu_l1_banks 4' \
    >"$work/inside.config"
import "$base" "$work/inside.config"
ok $? "the inside of an SM is imported"
value sm.l1d.size 128KiB
value sm.shared.max 96KiB
value sm.shared.options '[0, 16384, 65536, 98304]'
value sm.l1d.write allocate
value sm.l1i.size 128KiB
value sm.l1i.ways 16
value sm.l0i.size 0
value sm.constant.size 16KiB
value sm.constant.ways 8
value sm.operands collector
value sm.operand.units 2 # eight for four sub-cores
value sm.operand.banks 4
value sm.operand.ports 2
value memcpy_warms_l2 true
value sm.l1d.written_share 25
value sm.l1d.tags 4
"$maniple" run -q --machine "$work/machine.cfg" "$work/trace/kernelslist.g" >/dev/null
ok $? "that machine runs a trace"
printf '%s\n' '-gpgpu_perfect_inst_const_cache 1' >>"$work/inside.config"
import "$base" "$work/inside.config"
value sm.l1i.size 0
sed 's/L:T:m:L:L/L:L:m:N:H/' "$base" >"$work/fermi.config" && import "$work/fermi.config"
value sm.l1d.write evict
sed 's/L:T:m:L:L/L:T:m:N:L/' "$base" >"$work/around.config" && import "$work/around.config"
value sm.l1d.write around

import "$seeds/odd.config"
ok $? "odd numbers, the older form of DRAM timing, and a list of options on one line"
value sm.warps 3
value dram.banks 8
"$maniple" run -q --machine "$work/machine.cfg" --set launch.kernel=0 --set sm.registers=65536 --set sm.warps=32 \
    "$work/trace/kernelslist.g" >/dev/null
ok $? "it runs, too"

refused() { # WHAT TEXT SED-SCRIPT: the file, so changed, is the user's error, and the message says TEXT
    sed "$3" "$base" >"$work/bad.config"
    "$maniple" import "$work/bad.config" >"$work/out" 2>"$work/message"
    [ $? -eq 2 ] && [ ! -s "$work/out" ] && grep -qF -- "$2" "$work/message"
    ok $? "$1"
    note <"$work/message"
}
refused "a word where an option should begin" 'bad.config:2: an option' '2s/-gpgpu/gpgpu/'
refused "no number" 'bad.config:2: -gpgpu_n_clusters many' '2s/4/many/'
refused "a number out of range" 'bad.config:7: -gpgpu_shader_cta 1600' '7s/16/1600/'
refused "an option without which there is no machine" 'there is no -gpgpu_n_mem' '/-gpgpu_n_mem /d'
refused "all of them at once" \
    'there is no -gpgpu_n_mem, -gpgpu_shader_core_pipeline, -gpgpu_cache:dl1, -gpgpu_cache:dl2, or it is none, without' \
    '/-gpgpu_n_mem /d; /core_pipeline /d; /cache:dl[12] /d'
refused "no cache" 'describes no cache' 's/S:4:128:64/S:4:/'
refused "a cache of negative ways" 'describes no cache' 's/S:4:128:64/S:4:128:-64/'
refused "a cache beyond all sizes" 'describes no cache' 's/S:4:128:64/S:4:128:900000/'
refused "no timing" 'is no DRAM timing' 's/RCD=12/RCD=x/'
refused "half a timing" 'states no whole DRAM timing' 's/:WR=12//'
refused "a timing stated twice" 'is no DRAM timing' 's/CDLR=5/CL=5/'
refused "three clocks" 'states no four clocks' 's/:1750.5//'
refused "quotes that never end" 'never ends' 's/RTPL=2"/RTPL=2/'
refused "a machine that cannot be built" 'cannot be built' 's/-dram_latency 100/-dram_latency 0/; s/RCD=12/RCD=4000/'
"$maniple" import "$work/absent" >/dev/null 2>"$work/message"
ok $(($? != 2)) "a file that is not there"
head -c 4000 /dev/urandom >"$work/noise" && "$maniple" import "$work/noise" >/dev/null 2>&1
ok $(($? != 2)) "noise"
"$maniple" import >/dev/null 2>&1
ok $(($? != 2)) "no file"
tap_end
