# SPDX-License-Identifier: BSD-3-Clause
# Arguments that make each workload small, for tests: one line for each run. Source it, call app_runs.
# shellcheck shell=bash
app_runs() {
    cat <<'END'
vecadd --size 1000
sgemm --size 72
gemm --m 24 --n 40 --k 20
gemm --m 24 --n 40 --k 20 --kernel tiled
gemm --m 32 --n 48 --k 32 --kernel wmma
reduction --size 5000 --blocks 5
scan --size 3000
transpose --width 70 --height 45
transpose --width 70 --height 45 --kernel naive
histogram --size 1000 --blocks 3
montecarlo_pi --blocks 3 --points 8
convolution --width 150 --height 20
spinlock --blocks 6 --rounds 2
lastblock --size 2000 --blocks 6
END
}
