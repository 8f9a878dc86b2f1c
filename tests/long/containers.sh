#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What containers/ says, done: a root folder by debootstrap, in which workloads and the Python module work; Apptainer's definition and
# the Dockerfile built, where apptainer and buildah are installed, from Debian's packages alone. No registry of images is asked.
# Usage: containers.sh BUILD [FOLDER]: where the roots lie while the test runs (build-long/containers)
# shellcheck source=tests/tap.sh
source "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
work=$(realpath -m "${2:-build-long/containers}")

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}
[ "$(id -u)" -eq 0 ] || skip_all "it needs root"
command -v debootstrap >/dev/null || skip_all "debootstrap is not installed"
unshare --mount --pid --fork true 2>/dev/null || skip_all "namespaces may not be made here"
rm -rf "$work"
mkdir -p "$work"

containers/root.sh "$work/root" "$build" >"$work/root.txt" 2>&1
ok $? "root.sh makes a root folder"
[ $tap_failed -eq 0 ] || tail -5 "$work/root.txt" | note
sed -n '/^%test/,/^%/{/^%/!p}' containers/maniple.def >"$work/root/root/check.sh"
# shellcheck disable=SC2016
unshare --mount --pid --fork sh -c 'mount --make-rprivate / && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
    exec chroot "$0" env -i HOME=/root PATH=/usr/local/bin:/usr/bin:/bin sh -e /root/check.sh' "$work/root" >"$work/check.txt" 2>&1
ok $? "in it the checks of maniple.def pass"
[ $tap_failed -eq 0 ] || tail -5 "$work/check.txt" | note

if ! command -v apptainer >/dev/null; then
    ok 0 "an image of Apptainer # SKIP apptainer is not installed"
elif [ "$build" != "$PWD/build" ]; then
    ok 0 "an image of Apptainer # SKIP its definition installs from the folder build"
else
    apptainer build "$work/maniple.sif" containers/maniple.def >"$work/apptainer.txt" 2>&1 &&
        apptainer run "$work/maniple.sif" app run sgemm --size 64 --machine rtx3070 -q -o "$work/results" 2>&1 | grep -q PASS
    ok $? "Apptainer builds its image, checks it and runs it"
    [ $tap_failed -eq 0 ] || tail -5 "$work/apptainer.txt" | note
fi

# The image debian:12 is made of a root folder, as no registry is asked for it.
docker_image() {
    local base
    base=$("${buildah[@]}" from scratch) && "${buildah[@]}" add "$base" "$work/base.tar" / && "${buildah[@]}" commit "$base" docker.io/library/debian:12 &&
        git ls-files -co --exclude-standard | tar -cf - -T - | tar -xf - -C "$work/context" &&
        "${buildah[@]}" bud --pull-never --network host -t maniple -f "$work/context/containers/Dockerfile" "$work/context" &&
        base=$("${buildah[@]}" from --pull-never maniple) &&
        "${buildah[@]}" run "$base" -- maniple app run sgemm --size 64 --machine rtx3070 -q -o /tmp/results | grep -q PASS
}
if command -v buildah >/dev/null; then
    export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
    buildah=(buildah --root "$work/store" --runroot "$work/run")
    mkdir -p "$work/context"
    mirror=$(grep -oE 'https?://[^ ]*' "$work/root/etc/apt/sources.list" | head -1)
    debootstrap --variant=minbase bookworm "$work/base" "$mirror" >"$work/base.txt" 2>&1 &&
        { cp /etc/apt/apt.conf.d/*proxy* "$work/base/etc/apt/apt.conf.d/" 2>/dev/null || true; } && tar -C "$work/base" -cf "$work/base.tar" . &&
        docker_image >"$work/docker.txt" 2>&1
    ok $? "the Dockerfile is built, and its image runs a workload"
    [ $tap_failed -eq 0 ] || tail -5 "$work/docker.txt" | note
else
    ok 0 "the Dockerfile is built # SKIP buildah is not installed"
fi
[ $tap_failed -ne 0 ] || rm -rf "$work"
tap_end
