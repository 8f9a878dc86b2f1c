#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Fetches Debian's kernel for ARM (armhf) and unpacks what a guest of `maniple system` needs of it into FOLDER: vmlinuz and
# four modules. apt gets a state of its own below FOLDER, so that the host's list of architectures and packages stays as it
# is, and nothing is installed. Usage: kernel.sh FOLDER
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
apt=$folder/apt
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/etc/none"
: >"$apt/state/status"
mirror=$(sed -n 's/^URIs: *\(http[^ ]*\).*/\1/p; s/^deb [^h]*\(http[^ ]*\) .*/\1/p' /etc/apt/sources.list \
    /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null | grep -m1 'debian/*$' || true)
echo "deb [arch=armhf signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian} bookworm main" \
    >"$apt/etc/sources.list"
cat >"$apt/conf" <<CONF
APT::Architecture "armhf";
APT::Architectures { "armhf"; };
APT::Sandbox::User "";
Dir::State "$apt/state";
Dir::State::status "$apt/state/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/etc/sources.list";
Dir::Etc::sourceparts "$apt/etc/none";
CONF
export APT_CONFIG=$apt/conf
apt-get -q update >"$apt/log" 2>&1 || { cat "$apt/log" >&2; exit 1; }
package=$(apt-cache depends linux-image-armmp | awk '/Depends: linux-image/ { print $2; exit }')
(cd "$apt" && apt-get -q download "$package" >>log 2>&1) || { cat "$apt/log" >&2; exit 1; }
dpkg-deb -x "$apt/$package"_*.deb "$apt/unpacked"
mkdir -p "$folder/modules"
for module in virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci virtio_console; do
    file=$(find "$apt/unpacked/lib/modules" -name "$module.ko*")
    case $file in
    *.xz) xz -dc "$file" >"$folder/modules/$module.ko" ;;
    *) cp "$file" "$folder/modules/$module.ko" ;;
    esac
done
echo "$package" >"$folder/package"
cp "$apt"/unpacked/boot/vmlinuz-* "$folder/vmlinuz.new"
mv "$folder/vmlinuz.new" "$folder/vmlinuz" # last: who finds it finds all
rm -rf "$apt"
