#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Includes go one way: a part of src/ sees only the parts below it, and machines and front-ends meet in src/contract alone.
source "$(dirname "$0")/../tap.sh"
cd "$(dirname "$0")/../.." || exit 1

# Every part, and the parts that its files may include besides their own.
allowed() {
    case $1 in
    base) echo "" ;;
    engine) echo "base" ;;
    parts) echo "base engine" ;;
    contract) echo "base engine" ;;
    gpu) echo "base engine parts contract" ;;
    manycore) echo "base engine parts contract maniple" ;; # include/maniple: the driver of a GPU that computes a machine
    isa) echo "base engine contract" ;;
    execute) echo "base engine contract isa" ;;
    frontend) echo "base engine contract isa execute" ;;
    results) echo "base engine contract" ;;
    offload) echo "base engine contract frontend results maniple" ;; # include/maniple: what guests see
    cudart) echo "base engine contract execute gpu frontend results maniple" ;; # include/maniple: what programs see
    standin) echo "maniple mathlib" ;;
    mathlib) echo "maniple" ;; # include/maniple: the driver's functions, as any program sees them
    cli) echo "base engine contract execute gpu manycore frontend results offload cudart" ;;
    *) echo "unknown" ;;
    esac
}

for part in src/*/; do
    part=$(basename "$part")
    parts=$(allowed "$part")
    if [ "$parts" = unknown ]; then
        ok 1 "src/$part is one of the parts that docs/architecture.md names"
        continue
    fi
    pattern=$(echo "$part $parts" | tr ' ' '|')
    # Quoted includes of other parts; a name without a slash is a file of the same folder or a made one.
    wrong=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]*/' "src/$part" --include='*.[ch]' |
        grep -vE "include[[:space:]]*\"($pattern)/")
    ok "$([ -z "$wrong" ]; echo $?)" "src/$part includes only itself${parts:+ and $parts}"
    [ -z "$wrong" ] || echo "$wrong" | note
done

# A front-end sees no other one; what they have in common is shared/, which sees none.
for folder in src/frontend/*/; do
    name=$(basename "$folder")
    wrong=$(grep -rnE '#[[:space:]]*include[[:space:]]*"frontend/' "$folder" --include='*.[ch]' |
        grep -vE "\"frontend/($name|shared)/")
    ok "$([ -z "$wrong" ]; echo $?)" "front-end $name includes no other"
    [ -z "$wrong" ] || echo "$wrong" | note
done

# The rooms of src/execute, from the ground up: one sees those before it.
below=""
for room in lanes code warp memory cta copy matrix device trace live; do
    below="$below${below:+|}$room"
    wrong=$(grep -rnE '#[[:space:]]*include[[:space:]]*"execute/' "src/execute/$room" --include='*.[ch]' |
        grep -vE "\"execute/($below)/")
    ok "$([ -z "$wrong" ]; echo $?)" "src/execute/$room includes only the rooms below it"
    [ -z "$wrong" ] || echo "$wrong" | note
done
wrong=$(find src/execute -name '*.[ch]' | grep -vE "^src/execute/($below)/")
ok "$([ -z "$wrong" ]; echo $?)" "every file of src/execute stands in one of its rooms"
[ -z "$wrong" ] || echo "$wrong" | note

# The rooms of src/manycore, from the ground up. The kind of machine (manycore.[ch]) stands above them.
below=""
for room in core translation mesh machine gpu; do
    below="$below${below:+|}$room"
    wrong=$(grep -rnE '#[[:space:]]*include[[:space:]]*"manycore/' "src/manycore/$room" --include='*.[ch]' --include='*.cu' |
        grep -vE "\"manycore/($below)/")
    ok "$([ -z "$wrong" ]; echo $?)" "src/manycore/$room includes only the rooms below it"
    [ -z "$wrong" ] || echo "$wrong" | note
done
wrong=$(find src/manycore -name '*.[ch]' | grep -vE "^src/manycore/(($below)/|manycore\.[ch]$)")
ok "$([ -z "$wrong" ]; echo $?)" "every file of src/manycore stands in one of its rooms"
[ -z "$wrong" ] || echo "$wrong" | note

# The core of the CUDA runtime does not see the functions that programs call.
wrong=$(grep -rnE '#[[:space:]]*include[[:space:]]*"cudart/(api|serve)' src/cudart/core)
ok "$([ -z "$wrong" ]; echo $?)" "src/cudart/core includes nothing of src/cudart/api"
[ -z "$wrong" ] || echo "$wrong" | note

# The engine knows no machine: its words are units, parts and threads. An NVIDIA GPU of the host's is no machine.
wrong=$(grep -rniwE 'gpus?|sms?|gpcs?|ctas?|warps?|mesh|meshes|tiles?' src/engine --include='*.[ch]' |
    grep -vE "\"sm\.|--set sm\.|NVIDIA GPU of the host's")
ok "$([ -z "$wrong" ]; echo $?)" "src/engine has no words of GPUs and meshes"
[ -z "$wrong" ] || echo "$wrong" | note

wrong=$(grep -rnE '#[[:space:]]*include[[:space:]]*"[^"]*\.\./' src --include='*.[ch]')
ok "$([ -z "$wrong" ]; echo $?)" "no include climbs out of its folder with ../"
[ -z "$wrong" ] || echo "$wrong" | note
tap_end
