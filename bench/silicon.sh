#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures our own workloads on the GPU of this host: a table for `maniple correlate`. It needs CUDA's libraries, Nsight
# Systems and a GPU. It was written by their manuals, and has been run on no GPU so far.
# Usage: silicon.sh BUILD OUT.csv [NAME...]
set -euo pipefail
build=${1:?the build folder}
out=${2:?a file to write}
shift 2
for tool in nsys nvidia-smi sqlite3; do
    if ! command -v "$tool" >/dev/null; then
        echo "make silicon: there is no $tool here, so nothing is measured."
        exit 0
    fi
done
cuda=${CUDA_HOME:-/usr/local/cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The workloads once more, with NVIDIA's libraries in place of ours.
gcc -o "$work/apps" "$build"/maniple-apps.p/*.o "$build/libmaniple.a" -L"$cuda/lib64" -Wl,-rpath,"$cuda/lib64" -lcudart -lcuda -lm
names=("$@")
[ ${#names[@]} -eq 0 ] && mapfile -t names < <("$build/maniple" app list | awk '{ print $1 }')
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)
echo "name,value,unit,gpu" >"$out"

# Nanoseconds of all kernels of a workload, in one run.
measure() { # NAME
    nsys profile -q --force-overwrite true -t cuda -o "$work/$1" "$work/apps" "$1" >/dev/null
    nsys export -q --type sqlite --force-overwrite true -o "$work/$1.sqlite" "$work/$1.nsys-rep"
    sqlite3 "$work/$1.sqlite" 'SELECT sum("end" - start) FROM CUPTI_ACTIVITY_KIND_KERNEL'
}

# Of five runs the first warms up; the median of the others counts.
for name in "${names[@]}"; do
    times=$(for _ in 1 2 3 4 5; do measure "$name" || true; done | tail -4 | sort -n)
    awk -v name="$name" -v gpu="$gpu" '{ v[NR] = $1 } END { if (NR == 4) printf "%s,%.0f,ns,%s\n", name, (v[2] + v[3]) / 2, gpu }' \
        <<<"$times" >>"$out"
done
echo "$out: $(($(wc -l <"$out") - 1)) workloads on $gpu"
