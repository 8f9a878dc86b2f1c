#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Generated code stands in data/, not in src/ and apps/: no PTX there, and no file that is mostly numbers. What data/ptx
# keeps belongs to a source, and each source has its PTX there.
source "$(dirname "$0")/../tap.sh"
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C.UTF-8
MOST=60 # lines of nothing but numbers in a file

none() { # NAME, offenders on standard input
    local found
    found=$(cat)
    ok "$([ -z "$found" ]; echo $?)" "$1"
    [ -z "$found" ] || echo "$found" | note
}

word='-?(0x[0-9a-fA-F]+|[0-9]{1,3})[uUlL]*'
numbers() {
    xargs -0 grep -cE "^[[:space:]{]*$word(, *\\{?$word\\}?){3,}[},; ]*$" | awk -F: "\$2 > $MOST {print \$1 \": \" \$2 \" lines\"}"
}

none "src/ and apps/ hold no PTX and no cubins" \
    < <(find src apps \( -name '*.ptx' -o -name '*.ptx.xz' -o -name '*.cubin' -o -name '*.fatbin' \) | sort)
none "no file of src/ and apps/ has more than $MOST lines of nothing but numbers" \
    < <(find src apps \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print0 | numbers)
diff <(python3 data/ptx/build.py --list | cut -d' ' -f1 | sort) \
    <(find data/ptx -name '*.ptx.xz' -exec basename {} .ptx.xz \; | sort) >"$tap_folder/differ"
ok $? "each kernel source has its PTX in data/ptx, and no other file is there"
note <"$tap_folder/differ"
