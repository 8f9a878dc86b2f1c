#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The table of workloads in apps.md comes from the workloads themselves. What is behind the line that says so is written
# anew. Usage: apps.sh MANIPLE-APPS PAGE [--check]: --check writes nothing, and fails if the page is not current.
set -euo pipefail
apps=$1 page=$2
mark='<!-- What follows is written by docs/apps.sh. -->'
current=$(mktemp)
trap 'rm -f "$current"' EXIT
awk -v mark="$mark" '{ print } $0 == mark { exit }' "$page" >"$current"
grep -qxF -- "$mark" "$current"
"$apps" facts >>"$current"
if [ "${3:-}" = --check ]; then
    diff "$page" "$current"
else
    cp "$current" "$page"
fi
