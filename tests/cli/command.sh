#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The command from outside: help, unknown words, bad options, inputs that are no traces. Usage: command.sh MANIPLE
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
work=$tap_folder

expect 2 "no arguments: the help, on standard error" "Usage: maniple VERB" "$maniple"
expect 0 "--help" "simulate a traced program" "$maniple" --help
expect 0 "--version" "^maniple [0-9]" "$maniple" --version
expect 2 "an unknown verb names the nearest" "did you mean run?" "$maniple" rnu
expect 0 "run --help" "What is simulated" "$maniple" run --help
expect 0 "machines --help" "Usage: maniple machines" "$maniple" machines --help
expect 0 "machine --help" "Usage: maniple machine show" "$maniple" machine --help
expect 0 "models --help" "Usage: maniple models" "$maniple" models --help
expect 0 "convert --help" "Packs a trace" "$maniple" convert --help
expect 0 "trace --help" "Usage: maniple trace info" "$maniple" trace --help
expect 0 "trace record --help" "Executes a CUDA program without timing" "$maniple" trace record --help
expect 0 "compare --help" "two runs" "$maniple" compare --help
for verb in correlate plan profile report merge sweep timeline scaling serve system; do
    expect 0 "$verb --help" "Usage: maniple $verb" "$maniple" $verb --help
done
expect 0 "help of a verb" "What is simulated" "$maniple" help run
expect 2 "help of an unknown verb" "did you mean run?" "$maniple" help rnu

# Every option is checked, and says what it takes.
touch "$work/list"
bad() { # OPTION=VALUE PATTERN
    expect 2 "$1 is refused" "$2" "$maniple" run "$1" "$work/list"
}
bad --trace-memory=0 "is too small"
bad --trace-memory=1KiB "state 1MiB or more"
bad --trace-memory=much "state 1MiB or more"
bad --threads=0 "state a whole number from 1 to"
bad --threads=-1 "is negative"
bad --threads=many "is not a whole number"
bad --threads=99999999999999999999 "is too large"
bad --threads=1025 "is too large"
bad --executor=windw "did you mean window?"
bad --executor=mpi "was started alone"
bad --executor=relaxed "state the length"
bad --executor=relaxed:0 "from 1 to"
bad --executor=relaxed:99999999 "is too large"
bad --executor=lokstep "did you mean lockstep?"
bad --chunk=4 "belongs to --executor openmp"
bad --assign=0-3 "belongs to --executor lockstep, domains or pool"
bad --schedule=dinamic "did you mean dynamic?"
bad --window=0 "from 1 to"
bad --window=soon "is not a whole number"
bad --kernels=0 "count from 1"
bad --kernels=3-1 "count from 1"
bad --kernels=1,,2 "count from 1"
bad --kernels=1-2-3 "count from 1"
bad --kernels= "count from 1"
bad --max-cycles=0 "from 1 to"
bad --unknown=maybe "is not one of stop, alu"
bad --format=xml "is not one of text, json, gpgpusim"
bad --cores=4 "is for programs on many-core machines"
bad --functional "is for CUDA programs"
bad --nonsense "has no option --nonsense"
expect 2 "-v and -q contradict" "contradict" "$maniple" run -v -q "$work/list"
expect 2 "no input" "there is no input" "$maniple" run
expect 2 "two inputs, of which one is not there" "cannot open" "$maniple" run a b
expect 2 "a program behind -- that is not there" "cannot open" "$maniple" run -- no-such-program -l

expect 2 "and without time" "nothing-here: cannot open" "$maniple" run --machine rtx3070 --functional -- "$work/nothing-here"
expect 2 "whatever the machine" "nothing-here: cannot open" "$maniple" run --machine rtx3070 -- "$work/nothing-here"

# The front-end is chosen by content.
expect 2 "no such file" "nothing-here: cannot open: No such file" "$maniple" run "$work/nothing-here"
expect 2 "a folder without a trace" "without a kernelslist.g in it" "$maniple" run "$work"
mkdir "$work/trace"
touch "$work/trace/kernelslist.g"
expect 2 "a folder with a trace" "is a folder; give the kernelslist.g in it" "$maniple" run "$work/trace"
expect 2 "an empty file" "is empty" "$maniple" run "$work/list"
expect 2 "a program in place of a trace" "give it behind --" "$maniple" trace info "$maniple"
printf -- '-kernel name = x\n' >"$work/kernel"
expect 2 "the trace of one kernel" "is the trace of one kernel" "$maniple" run "$work/kernel"
printf 'a\0b' >"$work/binary"
expect 2 "binary data" "binary data" "$maniple" run "$work/binary"
printf '\x1f\x8b\x08xxxx' >"$work/packed"
printf '#!/bin/sh\n' >"$work/script"
[ ! -e "$(dirname "$maniple")/libcuda.so.1" ] || # with AddressSanitizer CUDA's stand-ins are not built in make test
    expect 2 "a script behind -- that nobody may run" "cannot be run: Permission denied" "$maniple" run -- "$work/script"
expect 2 "a compressed list" "is compressed" "$maniple" run "$work/packed"

# Machines.
expect 0 "machines" "" "$maniple" machines
expect 2 "machines with a name" "machine show rtx3070" "$maniple" machines rtx3070
expect 2 "machine without show" "takes two words" "$maniple" machine rtx3070
expect 2 "an unknown machine" "there is no machine or file" "$maniple" machine show nosuchmachine
printf 'sm: {\n  count = ;\n};\n' >"$work/bad.cfg"
expect 2 "a broken machine file is located" "bad.cfg:2: syntax error" "$maniple" machine show "$work/bad.cfg"
printf 'machine: { name = "less"; extends = "h100-sxm"; };\nsm: { count = 20; };\n' >"$work/less.cfg"
expect 0 "the SMs of each GPC are listed for one number of SMs" 'sms = \[\]' "$maniple" machine show "$work/less.cfg"
printf 'machine: { kind = "abacus"; };\n' >"$work/kind.cfg"
expect 2 "an unknown kind of machine" "abacus" "$maniple" machine show "$work/kind.cfg"
printf 'machine: { extends = "./nowhere.cfg"; };\n' >"$work/lost.cfg"
expect 2 "a file to extend that is not there" "lost.cfg:1: cannot open the extended file .*name a built-in machine" \
    "$maniple" machine show "$work/lost.cfg"
if [ -x "${maniple%/*}/maniple-tracegen" ]; then
    "${maniple%/*}/maniple-tracegen" vectoradd "$work/vectoradd" n=64 >/dev/null
    for kind in manycore-2 "$work/kind.cfg"; do
        expect 2 "a trace on ${kind##*/}" "kind.*\"gpu\"" "$maniple" run --machine "$kind" "$work/vectoradd/kernelslist.g"
    done
    expect 2 "a group in place of a key" "sm.l1d is a group of keys; name one of them, such as sm.l1d.size" \
        "$maniple" run --machine rtx3070 --set sm.l1d=4 "$work/vectoradd/kernelslist.g"

    # Packing replaces nothing but a packed trace.
    list=$work/vectoradd/kernelslist.g
    cp "$list" "$work/before"
    expect 2 "packing over the trace itself" "is no packed trace" "$maniple" convert "$list" -o "$list"
    cmp -s "$list" "$work/before"
    ok $? "leaves it alone"
    expect 0 "packing" "" "$maniple" convert -q "$list" -o "$work/x.mtrace"
    expect 0 "packing over a packed trace" "" "$maniple" convert -q "$work/x.mtrace" -o "$work/x.mtrace"
fi
expect 0 "models" "" "$maniple" models
# Those that both kinds of machine have; otherwise two rows of one machine would read the same key.
twice=$("$maniple" models | grep -E '^    [a-z0-9_.]+ +(number|size|clock|boolean|one of|list|text)' | awk '{ print $1 }' |
    sort | uniq -d | tr '\n' ' ')
[ "$twice" = "clock.core energy.basis energy.instruction energy.model energy.scale energy.shared livelock " ]
ok $? "no key stands twice"
for list in machines models "models sm"; do
    # shellcheck disable=SC2086
    "$maniple" $list --format json | python3 -c 'import json, sys; sys.exit(not all(each["name"] for each in json.load(sys.stdin)))'
    ok $? "$list as JSON"
done
expect 2 "another format" 'machines has no format xml' "$maniple" machines --format xml
expect 2 "an unknown model as JSON" 'there is no model "nosuchmodel"' "$maniple" models --format=json nosuchmodel
expect 2 "an unknown model" "there is no model" "$maniple" models nosuchmodel
"$maniple" machines | while read -r name rest; do
    "$maniple" machine show "$name" >"$work/$name.cfg" || exit 1
    "$maniple" machine show "$work/$name.cfg" >"$work/again.cfg" || exit 1
    # Origins differ, values may not.
    diff <(sed 's,//.*,,' "$work/$name.cfg") <(sed 's,//.*,,' "$work/again.cfg") || exit 1
done >"$work/out" 2>&1
ok $? "every built-in machine, resolved, is a machine file of the same machine"
note <"$work/out"
(cd / && "$maniple" machines >/dev/null)
ok $? "the machines are inside the program"

# A full disk.
if [ -w /dev/full ]; then
    "$maniple" --help >/dev/full 2>"$work/out"
    ok $(($? == 2 ? 0 : 1)) "a full disk under standard output is an error"
    grep -q "No space left" "$work/out"
    ok $? "and says so"
    "$maniple" app list >/dev/full 2>"$work/out"
    [ $? -eq 2 ] || [ ! -e "${maniple%/*}/maniple-apps" ]
    ok $? "of the list of workloads too"
fi
tap_end
