#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The table of workloads in apps.md and what each stresses in workloads.md come from the workloads themselves. Everything
# below the marked line of both pages is written anew. Usage: apps.sh MANIPLE-APPS TABLE-PAGE STRESS-PAGE [--check]:
# --check writes nothing, and fails if a page is not current.
set -euo pipefail
apps=$1 table=$2 stress=$3 check=${4:-}
mark='<!-- What follows is written by docs/apps.sh. -->'
heading='## What they stress'
facts=$(mktemp) current=$(mktemp)
trap 'rm -f "$facts" "$current"' EXIT
"$apps" facts >"$facts"
grep -qxF -- "$heading" "$facts"

renew() { # PAGE: the page up to its mark, then standard input
    awk -v mark="$mark" '{ print } $0 == mark { exit }' "$1" >"$current"
    grep -qxF -- "$mark" "$current"
    cat >>"$current"
    if [ "$check" = --check ]; then
        diff "$1" "$current"
    else
        cp "$current" "$1"
    fi
}
awk -v heading="$heading" '$0 == heading { exit } NF' "$facts" | renew "$table"
awk -v heading="$heading" 'seen { print } $0 == heading { seen = 1 }' "$facts" | renew "$stress"
