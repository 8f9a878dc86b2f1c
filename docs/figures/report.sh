#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes README's picture, docs/figures/report.png, again: the page of a report on a product of matrices, in a headless browser.
# Needs Debian's chromium or chromium-headless-shell. Usage: docs/figures/report.sh [BUILD]; make picture
set -eu
cd "$(dirname "$0")/../.."
build=$(realpath "${1:-build}") picture=$PWD/docs/figures/report.png
browser=$(command -v chromium-headless-shell || command -v chromium || command -v google-chrome) || {
    echo "docs/figures/report.sh: no browser; apt-get install chromium" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$build/maniple-tracegen" matmul product arch=86 n=256 >trace.txt
"$build/maniple" run --machine rtx3070 -q --by-instruction -o tiles product/kernelslist.g >run.txt
"$build/maniple" report tiles --html report.html >report.txt
HOME=$work "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
    --window-size=900,965 --screenshot="$work/report.png" "file://$work/report.html" >browser.txt 2>&1
mv report.png "$picture"
ls -l "$picture"
