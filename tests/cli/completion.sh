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
offers "files" traces.g "" run tr
if command -v zsh >zsh.txt; then
    zsh -n "$folder/_maniple"
    ok $? "zsh reads its file"
fi
if command -v fish >fish.txt; then
    fish -n "$folder/maniple.fish"
    ok $? "fish reads its file"
    fish -c "source $folder/maniple.fish; complete -C 'maniple run --machine=a100 --set l2.c'" | grep -q '^l2.copies='
    ok $? "fish offers keys of a machine"
fi
tap_end
