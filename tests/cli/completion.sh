#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Completion of the command line: bash is asked as its user would; zsh and fish read their files where they are installed.
# Usage: completion.sh FOLDER MANIPLE
folder=$(realpath "$1")
source "$(dirname "$0")/../tap.sh"
PATH=$(dirname "$(realpath "$2")"):$PATH
cd "$tap_folder" || exit 1
touch traces.g
source "$folder/maniple"

# offers WHAT WANTED UNWANTED WORD...: behind the words, the last of which is being written
offers() {
    local what=$1 wanted=$2 unwanted=$3 offered
    shift 3
    COMP_WORDS=(maniple "$@")
    COMP_CWORD=$#
    _maniple
    offered=" ${COMPREPLY[*]} "
    [[ $offered == *" $wanted "* ]] && [[ -z $unwanted || $offered != *" $unwanted "* ]]
    ok $? "$what"
    [[ $offered == *" $wanted "* ]] || note <<<"$offered"
}
offers "verbs" sweep compare s
offers "options of a verb" --machine= --html= run --
offers "options that are alike" --max-time= --machine= run --max
offers "machines" rtx3070 a100 run --machine = r
offers "machines, behind an equals sign" h200 "" run --machine =
offers "machines, behind a space" v100 rtx3070 run --machine v
offers "the choices of an option" needed "" run --values = n
offers "what a verb does" show "" app s
offers "workloads" sgemm bfs app run s
offers "options of run for a workload" --machine= "" app run sgemm --
offers "machines for a workload" h200 "" app run sgemm --machine = h
offers "keys of a machine" sm.l1d.mshrs= dcache.ways= run --machine = a100 --set sm.l1d.m
offers "keys of a many-core machine, behind an equals sign" dcache.ways= sm.l1d.mshrs= run --machine manycore-2 --set = dca
offers "keys for a workload" l2.copies= "" app run sgemm --set l2.
offers "the forms of commands" snakemake "" sweep --commands s
offers "models" partition "" models p
offers "plug-ins" --plugin= "" sweep --pl
offers "behind a plug-in" --machine= "" --plugin x.so run --mach
offers "behind a plug-in with an equals sign" compare "" --plugin = x.so co
offers "forms of what a run prints" gpgpusim traces.g run --format = ""
offers "files" traces.g "" run tr
offers "executors, and no files" lockstep traces.g run --executor = ""
offers "values, and no files" needed traces.g run --values ""
offers "forms of a recorded trace" tracez text trace record --format = tr
offers "options of a recorded trace" --app= --html= trace record --
offers "workloads to record" sgemm "" trace record --app sg
offers "models to profile" llama-3-8b --jobs= profile ll
offers "words of a key" drrip traces.g run --set = sm.l1d.replacement = dr
offers "all words of a key" lru traces.g run --machine a100 --set l2.replacement =
offers "no words of a key that takes numbers" "" lru run --set sm.count = ""

COMP_WORDS=(maniple-tracegen mat) COMP_CWORD=1
_maniple_tracegen
[ "${COMPREPLY[*]}" = matmul ]
ok $? "kinds of generated traces"
COMP_WORDS=(maniple-tracegen matmul folder t) COMP_CWORD=3
_maniple_tracegen
[ "${COMPREPLY[*]}" = tile= ]
ok $? "and their keys"
if command -v zsh >zsh.txt; then
    zsh -n "$folder/_maniple"
    ok $? "zsh reads its file"
    # zsh_offers WHAT WANTED LINE: a shell at a terminal of its own is given the line and a tabulator
    zsh_offers() {
        FOLDER=$folder WANTED=$2 LINE=$3 timeout 20 zsh -f >zsh.txt 2>&1 <<'END'
zmodload zsh/zpty
zpty shell 'PS1= zsh -f -i'
zpty -w shell 'stty columns 400; LISTMAX=9999; fpath=($FOLDER $fpath); autoload -Uz compinit; compinit -u -d ./zcompdump'
zpty -w -n shell "$LINE"$'\t\t'
zpty -r -m shell printed "*$WANTED*" && print -r -- "$printed" # until it is there
zpty -d shell
END
        grep -q -- "$2" zsh.txt && ! grep -q 'parse error' zsh.txt
        ok $? "zsh offers $1" || note <zsh.txt
    }
    zsh_offers "executors" s-events 'maniple run --executor '
    zsh_offers "machines to show" rtx3080ti 'maniple machine show rtx'
    zsh_offers "kinds of generated traces" vectoradd 'maniple-tracegen '
    zsh_offers "keys of a generated trace" 'tile=' 'maniple-tracegen matmul folder '
fi
if command -v fish >fish.txt; then
    fish -n "$folder/maniple.fish"
    ok $? "fish reads its file"
    fish -c "source $folder/maniple.fish; complete -C 'maniple run --machine=a100 --set l2.c'" | grep -q '^l2.copies='
    ok $? "fish offers keys of a machine"
    fish -c "source $folder/maniple.fish; complete -C 'maniple app run sge'" | grep -q '^sgemm'
    ok $? "fish offers workloads"
    fish -c "source $folder/maniple.fish; complete -C 'maniple machine show rtx30'" | grep -q '^rtx3070'
    ok $? "fish offers machines to show"
    fish -c "source $folder/maniple.fish; complete -C 'maniple-tracegen matmul folder t'" | grep -q '^tile='
    ok $? "fish offers keys of a generated trace"
fi
tap_end
