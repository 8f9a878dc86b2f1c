#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `maniple system` hands paths and words to programs as they are: none of them is read by a shell, and none becomes an option of
# QEMU's. Programs that it starts are stand-ins, which write down what they are given. Usage: system_words.sh MANIPLE
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
cd "$tap_folder" || exit 1
mkdir bin
cp "$maniple" bin/maniple
printf '#!/bin/bash\necho unpacking; for word; do printf "%%s\\0" "$word"; done >%q\nmkdir -p "$1/modules"\n' "$PWD/script" >bin/maniple-guest-kernel
# shellcheck disable=SC2016 # is for the script
echo 'for file in vmlinuz modules/virtio_{pci_modern_dev,pci_legacy_dev,pci,console}.ko; do echo x >"$1/$file"; done' >>bin/maniple-guest-kernel
printf '#!/bin/bash\nfor word; do printf "%%s\\0" "$word"; done >%q\n' "$PWD/qemu" >bin/qemu-system-arm
chmod +x bin/maniple-guest-kernel bin/qemu-system-arm
cp bin/qemu-system-arm bin/maniple-guest-init
# The head of a program for ARM: 32 bits, machine 40.
printf '\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x28\0\x01\0\0\0' >program
head -c 200 /dev/zero >>program
export PATH=$PWD/bin:$PATH

run() { timeout 60 bin/maniple system --machine manycore-2 --cores 1 --memory-size 1M "$@" >out 2>err; }

for name in "x'; touch pwned; echo '" "o'brien" "a b" '$(touch pwned)' '`touch pwned`' '"q"' $'new\nline' '-rf'; do
    rm -rf script qemu
    XDG_CACHE_HOME="$PWD/caches/$name" run -- program argument
    [ $? = 2 ] && [ ! -e pwned ] && [ -e qemu ] && grep -q "QEMU has ended before" err &&
        cmp -s script <(printf '%s\0' "$PWD/caches/$name/maniple/guest-kernel")
    ok $? "a cache folder called $(printf %q "$name")"
done
for name in "a,b" "o'brien; touch pwned" '$(touch pwned)'; do
    rm -rf qemu
    mkdir -p "t/$name"
    TMPDIR=$PWD/t/$name XDG_CACHE_HOME="$PWD/caches/a b" run -- program
    [ ! -e pwned ] && tr '\0' '\n' <qemu | grep -qF "path=$(sed 's/,/,,/g' <<<"$PWD/t/$name")/maniple-system-" &&
        [ -z "$(ls -A "t/$name")" ]
    ok $? "TMPDIR is $(printf %q "$name"): in it, and nothing stays there"
done
long=$PWD/t/$(printf 'x%.0s' {1..100})
mkdir -p "$long"
TMPDIR=$long XDG_CACHE_HOME="$PWD/caches/a b" run -- program
[ $? = 2 ] && grep -q "let TMPDIR name another folder" err && [ -z "$(ls -A "$long")" ]
ok $? "a folder whose name is too long for sockets"
XDG_CACHE_HOME="$PWD/caches/a b" run -- program $'two\nlines'
[ $? = 2 ] && grep -q 'has a newline, which the guest cannot be handed' err
ok $? "an argument of two lines"
[ -z "$(find /dev/shm -maxdepth 1 -user "$(id -u)" -name 'maniple-system-*' -newer program)" ]
ok $? "no region stays"
tap_end
