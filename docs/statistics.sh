#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The tables of statistics.md come from the models' own. Everything behind the line that says so is written anew.
# Usage: statistics.sh MANIPLE PAGE [--check]: --check writes nothing, and fails if the page is not current.
set -euo pipefail
maniple=$1 page=$2
mark='<!-- What follows is written by docs/statistics.sh. -->'
current=$(mktemp)
trap 'rm -f "$current"' EXIT
awk -v mark="$mark" '{ print } $0 == mark { exit }' "$page" >"$current"
grep -qxF -- "$mark" "$current"
"$maniple" models statistics >>"$current"
if [ "${3:-}" = --check ]; then
    diff "$page" "$current"
else
    cp "$current" "$page"
fi
