#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The tables of statistics.md and of the pages statistics-….md beside it come from the models' own. Everything below the
# marked line of each page is written anew. Usage: statistics.sh MANIPLE PAGE [--check]: PAGE is statistics.md, which has
# the models that no other page has; --check writes nothing, and fails if a page is not current.
set -euo pipefail
maniple=$1 page=$2 check=${3:-}
mark='<!-- What follows is written by docs/statistics.sh. -->'
tables=$(mktemp) current=$(mktemp)
trap 'rm -f "$tables" "$current"' EXIT
"$maniple" models statistics >"$tables"

# PAGE NAMES INSIDE: the page up to its mark, then the tables of the models that NAMES (a regular expression) matches, if
# INSIDE is 1, or else of all others, with what stands before the first table.
renew() {
    awk -v mark="$mark" '{ print } $0 == mark { exit }' "$1" >"$current"
    grep -qxF -- "$mark" "$current"
    awk -v names="^### Counted by .($2)[^a-z_]" -v inside="$3" '
        /^### / { matches = $0 ~ names }
        (matches ? 1 : 0) == inside' "$tables" | if [ "$3" = 1 ]; then echo; cat; else cat; fi >>"$current"
    if [ "$check" = --check ]; then
        diff "$1" "$current"
    else
        cp "$current" "$1"
    fi
}
memory='gpc|partition' node='hub|switch'
renew "$page" "sm|energy|$memory|$node" 0
renew "${page%.md}-sm.md" sm 1
renew "${page%.md}-memory.md" "$memory" 1
renew "${page%.md}-energy.md" energy 1
renew "${page%.md}-node.md" "$node" 1
