#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What an installed wheel does by itself: traces, a workload, a sweep of workloads, a program of the coprocessor, what people copy
# from. Usage: wheel_check.sh BIN, the folder of the environment's programs
set -eu
bin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$bin/maniple" --version | grep '^maniple [0-9]' >/dev/null
"$bin/maniple-tracegen" stream trace arch=86 >/dev/null
"$bin/maniple" run -q --machine rtx3070 trace/kernelslist.g | grep '^ total ' >/dev/null
"$bin/maniple" app run vecadd --size 1000 --machine rtx3070 -q -o results | grep PASS >/dev/null
"$bin/maniple" report results --html page.html >/dev/null
grep -q '</html>' page.html
cat >plan.cfg <<'EOF'
machines = ["rtx3070"];
apps = ("vecadd", "sgemm");
vary = ( { key = "l2.replacement"; values = ["lru", "fifo"]; } );
objectives = ["kernel-time"];
EOF
"$bin/maniple" sweep plan.cfg -o runs -q
"$bin/maniple" sweep plan.cfg -o runs --summary sums | grep '^geometric mean' >/dev/null
folder=$("$bin/python" -c 'import maniple, pathlib; print(pathlib.Path(maniple.__file__).parent)')
"$bin/maniple" run -q --machine manycore-1 --cores 4 "$folder/share/manycore/fibonacci.elf" | grep 'Machine manycore-1' >/dev/null
"$bin/maniple" run -q --machine "$folder/share/machines/t4.cfg" trace/kernelslist.g | grep '^ total ' >/dev/null
for file in share/guest/guest.c share/machines/rtx3070.cfg share/studies/replacement/plan.cfg bin/libcudnn-9.so bin/libnvidia-ml.so.1 \
    bin/maniple-ptxas bin/libmaniple-redirect.so bin/data/runtimes py.typed licences/libzstd1.txt; do
    [ -e "$folder/$file" ] || { echo "the wheel lacks $file"; exit 1; }
done
"$bin/python" -c '
import maniple
run = maniple.load("results")
assert 0 < run.kernel_seconds < run.seconds and maniple.__version__ in maniple.call("--version")'
echo "wheel: all is there and works in $bin"
