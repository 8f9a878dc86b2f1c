#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# An installation that was moved: programs find their libraries, and what people copy from is there.
# Usage: installed.sh BUILD
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
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
mv "$library-gone" "$library"

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
# What pkg-config says holds after the move; a build folder that was set up without relocatable files gets the way told.
configs=$(dirname "$(find "$work/moved" -name maniple.pc)")
where() {
    PKG_CONFIG_PATH=$configs pkg-config --define-variable=prefix="$work/moved" "$@"
}
guest=$(where --variable=guestdir maniple)
"${CC:-cc}" $(where --cflags maniple) "$guest"/{matmul,offload,guest,guest_linux,guest_fifos}.c -o matmul 2>guest.txt
ok $? "a guest's program is compiled from the installed library"
note <guest.txt
"$maniple" serve --machine manycore-2 --cores 4 --socket here.socket --memory "/dev/shm/maniple-installed-$$" >serve.txt 2>&1 &
server=$!
for _ in $(seq 100); do [ -S here.socket ] && break || sleep 0.1; done
MANIPLE_DEVICE=local:here.socket:/dev/shm/maniple-installed-$$ MANIPLE_PROGRAMS=$share/maniple/manycore ./matmul 0 8 >offloaded.txt 2>&1
ok $? "and offloads a product to the installed server"
note <offloaded.txt
kill $server
wait $server
rm -f "/dev/shm/maniple-installed-$$"
if grep -q pcfiledir "$configs/maniple-plugin.pc"; then
    [ "$(PKG_CONFIG_PATH=$configs pkg-config --variable=includedir maniple-plugin)" -ef "$work/moved/include" ]
    ok $? "pkg-config finds the headers where they were moved to"
fi
examples=$share/doc/maniple/docs/examples
libraries=$(dirname "$(find "$work/moved" -name libmaniple.so)")
link="$(where --cflags maniple) -L$libraries -lmaniple"
where --libs maniple | grep -q -- -lmaniple
ok $? "pkg-config names the library"
"${CC:-cc}" -Wall -Wextra -Werror "$examples/library/slices.c" $link -o slices 2>slices.txt
ok $? "the example of programs that link with the library compiles against the installation"
note <slices.txt
LD_LIBRARY_PATH=$libraries ./slices rtx3070 trace/kernelslist.g >sizes.txt 2>&1 && [ "$(grep -c '^l2.slice.size=.*, state [0-9a-f]*$' sizes.txt)" = 3 ] &&
    [ "$(grep -c '  stream .* cycle ' sizes.txt)" = 3 ]
ok $? "and runs a trace with three sizes of the L2"
note <sizes.txt
"${CC:-cc}" -O1 -shared -fPIC $(where --cflags maniple-plugin) "$examples/plugin/example.c" "$examples/ring/ring.c" -o example.so 2>plugin.txt
ok $? "the example of plug-ins compiles against the installed headers"
note <plugin.txt
if [ -e "$build/libcuda.so.1" ]; then
    cat >plan.cfg <<'EOF'
machines = ["rtx3070"];
apps = ("vecadd");
objectives = ["kernel-time"];
EOF
    expect 0 "a sweep of workloads" '1 of 1 runs done' "$maniple" sweep plan.cfg -o runs
    [ -x "$share/maniple/studies/replacement/run.sh" ] && "$maniple" sweep "$share/maniple/studies/replacement/plan.cfg" -o runs --list |
        grep -c waits | grep -qx 420
    ok $? "a study of 420 runs"
fi

# ===== make install =====
ci=$folder/../../.ci/install
for given in "in st" "~/in st" /in/st ../st; do
    case $given in
    "in st" | ../st) wanted=$(realpath -ms "$work/$given") ;;
    *) wanted=${given/#\~/$HOME} ;;
    esac
    [ "$(INSTALL_PREFIX=$given "$ci" prefix)" = "$wanted" ]
    ok $? "a prefix of make install: $given"
done
touch file
expect 2 "a prefix that cannot be written" "$work/file/below cannot be written; install elsewhere" env INSTALL_PREFIX=file/below "$ci" "$build"
# Two installations beside a file of somebody else's, by a meson that writes two files and an old version that wrote one more.
mkdir -p tools a/bin "b d"
cat >tools/meson <<'EOF'
#!/bin/bash
[ "$1" = install ] || exit 0
mkdir -p "$AT/bin" "$AT/share/maniple/deep" "$3/meson-logs"
touch "$AT/bin/maniple" "$AT/share/maniple/deep/file" ${MORE:+"$AT/bin/$MORE"}
find "$AT/bin/maniple" "$AT/share/maniple/deep" ${MORE:+"$AT/bin/$MORE"} >"$3/meson-logs/install-log.txt"
EOF
chmod +x tools/meson
touch a/bin/others
made() {
    env PATH="$work/tools:$PATH" "$@" "$ci" fake >made.txt 2>&1
    ok $? "an installation: $*"
}
made MORE=old AT="$work/a" INSTALL_PREFIX=a
made AT="$work/a" INSTALL_PREFIX=a
made AT="$work/b d" INSTALL_PREFIX="b d"
made AT="$work/stage/usr" INSTALL_PREFIX=/usr INSTALL_DESTDIR=stage
touch a/share/maniple/deep/others # in a folder that meson's log names, too
expect 0 "an installation that is not the last" "Uninstalled from $work/a" env INSTALL_PREFIX=a "$ci" uninstall
[ "$(find a -mindepth 1 | sort | xargs)" = \
    "a/bin a/bin/others a/share a/share/maniple a/share/maniple/deep a/share/maniple/deep/others" ] && [ -e "b d/bin/maniple" ] && [ -e stage/usr/bin/maniple ]
ok $? "it is gone whole, its older version's file too; what is not ours and other installations are there"
[ "$(wc -l <out)" = 1 ]
ok $? "it says no more"
expect 0 "one below DESTDIR" "Uninstalled from $work/stage/usr" env INSTALL_PREFIX=/usr INSTALL_DESTDIR=stage "$ci" uninstall
[ -d stage ] && [ ! -e stage/usr ]
ok $? "its folders are gone, too"
expect 2 "nothing to uninstall" "Nothing of make install is in $work/a; state the PREFIX" env INSTALL_PREFIX=a "$ci" uninstall
tap_end
