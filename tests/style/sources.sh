#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What every source file keeps to: a licence line, a purpose at the top of each header, no tabs, lines of at most 120
# characters, functions of at most 100 lines, and in src/ no variable that could change outside a function's frame; that the
# table of kinds of statistics is the only place that tells them apart, that lists of names are sorted, and that git keeps nothing that it ignores.
source "$(dirname "$0")/../tap.sh"
folder=$(cd "$(dirname "$0")" && pwd)
cd "$folder/../.." || exit 1
export LC_ALL=C.UTF-8

sources() { # PATTERN…: files that are part of the project
    find src tests apps bench machines include -type f "$@" 2>/dev/null | sort
}

none() { # NAME, offenders on standard input
    local found
    found=$(cat)
    ok "$([ -z "$found" ]; echo $?)" "$1"
    [ -z "$found" ] || echo "$found" | note
}

# One process for all files: one for each took as long as all the rest of this test.
unlicensed() {
    xargs awk 'FNR == 1 { if (NR > 1 && !has) print last; has = 0; last = FILENAME }
        FNR <= 3 && /SPDX-License-Identifier: BSD-3-Clause/ { has = 1 } FNR > 3 { nextfile } END { if (!has) print last }'
}

purposeless() {
    xargs awk 'FNR == 2 && !/^\/\*/ { print FILENAME } FNR == 2 { nextfile }'
}

none "every source file has a licence line" \
    < <(sources \( -name '*.[ch]' -o -name '*.sh' -o -name '*.py' -o -name '*.cu' \) | unlicensed)
none "every header of src/ says at its top what it is about" < <(find src -name '*.h' | sort | purposeless)
none "no tabs" < <(sources -name '*.[ch]' | xargs grep -nP '\t')
none "lines have at most 120 characters" < <(sources -name '*.[ch]' | xargs grep -nE '^.{121,}' | cut -c1-100)
none "functions have at most 100 lines" < <(sources -name '*.[ch]' | xargs python3 "$folder/functions.py" 100)
none "src/ has no mutable variables outside functions, but for the one context of a drop-in library, and a status" \
    < <(find src -name '*.c' ! -path src/cudart/base/state.c ! -path src/mathlib/fft/plans.c ! -path src/base/ending.c ! -path src/redirect/audit.c | sort | xargs python3 "$folder/globals.py")
# What a kind of statistic is like, its row in the table of kinds says (src/engine/count/kinds/kind.h).
none "nothing but the table of kinds asks which kind a statistic is of" \
    < <(grep -rnE '([=!]=|case) *&?mnp_kind_|mnp_kind_[a-z]+ *[=!]=' src --include='*.[ch]')
none "lists of exported names are sorted, each name once" \
    < <(for list in data/exports/*.txt; do grep -v '^#' "$list" | LC_ALL=C sort -cu 2>&1 | sed "s|^|$list: |"; done)
# A job's output that slipped into a commit; a copy without .git has nothing to be asked.
none "git keeps no file that it is told to ignore" < <([ -e .git ] && git ls-files -ci --exclude-standard)
none "git keeps no file in the root but the ones that a project has there" \
    < <([ -e .git ] && git ls-files | grep -v / |
        grep -vxE '\.clang-format|\.git(ignore|attributes)|(CHANGELOG|CONTRIBUTING|README)\.md|CITATION\.cff|LICENSE|Makefile|meson\.build|meson_options\.txt')
tap_end
