#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A wheel on systems that hold nothing but Python: roots that debootstrap makes of Debian 12 and 13. Skips without root, debootstrap
# or a mirror. Usage: wheel_bare.sh WHEEL [SUITE...]
set -eu
wheel=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
shift
[ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null || { echo "skipped: bare systems need root and debootstrap"; exit 0; }
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null |
    grep -oE '(^URIs: *|^deb .*)https?://[^ ]*/debian/?( |$)' | grep -oE 'https?://[^ ]*' | head -1)
for suite in "${@:-bookworm}"; do
    root=$(mktemp -d)
    trap 'rm -rf "$root"' EXIT
    debootstrap --variant=minbase --include=python3,python3-venv "$suite" "$root" "${mirror:-http://deb.debian.org/debian}" \
        >"$root.log" 2>&1 || { echo "skipped: debootstrap could not make $suite ($root.log)"; rm -rf "$root"; continue; }
    cp "$wheel" "$here/wheel_check.sh" "$root/root/"
    # shellcheck disable=SC2016
    unshare --mount --pid --fork sh -c 'mount --make-rprivate / && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
        mount --rbind /sys "$0/sys" && exec chroot "$0" env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "
        python3 -m venv /root/venv && /root/venv/bin/pip install -q --no-index /root/*.whl && /root/wheel_check.sh /root/venv/bin"' "$root"
    echo "wheel: works on a bare Debian $suite"
    rm -rf "$root" "$root.log"
done
