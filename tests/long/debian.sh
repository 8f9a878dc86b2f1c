#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The Debian packages: built from a checkout, lintian without a word, installed on a bare Debian 12, where a workload, a sweep and the
# Python module run. Skips without dpkg-buildpackage, debhelper and lintian; the installation without root and debootstrap.
# Usage: debian.sh [FOLDER]: where packages are made (build-long/debian)
# shellcheck source=tests/tap.sh
source "$(dirname "$0")/../tap.sh"
cd "$(dirname "$0")/../.." || exit 1
work=$(realpath -m "${1:-build-long/debian}")

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}
for tool in dpkg-buildpackage dh lintian; do command -v $tool >/dev/null || skip_all "$tool is not installed"; done

rm -rf "$work"
mkdir -p "$work/maniple"
git ls-files -co --exclude-standard | tar -cf - -T - | tar -xf - -C "$work/maniple"
(cd "$work/maniple" && DEB_BUILD_OPTIONS="noautodbgsym parallel=$(nproc)" dpkg-buildpackage -us -uc -b -d) >"$work/build.txt" 2>&1
ok $? "packages are built"
[ $tap_failed -eq 0 ] || tail -5 "$work/build.txt" | note
lintian --allow-root --fail-on error,warning --display-info "$work"/*.changes >"$work/lintian.txt" 2>&1 && [ ! -s "$work/lintian.txt" ]
ok $? "lintian says nothing"
note <"$work/lintian.txt"

[ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null && unshare --mount --pid --fork true 2>/dev/null || {
    ok 0 "installed on a bare Debian 12 # SKIP it needs root, debootstrap and namespaces"
    tap_end
}
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null |
    grep -oE '(^URIs: *|^deb .*)https?://[^ ]*/debian/?( |$)' | grep -oE 'https?://[^ ]*' | head -1)
root=$work/root
if ! debootstrap --variant=minbase bookworm "$root" "${mirror:-http://deb.debian.org/debian}" >"$work/debootstrap.txt" 2>&1; then
    ok 0 "installed on a bare Debian 12 # SKIP debootstrap could not make the root"
    tap_end
fi
cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null
cp /etc/apt/apt.conf.d/*proxy* "$root/etc/apt/apt.conf.d/" 2>/dev/null
cp "$work"/*.deb "$root/root/"
cat >"$root/root/check.sh" <<'EOF'
set -e
cd /root
apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends ./*.deb
maniple app run sgemm --size 64 --machine rtx3070 | grep PASS
/usr/share/maniple/studies/replacement/run.sh small study | grep '^geometric mean'
python3 -c 'import maniple; print(maniple.run("/usr/share/maniple/manycore/fft.elf", [], machine="manycore-2").info["ended"])' | grep finished
maniple run -q --machine /usr/share/maniple/machines/t4.cfg -- /usr/share/maniple/manycore/none 2>&1 | grep 'none'
EOF
export http_proxy=${http_proxy:-} https_proxy=${https_proxy:-}
# shellcheck disable=SC2016
unshare --mount --pid --fork sh -c 'mount --make-rprivate / && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
    mount --rbind /sys "$0/sys" && exec chroot "$0" env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    http_proxy="$http_proxy" https_proxy="$https_proxy" sh /root/check.sh' "$root" >"$work/installed.txt" 2>&1 </dev/null
ok $? "installed on a bare Debian 12, where they work"
[ $tap_failed -eq 0 ] || tail -10 "$work/installed.txt" | note
[ $tap_failed -ne 0 ] || rm -rf "$work"
tap_end
