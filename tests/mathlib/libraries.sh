#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A test program of the mathematics libraries, functionally on machines with different kernels, and with time.
# Usage: libraries.sh MANIPLE PROGRAM SANITIZERS NAME
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "mathematics libraries" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
same_for_threads() { # PART of the program
    for threads in 1 2; do
        $maniple run --format json -q --machine a100 --set sm.count=14 --threads $threads -- "$program" "$1" 2>/dev/null >$threads.json
    done
    python3 - <<'PYTHON'
import json
one, two = (json.load(open(name)) for name in ("1.json", "2.json"))
raise SystemExit(one["kernels"] != two["kernels"] or one["total"] != two["total"] or not one["kernels"])
PYTHON
    ok $? "the same results with one thread and with two"
}
case $4 in
blas)
    expect 0 "a100" '^right$' $maniple run -q --functional --machine a100 -- "$program"
    grep -q '  maniple_hgemm_tensor_parts ' out
    ok $? "products with few tiles share their inner dimension"
    for part in tensor errors; do
        expect 0 "v100: $part" '^right$' $maniple run -q --functional --machine v100 -- "$program" $part
    done
    expect 0 "with time" '^right$' $maniple run -q --machine rtx3070 --set sm.count=8 -- "$program" batched
    grep -q '  maniple_sgemm_[0-9]*x' out
    ok $? "results name the kernels as ours"
    for tile in 128x64 32x128; do
        expect 0 "tiles of $tile" '^right$' env MANIPLE_PRODUCT=$tile $maniple run -q --functional --machine a100 -- "$program" gemm
    done
    MANIPLE_PRODUCT=128x64 $maniple run --functional --values needed --machine a100 -- "$program" gemm >/dev/null 2>warnings
    [ "$(grep -c 'kernel maniple_sgemm_128x64_.. depend' warnings)" = 1 ]
    ok $? "only the product whose factors are on the device depends on values in memory"
    same_for_threads hermitian
    ;;
openblas | fftw) # others' libraries, where they are installed
    export OPENBLAS_NUM_THREADS=1
    if $maniple run -q --functional --machine a100 -- "$program" >out 2>&1 && grep -q '^missing: ' out; then
        skip "ours beside $4" "$(grep '^missing: ' out)"
    else
        expect 0 "a100" '^right$' $maniple run -q --functional --machine a100 -- "$program"
    fi
    ;;
mma)
    expect 0 "a100" '^right$' $maniple run -q --functional --machine a100 -- "$program"
    grep -q '  maniple_hgemm_mma_256x128_' out && grep -q '  maniple_bgemm_mma_parts ' out
    ok $? "by kernels for Ampere, also where parts share the inner dimension"
    expect 0 "rtx4090, whose blocks have less shared memory" '^right$' $maniple run -q --functional --machine rtx4090 -- "$program" some
    ;;
lt)
    expect 0 "a100" '^right$' $maniple run -q --functional --machine a100 -- "$program"
    expect 0 "v100" '^right$' $maniple run -q --functional --machine v100 -- "$program"
    expect 0 "eight-bit floats" '^right$' $maniple run -q --functional --machine h100-sxm --set sm.count=8 -- "$program" eights
    grep -q '  maniple_gemm_e4m3_e4m3_128' out
    ok $? "in large tiles, too"
    expect 0 "eight-bit floats, with time" '^right$' $maniple run -q --machine rtx4090 --set gpc.count=4 --set sm.count=8 -- "$program" eights
    expect 1 "not on a machine without them" 'FP8 before compute capability 8.9' $maniple run -q --functional --machine a100 -- "$program" eights
    ;;
hopper)
    all=
    [ "${MANIPLE_MATRIX:-}" = full ] && all=all
    expect 0 "every form" '^right$' $maniple run -q --functional --machine h100-sxm -- "$program" 0 19 $all
    grep -q '  maniple_[bh]gemm_wgmma_tn_128x256' out
    ok $? "by warpgroups"
    for form in 4 5; do # in turn, and together, in clusters
        in_turn 2 || continue
        expect 0 "form $form, with time" '^right$' $maniple run -q --machine h100-sxm --set gpc.groups=[] --set gpc.sms=[] --set gpc.count=2 \
            --set sm.count=8 -- "$program" $form $form
    done
    expect 0 "every form across" '^right$' $maniple run -q --functional --machine h100-sxm -- "$program" 20 22 few all
    grep -q '  maniple_[bh]gemm_wgmma_tn_64x64_a' out
    ok $? "with tokens along the rows of a tile"
    expect 0 "a form across, with time" '^right$' $maniple run -q --machine h100-sxm --set gpc.groups=[] --set gpc.sms=[] --set gpc.count=2 \
        --set sm.count=8 -- "$program" 21 21 few all
    expect 0 "every form with sums in tensor memory" '^right$' $maniple run -q --functional --machine b200 -- "$program" 0 13 linear $all
    grep -q '  maniple_[bh]gemm_tcgen05_tn_128x192' out
    ok $? "by tcgen05"
    for form in 5 11; do # alone, and in clusters that share the inner dimension
        in_turn 2 || continue
        expect 0 "tensor memory, form $form, with time" '^right$' $maniple run -q --machine b200 --set gpc.groups=[] --set gpc.sms=[] \
            --set gpc.count=2 --set sm.count=8 -- "$program" $form $form linear all
    done
    ;;
solver)
    expect 0 "a100" '^right$' $maniple run -q --functional --machine a100 -- "$program"
    expect 0 "v100" '^right$' $maniple run -q --functional --machine v100 -- "$program"
    expect 0 "with time" '^right$' $maniple run -q --machine rtx3070 --set sm.count=8 -- "$program" few
    grep -q 'maniple_[sdcz]getrf' out
    ok $? "results name the kernels as ours"
    same_for_threads few
    expect 2 "a function that is missing" 'cusolverDnSsytrf.* not supported' $maniple run -q --functional --machine a100 -- "$program" missing
    ;;
dnn)
    expect 0 "a100" '^right$' $maniple run -q --functional --machine a100 -- "$program"
    grep -q '  maniple_hconv_forward_wide_64x64 ' out && grep -q '  maniple_sconv_filter_parts ' out
    ok $? "by tensor cores, also where parts share the inner dimension"
    some=few
    [ "${MANIPLE_MATRIX:-}" = full ] && some=
    expect 0 "v100" '^right$' $maniple run -q --functional --machine v100 -- "$program" $some
    [ "$some" ] || expect 0 "with time" '^right$' $maniple run -q --machine rtx3070 --set sm.count=8 -- "$program" few
    same_for_threads few # with time, too
    expect 2 "a function that is missing" 'cudnnPoolingForward.* not supported' $maniple run -q --functional --machine a100 -- "$program" missing
    ;;
spectra)
    expect 0 "a100" '^right$' $maniple run -q --functional --machine a100 -- "$program"
    expect 0 "with time" '^right$' $maniple run -q --machine rtx3070 --set sm.count=8 -- "$program" few
    same_for_threads few
    ;;
fft) # of the same kernels on every machine
    expect 0 "a100" '^right$' $maniple run -q --functional --machine a100 -- "$program"
    [ "${MANIPLE_MATRIX:-}" = full ] && expect 0 "v100" '^right$' $maniple run -q --functional --machine v100 -- "$program"
    ;;
*)
    expect 0 "a100" '^right$' $maniple run -q --functional --machine a100 -- "$program"
    expect 0 "v100" '^right$' $maniple run -q --functional --machine v100 -- "$program"
    ;;
esac
tap_end
