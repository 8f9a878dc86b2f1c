#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The two commands of README on a bare Debian 12: make demo and make test, in a root that debootstrap makes with nothing but make,
# git and ca-certificates. Skips without root, without debootstrap, or where mounting or Debian's mirror is refused.
# Usage: bare.sh [FOLDER]: where the root lies while the test runs (build-long/bare)
# shellcheck source=tests/tap.sh
source "$(dirname "$0")/../tap.sh"
cd "$(dirname "$0")/../.." || exit 1
root=$(realpath -m "${1:-build-long/bare}")

# skip_all REASON: ends the piece.
skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

[ "$(id -u)" -eq 0 ] || skip_all "it needs root"
command -v debootstrap >/dev/null || skip_all "debootstrap is not installed"
unshare --mount --pid --fork true 2>/dev/null || skip_all "namespaces may not be made here"

# The mirror that this machine uses, in both forms of apt's lists.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null |
    grep -oE '(^URIs: *|^deb .*)https?://[^ ]*/debian/?( |$)' | grep -oE 'https?://[^ ]*' | head -1)
rm -rf "$root"
mkdir -p "$root"
debootstrap --variant=minbase --include=make,git,ca-certificates bookworm "$root" "${mirror:-http://deb.debian.org/debian}" \
    >"$tap_folder/debootstrap" 2>&1 || {
    note <"$tap_folder/debootstrap" | tail -5
    rm -rf "$root"
    skip_all "debootstrap could not make the root"
}
cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null
cp /etc/apt/apt.conf.d/*proxy* "$root/etc/apt/apt.conf.d/" 2>/dev/null

# A checkout of what is here, with the history that the tests of style look at.
git clone -q --no-hardlinks . "$root/root/maniple"
git ls-files -co --exclude-standard | while read -r file; do [ -e "$file" ] && printf '%s\0' "$file"; done |
    tar -cf - --null -T - | tar -xf - -C "$root/root/maniple"

# inside COMMAND: as root of the bare system, in its checkout, with nothing of this environment. What it mounts ends with it.
inside() {
    # shellcheck disable=SC2016 # the inner shell expands its own arguments
    unshare --mount --pid --fork sh -c 'mount --make-rprivate / && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
        mount --rbind /sys "$0/sys" && exec chroot "$0" env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        http_proxy="$http_proxy" https_proxy="$https_proxy" sh -c "cd /root/maniple && $1"' "$root" "$1"
}
export http_proxy=${http_proxy:-} https_proxy=${https_proxy:-}

inside "make demo" >"$root/demo.log" 2>&1 </dev/null
status=$?
grep -q 'What limits the matrix product' "$root/demo.log" && [ $status -eq 0 ]
ok $? "make demo on a bare Debian 12"
[ $tap_failed -eq 0 ] || tail -20 "$root/demo.log" | note

inside "make test" >"$root/test.log" 2>&1 </dev/null
status=$?
tail -1 "$root/test.log" | grep -qE '^[0-9]+ passed, 0 failed' && [ $status -eq 0 ]
ok $? "make test on a bare Debian 12: $(tail -1 "$root/test.log")"
[ $tap_failed -eq 0 ] || grep -E '^ *not ok|^Installing|FAIL|failed' "$root/test.log" | head -30 | note
cp "$root/demo.log" "$root/test.log" "$(dirname "$root")/" 2>/dev/null
[ $tap_failed -ne 0 ] || rm -rf "$root"
tap_end
