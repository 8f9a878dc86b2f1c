#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The worked example of a plug-in (docs/examples/plugin), compiled outside of the tree against installed headers: what it
# brings is chosen, described and stated in results; what is no plug-in of this maniple is refused with a remedy.
# Usage: plugin.sh MANIPLE TRACEGEN BUILD EXAMPLES SANITIZERS
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
build=$3
examples=$4
work=$tap_folder

# ===== compiled against what is installed =====

DESTDIR=$work/root meson install -C "$build" --no-rebuild --tags devel --quiet >"$work/install.txt" 2>&1
headers=$(dirname "$(find "$work/root" -name plugin.h -path '*/maniple/plugin.h')")
[ -f "$headers/src/contract/kind.h" ]
ok $? "headers are installed"
config=$(dirname "$(find "$work/root" -name maniple-plugin.pc)")
flags="-I$headers/.. -I$headers/src"
if command -v pkg-config >"$work/which.txt"; then
    flags=$(PKG_CONFIG_PATH=$config PKG_CONFIG_SYSROOT_DIR=$work/root pkg-config --cflags maniple-plugin)
fi
cp -r "$examples/plugin" "$examples/ring" "$work"
# shellcheck disable=SC2086
compile() { ${CC:-cc} -std=gnu17 -O0 -Wall -Werror -shared -fPIC $flags "$@"; }
compile "$work/plugin/example.c" "$work/ring/ring.c" -o "$work/example.so" 2>"$work/compile.txt"
ok $? "the example compiles outside of the tree"
note <"$work/compile.txt"

# ===== what it brings =====

"$tracegen" stream "$work/trace" arch=86 >"$work/trace.txt"
example() { "$maniple" --plugin "$work/example.so" "$@"; }
run() { example run -q --machine rtx3070 "$@" "$work/trace/kernelslist.g"; }

# says COMMAND... -- WORD...: the output holds all words
says() {
    local command=()
    while [ "$1" != -- ]; do
        command+=("$1")
        shift
    done
    shift
    "${command[@]}" >"$work/said.txt" 2>&1
    for word; do
        grep -qF -- "$word" "$work/said.txt" || { head -c 2000 "$work/said.txt" | note; return 1; }
    done
}

says example models sm -- '"next-line"' 'next-line.degree' next_line_asks '"highest"' 'greedy, then the warp at the highest place'
ok $? "maniple models knows its parts, parameters and statistics"
says example models partition -- '"last-used"' '"fold"'
ok $? "… in every model that has the choice"
says example models ring_core -- ring.latency
ok $? "… and its kind of machine"

run --set sm.l1d.prefetcher=next-line --set next-line.degree=2 -o "$work/one" >"$work/said.txt"
python3 - "$work" <<'PY'
import hashlib, json, sys
results = json.load(open(sys.argv[1] + "/one/results.json"))
plugin, = results["run"]["plugins"]
assert plugin["name"] == "example" and plugin["file"] == sys.argv[1] + "/example.so", plugin
assert plugin["sha256"] == hashlib.sha256(open(plugin["file"], "rb").read()).hexdigest(), plugin
assert results["machine"]["next-line"]["degree"] == 2, results["machine"]["next-line"]
assert results["machine"]["sm"]["l1d"]["prefetcher"] == "next-line"
for statistics in (results["total"]["statistics"], results["kernels"][0]["statistics"]):
    assert statistics["next_line_asks"]["value"] > 0 and statistics["l1d_prefetches"]["value"] > 0
PY
ok $? "results state the plug-in with its hash, its parameter and its statistic"
grep -q 'degree = 2; // --set' "$work/one/machine.resolved"
ok $? "the resolved machine has its parameter"

run --set sm.stage=behind -o "$work/stage" >"$work/said.txt"
python3 - "$work" <<'PY'
import json, sys
statistics = json.load(open(sys.argv[1] + "/stage/results.json"))["total"]["statistics"]
assert statistics["behind_issued"]["value"] == statistics["gpgpu_n_tot_w_icount"]["value"]
assert statistics["behind_fetches"]["value"] >= statistics["l1d_prefetches"]["value"] > 0
PY
ok $? "its stage hears every instruction issue, has turns and fetches lines"

all=(--set sm.stage=behind --set sm.scheduler=highest --set l2.hash=fold --set l2.set_hash=fold --set l2.replacement=last-used
    --set sm.l1d.replacement=last-used --set sm.l1d.prefetcher=next-line --long --hash)
run "${all[@]}" >"$work/first.txt"
run "${all[@]}" --no-skip >"$work/second.txt"
run "${all[@]}" --threads 2 >"$work/third.txt"
[ -s "$work/first.txt" ] && cmp -s "$work/first.txt" "$work/second.txt" && cmp -s "$work/first.txt" "$work/third.txt"
ok $? "all of its parts together give the same bytes however they are run"
MANIPLE_PLUGINS=$work/example.so "$maniple" run -q --machine rtx3070 "${all[@]}" "$work/trace/kernelslist.g" \
    >"$work/fourth.txt"
cmp -s "$work/first.txt" "$work/fourth.txt"
ok $? "MANIPLE_PLUGINS names it too"

example run -q --machine "$work/ring/ring.cfg" --cores 8 --set ring.rounds=100 --format json >"$work/ring.json"
python3 -c "import json; s = json.load(open('$work/ring.json'))['total']['statistics']; assert s['ring_cycles']['value'] == 4000"
ok $? "its kind of machine runs: 8 cores, 100 rounds, latency 5: 4000 cycles"

if [ -f "$build/maniple-apps" ] && [ -f "$build/libcuda.so.1" ] && command=$(sanitize "$maniple" "$5"); then
    # shellcheck disable=SC2086
    $command --plugin "$work/example.so" app run vecadd --machine rtx3070 --set sm.l1d.prefetcher=next-line -q --format json \
        >"$work/app.json" 2>"$work/said.txt"
    python3 -c "import json; r = json.load(open('$work/app.json'))
assert r['run']['plugins'][0]['name'] == 'example' and r['total']['statistics']['next_line_asks']['value'] > 0"
    ok $? "a CUDA program runs with its parts"
    "$maniple" --plugin "$work/example.so" run -q --plugin="$work/example.so" -- echo one "two words" >"$work/words.txt" 2>&1
    [ "$(head -1 "$work/words.txt")" = "one two words" ]
    ok $? "a program gets its own words behind those of plug-ins"
    note <"$work/words.txt"
fi

# A list of two launches, so that there is a moment for a snapshot between them.
cp -r "$work/trace" "$work/two"
cat "$work/trace/kernelslist.g" >>"$work/two/kernelslist.g"
run_two() { "$maniple" "$@" --set sm.scheduler=highest "$work/two/kernelslist.g"; }
run_two --plugin "$work/example.so" run -q --machine rtx3070 --snapshot "$work/kept" --snapshot-at 1 >"$work/said.txt" 2>&1
run_two --plugin "$work/example.so" run -q --machine rtx3070 --resume "$work/kept" >"$work/resumed.txt" 2>&1
grep -q '^ *2 ' "$work/resumed.txt"
ok $? "a run goes on from its snapshot with the same plug-in"

# ===== sweeps: a plug-in decides results, so its contents are in the names of runs =====

printf 'machines = ["rtx3070"];\ninputs = ["%s/trace/kernelslist.g"];\nvary = ({ key = "l2.replacement"; values = ["lru", "last-used"]; });\n' \
    "$work" >"$work/plan.cfg"
{ cat "$work/plugin/example.c" && echo 'extern const int more; const int more = 1;'; } >"$work/plugin/changed.c"
compile "$work/plugin/changed.c" "$work/ring/ring.c" -o "$work/changed.so"
sweep() { "$maniple" sweep "$work/plan.cfg" -o "$work/runs" --plugin "$@" 2>"$work/said.txt"; }
cp "$work/example.so" "$work/same.so"
sweep "$work/example.so" -q && [ "$(sweep "$work/same.so" --list | grep -c ' done ')" = 2 ]
ok $? "a sweep's runs are found again with the same plug-in under another name"
[ "$(sweep "$work/changed.so" --list | grep -c ' waits ')" = 2 ]
ok $? "… and are to be made again with a changed one"
sweep "$work/changed.so" --commands parallel | sed 1q >"$work/command.sh"
[ "$(sweep "$work/changed.so" --list | grep -c ' waits ')" = 2 ] && bash "$work/command.sh" &&
    [ "$(sweep "$work/changed.so" --list | grep -c ' done ')" = 1 ] && grep -q -- "--plugin $work/changed.so" "$work"/runs/*/job.txt
ok $? "commands for other hosts, and the notes of runs, name the plug-in"

# ===== second runs load the plug-ins of the first, unless they have changed =====

what_if() { (cd / && "$maniple" "$@" --what-if) >"$work/said.txt" 2>&1; }
swept=$(dirname "$(grep -l -- '--set l2.replacement=last-used' "$work"/runs/*/job.txt | sed 1q)")
"$maniple" report "$swept" | tr -s ' \n' ' ' >"$work/report.txt"
grep -q -- "-o $swept " "$work/report.txt" && grep -q -- "--plugin $work/" "$work/report.txt"
ok $? "the command of a swept run has its folder and its plug-ins"
"$tracegen" gather "$work/gather" arch=86 >"$work/trace.txt"
cp "$work/example.so" "$work/used.so"
(cd "$work" && MANIPLE_PLUGINS=used.so "$maniple" run -q --machine rtx3070 --set l2.replacement=last-used -o what gather/kernelslist.g) \
    >"$work/said.txt" 2>&1
what_if report "$work/what" && grep -q ' measured with ' "$work/said.txt" && grep -q -- "--plugin $work/used.so" "$work/said.txt"
ok $? "report --what-if loads the plug-ins of the run"
[ -z "$(grep 'stays an estimate' "$work/said.txt")" ] || note <"$work/said.txt"
cp "$work/changed.so" "$work/used.so"
what_if report "$work/what"
[ $? = 2 ] && grep -q "plug-in $work/used.so, which has changed since" "$work/said.txt"
ok $? "… not one that has changed since"
rm "$work/used.so"
what_if report "$work/what"
[ $? = 2 ] && grep -q "plug-in $work/used.so, which cannot be read any more" "$work/said.txt"
ok $? "… nor one that is not there"
what_if report --plugin "$work/example.so" "$work/what" && grep -q ' measured with ' "$work/said.txt"
ok $? "… unless the report has loaded it from elsewhere"

# ===== what is refused: exit status 2, and a remedy =====

refused() { # WHAT WORD COMMAND...
    local what=$1 word=$2
    shift 2
    "$@" >"$work/said.txt" 2>&1
    [ $? = 2 ] && grep -qF -- "$word" "$work/said.txt"
    ok $? "$what is refused"
    [ -n "$(grep -F -- "$word" "$work/said.txt")" ] || note <"$work/said.txt"
}

sed 's/^#include "..\/ring\/ring.h"/#undef MANIPLE_PLUGIN_VERSION\n#define MANIPLE_PLUGIN_VERSION 999\n&/' \
    "$work/plugin/example.c" >"$work/plugin/other.c"
compile "$work/plugin/other.c" "$work/ring/ring.c" -o "$work/other.so"
refused "a plug-in of another version" "is a plug-in of version 999" "$maniple" --plugin "$work/other.so" machines
sed 's/MANIPLE_PLUGIN_HEADER,/MANIPLE_PLUGIN_HEADER, .sizes[0] = 1,/' "$work/plugin/example.c" >"$work/plugin/sizes.c"
${CC:-cc} -std=gnu17 -w -shared -fPIC $flags "$work/plugin/sizes.c" "$work/ring/ring.c" -o "$work/sizes.so"
refused "a snapshot of a machine with a plug-in that has changed since" "of a machine with plug-ins example " \
    run_two --plugin "$work/changed.so" run -q --machine rtx3070 --resume "$work/kept"
refused "one that was compiled with other headers" "other headers" "$maniple" --plugin "$work/sizes.so" machines
echo 'int nothing;' >"$work/nothing.c"
compile "$work/nothing.c" -o "$work/nothing.so"
refused "a library without the object" "maniple_plugin" "$maniple" --plugin "$work/nothing.so" machines
refused "a file that is no library" "no plug-in that can be loaded" "$maniple" --plugin "$work/nothing.c" machines
refused "a missing file" "there is no such plug-in" "$maniple" machines --plugin "$work/absent.so"
mkfifo "$work/pipe.so"
refused "a pipe" "there is no such plug-in" timeout 5 "$maniple" machines --plugin "$work/pipe.so"
refused "a folder" "there is no such plug-in" "$maniple" machines --plugin "$work"
refused "an option without a file" "--plugin: there is no such plug-in" "$maniple" machines --plugin
# changed WHAT SED WORD [OPTION...]: the example with something wrong is refused when it is loaded, or by a run
changed() {
    local what=$1 word=$3
    sed -E "$2" "$work/plugin/example.c" >"$work/plugin/wrong.c"
    cmp -s "$work/plugin/example.c" "$work/plugin/wrong.c" && echo "not changed by $2" | note
    # shellcheck disable=SC2086
    ${CC:-cc} -std=gnu17 -w -shared -fPIC $flags "$work/plugin/wrong.c" "$work/ring/ring.c" -o "$work/wrong.so"
    shift 3
    refused "$what" "$word" "$maniple" --plugin "$work/wrong.so" run -q --machine rtx3070 "$@" "$work/trace/kernelslist.g"
    grep -qF "$work/wrong.so: " "$work/said.txt" || { echo "no word of the file"; head -c 500 "$work/said.txt"; } | note
}
changed "a policy of the name of a built-in one" 's/"last-used"/"lru"/' 'the policy "lru": maniple itself has a "lru"'
changed "one of the name of a called one" 's/"last-used"/"ship"/' 'maniple itself has a "ship"'
changed "a scheduler of the name of a built-in one" 's/"highest"/"lrr"/' 'maniple itself has a "lrr"'
changed "a prefetcher of the name of a built-in one" 's/"next-line"/"stride"/' 'maniple itself has a "stride"'
changed "a hash of the name of a built-in one" 's/"fold"/"ipoly"/' 'maniple itself has a "ipoly"'
changed "a stage called none" 's/"behind"/"none"/' 'maniple itself has a "none"'
changed "a parameter of the name of a key" 's/"next-line.degree"/"sm.count"/' 'maniple itself has a "sm.count"'
changed "a policy without a victim" '/\.victim = /d' 'the policy "last-used" has no function `victim`'
changed "a policy without a help" 's/\.help = "the line that was used last", //' 'states no help'
changed "a prefetcher without its function" '/\.observe = /d' 'has no function `observe`'
changed "a scheduler without its function" '/\.choose = /d' 'has no function `choose`'
changed "a hash without its function" '/\.bit = /d' 'has no function `bit`'
changed "a victim that does not exist" 's/return found;/return set->count + 83;/' \
    '"last-used" gives up way 99 of set' --set l2.replacement=last-used --set l2.slice.size=32KiB
grep -q 'which does not exist; a victim is one of 16 ways' "$work/said.txt"
ok $? "… with the number of ways"
changed "a victim that is barred" 's/!barred\(cache, way\) \&\& //' 'which is barred; a victim is one of' --set l2.slice.size=4KiB \
    --set l2.replacement=last-used
changed "a choice of a warp that is not ready" 's/63 - \(uint32_t\)__builtin_clzll\(choice->ready\)/(uint32_t)__builtin_ctzll(~choice->ready)/' \
    '"highest" chooses place' --set sm.scheduler=highest
changed "a prefetcher that asks for too much" 's/return \(uint32_t\)values\[0\];/return 99;/' '"next-line" asks for 99 lines at once' \
    --set sm.l1d.prefetcher=next-line
changed "a hash beyond its bins" 's/UINT32_C\(1\) << bit \/ 2 % bits/UINT32_C(1) << bits/' '"fold" gives bit 0 the value' --set l2.hash=fold
cp "$work/example.so" "$work/twice.so"
refused "a name that is taken" "already" "$maniple" --plugin "$work/example.so" --plugin="$work/twice.so" machines
refused "a choice of a plug-in that is not loaded" '"none", "stride"' "$maniple" run --machine rtx3070 \
    --set sm.l1d.prefetcher=next-line "$work/trace/kernelslist.g"
grep -qF -- 'or load the plug-in that has it (--plugin FILE.so)' "$work/said.txt"
ok $? "… with a word on how it is loaded"
refused "a wrong value of its parameter" "next-line.degree" "$maniple" --plugin "$work/example.so" run --machine rtx3070 \
    --set sm.l1d.prefetcher=next-line --set next-line.degree=9 "$work/trace/kernelslist.g"

tap_end
