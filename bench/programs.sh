#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the programs of `make validation` with nvcc, from folders where their public sources lie:
#   EnzeXu/GPU_Benchmarks (Polybench), accel-sim/gpu-app-collection (src/cuda/rodinia/2.0-ft), and bench/hopper of this project.
# and pytorch/ and vllm/, environments with wheels from PyPI, where PyPI has them: torch 2.1.0 (CUDA 12.1), numpy 1.26 and transformers 4.38.1, 4.7 GB; torch 2.11.0
# (CUDA 13.0), Triton 3.6.0 and vLLM 0.24.0 without what they ask for but some small libraries, 4 GB.
# Each has PTX of compute capability 8.0 and machine code of 9.0. BFS-TRACE is Accel-Sim's trace of bfs, of which its graph is
# made; without one bfs is left out. Usage: programs.sh GPU_BENCHMARKS RODINIA-2.0-FT OUT [BFS-TRACE]
set -euo pipefail
[ $# -ge 3 ] || { sed -n '3,9p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
polybench=$(realpath "$1")
rodinia=$(realpath "$2")
mkdir -p "$3"/polybench "$3"/rodinia/data "$3"/hopper
out=$(realpath "$3")
trace=${4:+$(realpath "$4")}
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
flags=(-O2 -w -cudart shared -gencode "arch=compute_80,code=compute_80" -gencode "arch=compute_90,code=sm_90"
    -DcudaThreadSynchronize=cudaDeviceSynchronize)

build() { # FOLDER OUTPUT WORDS...
    echo "$2"
    (cd "$1" && "$nvcc" "${flags[@]}" "${@:3}" -o "$2")
}

for each in 2DCONV/2DConvolution.cu:2dconv ATAX/atax.cu:atax GEMM/gemm.cu:gemm MVT/mvt.cu:mvt SYRK/syrk.cu:syrk; do
    build "$polybench/$(dirname "${each%%:*}")" "$out/polybench/${each##*:}" "$(basename "${each%%:*}")"
done
flags+=(-I. -std=c++14)
build "$rodinia/backprop" "$out/rodinia/backprop" backprop_cuda.cu facetrain.c imagenet.c backprop.c
[ -z "$trace" ] || build "$rodinia/bfs" "$out/rodinia/bfs" bfs.cu
build "$rodinia/hotspot" "$out/rodinia/hotspot" hotspot.cu
build "$rodinia/lud" "$out/rodinia/lud" -use_fast_math lud.cu lud_kernel.cu common.c
build "$rodinia/nw" "$out/rodinia/nw" needle.cu
build "$rodinia/nn" "$out/rodinia/nn" nn_cuda.cu
build "$rodinia/pathfinder" "$out/rodinia/pathfinder" pathfinder.cu
build "$rodinia/srad/srad_v2" "$out/rodinia/srad_v2" -DGPU -DCHECKSUM srad.cu
build "$rodinia/heartwall" "$out/rodinia/heartwall" main.cu avilib.c avimod.c define.c
build "$rodinia/streamcluster" "$out/rodinia/streamcluster" streamcluster_cuda.cu streamcluster_cuda_cpu.cpp
"$nvcc" -O2 -arch=sm_90a -cudart shared -o "$out/hopper/tma" "$here/hopper/tma.cu" -lcuda
"$nvcc" -O2 -w -arch=sm_90 -cudart shared -o "$out/hopper/memory" "$here/hopper/memory.cu"
"$nvcc" -O3 -w -arch=sm_90 -cudart shared -o "$out/hopper/instructions" "$here/hopper/instructions.cu"
python3 "$here/rodinia_data.py" "$out/rodinia/data" ${trace:+"$trace"}
python3 -m venv "$out/pytorch" && "$out/pytorch/bin/pip" install -q torch==2.1.0 transformers==4.38.1 'numpy<2' ||
    echo "pytorch/ is left out: its wheels cannot be installed"
python3 -m venv "$out/vllm" && "$out/vllm/bin/pip" install -q --no-deps torch==2.11.0 triton==3.6.0 vllm==0.24.0 'numpy<3' typing_extensions filelock \
    sympy mpmath networkx jinja2 markupsafe fsspec nvidia-cusparselt-cu13==0.8.0 nvidia-nccl-cu13==2.28.9 nvidia-nvshmem-cu13==3.4.5 \
    nvidia-cufile || echo "vllm/ is left out: its wheels cannot be installed"
