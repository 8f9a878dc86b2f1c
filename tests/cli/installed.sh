#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# An installation that was moved: programs find their libraries, and what people copy from is there.
# Usage: installed.sh BUILD
source "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
work=$tap_folder

DESTDIR=$work/staged meson install -C "$build" --no-rebuild --quiet >"$work/install.txt" 2>&1
ok $? "meson install into another root"
bin=$(dirname "$(find "$work/staged" -name maniple -type f -path '*/bin/*')")
mv "$(dirname "$bin")" "$work/moved"
maniple=$work/moved/bin/maniple
cd "$work" || exit 1

"$work/moved/bin/maniple-tracegen" stream trace arch=86 >trace.txt
expect 0 "a trace" '^ total ' "$maniple" run -q --machine rtx3070 trace/kernelslist.g
if [ -e "$build/libcuda.so.1" ]; then
    expect 0 "a workload" 'PASS' "$maniple" app run vecadd --size 1000 --machine rtx3070
    "$maniple" app run vecadd --size 1000 --machine rtx3070 -o results >app.txt 2>&1
    ! grep -q "$build" results/results.json
    ok $? "its results name nothing of the build folder"
fi
library=$(dirname "$(find "$work/moved" -name maniple-guest-kernel)")
mv "$library" "$library-gone"
expect 2 "without its libraries" 'neither beside maniple nor in .*moved/bin/\.\./lib.*; install maniple as a whole' \
    "$maniple" app run vecadd

share=$work/moved/share
[ -e "$share/doc/maniple/README.md" ] && [ -e "$share/doc/maniple/docs/cuda.md" ] &&
    [ -e "$share/doc/maniple/docs/examples/plugin/example.c" ] && [ ! -e "$share/doc/maniple/docs/maniple.1" ]
ok $? "pages and examples"
[ -e "$share/man/man1/maniple-run.1" ] || [ -e "$share/man/man1/maniple-run.1.gz" ]
ok $? "manual pages"
cp "$share/maniple/machines/rtx3070.cfg" mine.cfg
expect 0 "a machine file to copy from" '^ total ' "$maniple" run -q --machine mine.cfg trace/kernelslist.g
expect 0 "a program of the coprocessor" 'Machine manycore-1' \
    "$maniple" run -q --machine manycore-1 --cores 4 "$share/maniple/manycore/fibonacci.elf"
"${CC:-cc}" -I"$work/moved/include" -c "$share/maniple/guest/guest.c" -o guest.o 2>guest.txt
ok $? "the guest's library compiles against the installed headers"
note <guest.txt
tap_end
