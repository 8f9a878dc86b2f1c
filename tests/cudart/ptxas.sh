#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# --code ptxas: with an assembler of our own that hands out a cubin that is kept, and with NVIDIA's where it is there.
# Usage: ptxas.sh MANIPLE CUBIN-OF-VECADD SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
cubin=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "an assembler" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple app run vecadd --code ptxas --functional --machine a100"
cat >stand-in <<END
#!/bin/sh
echo "\$1 \${LD_PRELOAD:-none} \${MANIPLE_CUDA:-none}" >>"$tap_folder/calls"
cp "$cubin" "\$3"
END
cat >failing <<'END'
#!/bin/sh
echo "ptxas fatal: it does not like this" >&2
exit 255
END
chmod +x stand-in failing

MANIPLE_PTXAS=$tap_folder/stand-in expect 0 "what an assembler makes is executed" '"code": "sass"' $run --format json
MANIPLE_PTXAS=$tap_folder/stand-in expect 0 "and is kept" 'right' $run
[ "$(cat calls)" = "-arch=sm_80 none none" ]
ok $? "it was called once, for the machine's architecture, and is no simulated program"
MANIPLE_PTXAS=$tap_folder/failing expect 1 "what it says is told" \
    'ptxas does not make machine code for sm_80 of it: ptxas fatal: it does not like this; use --code ptx' $run
MANIPLE_PTXAS=/nowhere expect 1 "no assembler" 'MANIPLE_PTXAS names /nowhere, which cannot be run' $run
if [ -x /usr/local/cuda/bin/ptxas ]; then
    expect 0 "NVIDIA's assembler" '"code": "sass"' $run --format json
else
    skip "NVIDIA's assembler" "there is no ptxas"
fi
tap_end
