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
    plugin) echo "base contract maniple" ;; # include/maniple: the interface, which sees parts and gpu
    manycore) echo "base engine parts contract maniple" ;; # include/maniple: the driver of a GPU that computes a machine
    isa) echo "base engine contract" ;;
    execute) echo "base engine contract isa" ;;
    frontend) echo "base engine contract isa execute" ;;
    results) echo "base engine contract" ;;
    offload) echo "base engine contract frontend results maniple" ;; # include/maniple: what guests see
    cudart) echo "base engine contract execute gpu plugin frontend results maniple" ;; # include/maniple: what programs see
    redirect) echo "" ;; # it stands alone, in a namespace of its own
    standin) echo "maniple mathlib" ;;
    mathlib) echo "maniple base" ;; # include/maniple: the driver's functions, as any program sees them; base: see below
    library) echo "base engine contract frontend results cli maniple" ;; # cli: its input, its machines; include/maniple: the interface
    cli) echo "base engine contract execute gpu plugin manycore frontend results offload cudart redirect" ;;
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

# The rooms of a folder, from the ground up: one sees those before it, and every file of the folder stands in one of them, but
# for what is `above`, a regular expression of paths.
rooms() { # FOLDER ABOVE ROOM...
    local folder=$1 above=$2 room below="" wrong
    shift 2
    for room in "$@"; do
        below="$below${below:+|}$room"
        wrong=$(grep -rnE "#[[:space:]]*include[[:space:]]*\"${folder#src/}/" "$folder/$room" --include='*.[ch]' --include='*.cu' |
            grep -vE "\"${folder#src/}/($below)/" | grep -vE "^($above):")
        ok "$([ -z "$wrong" ]; echo $?)" "$folder/$room includes only the rooms below it"
        [ -z "$wrong" ] || echo "$wrong" | note
    done
    wrong=$(find "$folder" -name '*.[ch]' | grep -vE "^$folder/($below)/" | grep -vxE "$above")
    ok "$([ -z "$wrong" ]; echo $?)" "every file of $folder stands in one of its rooms"
    [ -z "$wrong" ] || echo "$wrong" | note
}

rooms src/execute - lanes code warp memory cta copy matrix device trace live
rooms src/gpu 'src/gpu/import/[a-z0-9_]+\.[ch]' network listeners sm gpc partition dispatch energy hub device fabric system
rooms src/manycore 'src/manycore/manycore\.[ch]' core translation mesh machine gpu # above: the kind of machine
# What belongs to a room above is a pointer below.
rooms src/cudart 'src/cudart/[a-z_]+\.[ch]' base device stream memory launch process api
rooms src/results - encoding files provenance database scaling figures rules charts report write compare timeline

# Which files of src/cudart mean the first device alone: those of a session, its snapshots and its ranks, which have one; and files
# of several, which are alike.
wrong=$(grep -rnE 'cudart_device_at\(rt, 0\)|->devices\[0\]' src/cudart --include='*.[ch]' |
    grep -vE '^src/cudart/(device/(device|ranks|system)|stream/(kept_results|shares|simulation|snapshot|snapshot_resume))\.c:')
ok "$([ -z "$wrong" ]; echo $?)" "src/cudart means the first device alone only where a session has one"
[ -z "$wrong" ] || echo "$wrong" | note

# A device is built in an engine, and knows neither how that runs nor what other devices there are.
wrong=$(grep -rnE 'mnp_engine_(init|freeze|run|wake|release|begin_group)|gpu_(system|fabric)' \
    src/gpu/device --include='*.c')
ok "$([ -z "$wrong" ]; echo $?)" "src/gpu/device runs no engine and knows no system"
[ -z "$wrong" ] || echo "$wrong" | note

# The mathematics libraries stand alone: of src/base they use the unpacking of texts, which needs nothing else.
wrong=$(grep -rnE '#[[:space:]]*include[[:space:]]*"base/' src/mathlib | grep -v '"base/packed.h"')
ok "$([ -z "$wrong" ]; echo $?)" "src/mathlib includes nothing of src/base but packed.h"
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
