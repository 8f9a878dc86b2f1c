#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A root folder of Debian 12 with Maniple installed, by debootstrap and Debian's packages alone: no registry of images is asked. As
# root. For Apptainer: apptainer build maniple.sif containers/maniple.def does the same; where there is no apptainer, use the folder
# with chroot, systemd-nspawn or podman (tar -C ROOT -c . | podman import - maniple).
# Usage: containers/root.sh ROOT BUILD: BUILD is a build folder of make, whose installation goes into ROOT/usr/local
set -eu
root=$1 build=$2
packages=$(sed -n 's/^Include: *//p' "$(dirname "$0")/maniple.def")
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null |
    grep -oE '(^URIs: *|^deb .*)https?://[^ ]*/debian/?( |$)' | grep -oE 'https?://[^ ]*' | head -1)
debootstrap --variant=minbase --include="${packages// /,}" bookworm "$root" "${mirror:-http://deb.debian.org/debian}"
DESTDIR=$(realpath "$root") meson install -C "$build" --no-rebuild --quiet
cp -r "$(dirname "$0")/../python/maniple" "$root/usr/local/lib/python3.11/dist-packages/"
chroot "$root" ldconfig
