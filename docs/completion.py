#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what lets bash, zsh and fish complete the command line of maniple, from the verbs' own help.
Usage: completion.py MANIPLE bash|zsh|fish OUTPUT"""
import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from manuals import VERBS, parse  # noqa: E402

# What the first word behind a verb may be, where it is no file.
ACTIONS = {"machine": ["show"], "trace": ["info", "record"], "app": ["list", "show", "run"], "models": ["statistics"]}
# Words that only the installed program knows: the name of the argument in the help, and what prints them.
LISTS = {"NAME|FILE": "maniple machines"}
# Prints the keys of a machine from what `machine show` prints of it.
KEYS = (r"""awk '/: \{$/ { at = at substr($1, 1, length($1) - 1) "."; next } /^ *\};/ { sub(/[^.]*\.$/, "", at); next } """
        r"""$2 == "=" { print at $1 }'""")
# Words that an option takes, where the name of its argument does not list them.
CHOICES = {("sweep", "--commands"): ["parallel", "slurm", "snakemake"],
           ("run", "--executor"): ["window", "serial", "mpi", "lockstep", "domains", "pool", "openmp", "relaxed:", "cuda", "cuda:relaunch",
                                   "s-events", "cuda:s-events"],
           ("run", "--format"): ["text", "json", "gpgpusim"],
           ("run", "--schedule"): ["cost", "static", "dynamic"],
           ("run", "--code"): ["auto", "sass", "ptx", "ptxas"],
           ("run", "--core"): ["auto", "interpreter", "translation"],
           ("run", "--check"): ["race", "init", "race,init"],
           ("record", "--format"): ["text", "tracez", "mtrace"],
           ("models", "--format"): ["json"],
           ("machines", "--format"): ["json"],
           ("profile", "--for"): ["csv", "vidur", "aiconfigurator", "astra-sim"]}
# Options whose words only the installed program knows.
LISTED = {("record", "--app"): "maniple app list"}
# Kinds of generated traces, and from the generator's help the keys of one.
KINDS = "maniple-tracegen --list 2>/dev/null | cut -d' ' -f1"
TRACE_KEYS = ('/^Keys of every/ { on = 1; next } /^  [a-z]/ { on = ($1 == kind); next } /^[A-Z]/ { on = 0 } '
              'on && /^    [a-z]/ { print $1 "=" }')
# What prints the words behind an action, and what these are called.
SECOND = {"machine": ("maniple machines", "machine"), "app": ("maniple app list", "workload")}
# Actions with options of their own: a name here, and what prints their help.
RECORD = {"record": ["trace", "record"]}


def models(maniple):
    """Names of all models."""
    text = subprocess.run([maniple, "models"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^(\w+): ", text, re.M)


def choices_of_keys(maniple):
    """{words: keys that take them}"""
    text = subprocess.run([maniple, "models", "--format", "json"], capture_output=True, text=True, check=True).stdout
    found = {}
    for model in json.loads(text):
        for key in model["parameters"]:
            if key["type"] == "choice":
                found.setdefault(" ".join(key["choices"]), []).append(key["key"])
    return {words: list(dict.fromkeys(keys)) for words, keys in found.items()}


def profiled():
    """Names of models that `maniple profile` knows."""
    return re.findall(r'^PROFILE_MODEL\("([^"]+)"', (pathlib.Path(__file__).parents[1] / "src/cli/profile/model_list.h").read_text(), re.M)


def listed(verb, name, argument):
    """The command that prints the words of an option; None: there is none."""
    return LISTED.get((verb, name)) or LISTS.get(argument)


def options_of(maniple, verb):
    """[(option, name of its argument or "", words that it takes, first sentence of its help)]"""
    words = [maniple, *RECORD.get(verb, [verb]), "--help"]
    text = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "100"}).stdout
    found = []
    for names, told in parse(text)[2]:
        name = re.search(r"--[a-z][a-z-]*", names or "")
        if name is None:
            continue
        argument = re.search(name[0] + r"[= ](\S+)", names)
        argument = argument[1] if argument else ""
        choices = CHOICES.get((verb, name[0])) or [word for word in argument.split("|") if word == word.lower() and word]
        found.append((name[0], argument, choices, re.split(r"[:;.,] ", told.strip() + " ")[0].strip()))
    return found


def write_bash(verbs, keys):
    cases, values = [], []
    of_keys = [f'        {" | ".join(names)}) words="{words}" ;;' for words, names in keys.items()]
    for verb, options in verbs.items():
        names = [name + "=" * bool(argument) for name, argument, _, _ in options] + ["--help", "--plugin="]
        cases.append(f'        {verb}) options="{" ".join(dict.fromkeys(names))}"; actions="{" ".join(ACTIONS.get(verb, []))}" ;;')
        values += [f'        {verb}:{name}) words="{" ".join(choices)}" ;;' for name, _, choices, _ in options if choices]
        values += [f"        {verb}:{name}) words=$(_maniple_keys); compopt +o filenames -o nospace 2>/dev/null ;;"
                   for name, argument, _, _ in options if argument == "KEY=VALUE"]
        values += [f"        {verb}:{name}) words=$({listed(verb, name, argument)} 2>/dev/null | cut -d' ' -f1){'; files=yes' * (argument in LISTS)} ;;"
                   for name, argument, _, _ in options if listed(verb, name, argument)]
    return f"""# Completion of maniple's command line for bash. Written by docs/completion.py.
_maniple_machine() {{ # the machine that the command line states, or one of the verb's kind
    local at machine=manycore-2
    case "${{COMP_WORDS[1]}}" in run | app) machine=rtx3070 ;; esac
    for (( at = 1; at < COMP_CWORD - 1; at++ )); do
        [ "${{COMP_WORDS[at]}}" = --machine ] || continue
        machine=${{COMP_WORDS[at + 1]}}
        [ "$machine" != = ] || machine=${{COMP_WORDS[at + 2]}}
    done
    printf '%s' "$machine"
}}

_maniple_keys() {{ # keys of that machine, each with its equals sign
    maniple machine show "$(_maniple_machine)" 2>/dev/null | {KEYS} | sed 's/$/=/'
}}

_maniple_values() {{ # VERB OPTION: what the option takes; files too where it has no words of its own
    files=
    case "$1:$2" in
{chr(10).join(values)}
        *) files=yes ;;
    esac
}}

_maniple_choices() {{ # KEY: the words that a key of a machine takes
    files=
    case "$1" in
{chr(10).join(of_keys)}
    esac
}}

_maniple() {{
    # Plug-ins in front of the verb are passed over; an equals sign is a word of its own in bash.
    while [ "${{COMP_WORDS[1]}}" = --plugin ] && [ "$COMP_CWORD" -gt 2 ]; do
        local plugin=2
        [ "${{COMP_WORDS[2]}}" != = ] || plugin=3
        [ "$COMP_CWORD" -gt "$plugin" ] || break
        COMP_WORDS=("${{COMP_WORDS[0]}}" "${{COMP_WORDS[@]:plugin + 1}}")
        COMP_CWORD=$((COMP_CWORD - plugin))
    done
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} verb=${{COMP_WORDS[1]}} options actions words= files=yes key=
    [ "$verb:${{COMP_WORDS[2]:-}}" = app:run ] && [ "$COMP_CWORD" -gt 3 ] && verb=run # it takes the options of run
    [ "$verb:${{COMP_WORDS[2]:-}}" = trace:record ] && [ "$COMP_CWORD" -gt 2 ] && verb=record
    COMPREPLY=()
    compopt -o filenames 2>/dev/null
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "{" ".join(verb for verb in verbs if verb not in RECORD)} --help --version --plugin" -- "$word")
        return
    fi
    # --set KEY=WORD, or --set=KEY=WORD
    [ "$word" = = ] && [ "${{COMP_WORDS[COMP_CWORD - 2]}}" = --set ] && key=$before
    [ "$word" = = ] && [ "${{COMP_WORDS[COMP_CWORD - 3]:-}}" = --set ] && key=$before
    [ "$before" = = ] && [[ "${{COMP_WORDS[COMP_CWORD - 3]:-}} ${{COMP_WORDS[COMP_CWORD - 4]:-}}" == *--set* ]] && key=${{COMP_WORDS[COMP_CWORD - 2]}}
    [ "$key" != --set ] || key=
    case "$verb" in
{chr(10).join(cases)}
        *) return ;;
    esac
    # An equals sign is a word of its own in bash.
    if [ -n "$key" ]; then
        _maniple_choices "$key"
        [ "$word" != = ] || word=
    elif [ "$word" = = ]; then
        _maniple_values "$verb" "$before"
        word=
    elif [ "$before" = = ]; then
        _maniple_values "$verb" "${{COMP_WORDS[COMP_CWORD - 2]}}"
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
        [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace 2>/dev/null
        return
    else
        _maniple_values "$verb" "$before"
        if [ "$COMP_CWORD" -eq 2 ]; then
            words="$words $actions"
        elif [ "$verb:$before" = machine:show ]; then
            words=$(maniple machines 2>/dev/null | cut -d' ' -f1)
        elif [ "$verb:$before" = app:show ] || [ "$verb:$before" = app:run ]; then
            words=$(maniple app list 2>/dev/null | cut -d' ' -f1)
        fi
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; [ -z "$files" ] || compgen -f -- "$word")
}}
complete -F _maniple maniple

_maniple_tracegen() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} words=
    [ "$COMP_CWORD" -eq 1 ] && words=$({KINDS})
    if [ "$COMP_CWORD" -gt 2 ]; then
        words=$(maniple-tracegen --help 2>/dev/null | awk -v kind="${{COMP_WORDS[1]}}" '{TRACE_KEYS}')
        compopt -o nospace 2>/dev/null
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; [ "$COMP_CWORD" -ne 2 ] || compgen -f -- "$word")
}}
complete -F _maniple_tracegen maniple-tracegen
"""


def write_zsh(verbs, keys):
    def quoted(text):
        return re.sub(r"(['\[\]:\\])", lambda found: "'\\''" if found[1] == "'" else "\\" + found[1], text)

    of_keys = [f"            {'|'.join(names)}) compadd -- {words} ;;" for words, names in keys.items()]

    def spec(verb, name, argument, choices, told):
        action = f":({' '.join(choice.replace(':', chr(92) + ':') for choice in choices)})" if choices else ":_files"
        if listed(verb, name, argument):
            action = f":($({listed(verb, name, argument)} 2>/dev/null | cut -d\" \" -f1))"
        elif argument == "KEY=VALUE":
            action = ":_maniple_keys"
        return f"'{name}{'=' * bool(argument)}[{quoted(told)}]{':' + quoted(argument) + action if argument else ''}'"

    cases = []
    for verb, options in verbs.items():
        first = [f"'1:action:({' '.join(ACTIONS[verb])})'"] if verb in ACTIONS else []
        first += [f"'2:{what}: _maniple_first_words {command}'" for command, what in [SECOND[verb]]] if verb in SECOND else []
        lines = [spec(verb, *option) for option in options] + first + ["'*:file:_files'"]
        cases.append(f"        {verb})\n            _arguments " + " \\\n                ".join(lines) + " ;;")
    told = "\n".join(f"        '{verb}:{quoted(VERBS[verb])}'" for verb in verbs if verb not in RECORD)
    return f"""#compdef maniple maniple-tracegen
# Completion of the command lines of maniple and maniple-tracegen for zsh. Written by docs/completion.py.
_maniple_first_words() {{ # COMMAND...: the first word of each line that it prints, and files
    compadd -- ${{${{(f)"$("$@" 2>/dev/null)"}}%% *}}
    _files
}}

_maniple_keys() {{ # keys of the machine that the command line states, or of one of the verb's kind
    local machine=manycore-2 at key=${{PREFIX%%=*}}
    if [[ $PREFIX == *=* ]]; then # words that the key takes
        compset -P '*='
        case $key in
{chr(10).join(of_keys)}
        esac
        return
    fi
    [[ $words[1] == (run|app) ]] && machine=rtx3070
    for (( at = 1; at < CURRENT; at++ )); do
        [[ $words[at] == --machine=* ]] && machine=${{words[at]#--machine=}}
        [[ $words[at] == --machine ]] && machine=$words[at+1]
    done
    compadd -S = -- ${{(f)"$(maniple machine show $machine 2>/dev/null | {KEYS})"}}
}}

_maniple() {{
    local -a verbs=(
{told}
    )
    if (( CURRENT == 2 )); then
        _describe verb verbs
        return
    fi
    local verb=$words[2]
    shift words
    (( CURRENT-- ))
    [[ $verb:$words[2] == app:run ]] && (( CURRENT > 3 )) && verb=run # it takes the options of run
    [[ $verb:$words[2] == trace:record ]] && (( CURRENT > 2 )) && verb=record
    case $verb in
{chr(10).join(cases)}
    esac
}}

_maniple_tracegen() {{
    if (( CURRENT == 2 )); then
        compadd -- ${{(f)"$({KINDS})"}}
    elif (( CURRENT == 3 )); then
        _files
    else
        compadd -S '' -- ${{(f)"$(maniple-tracegen --help 2>/dev/null | awk -v kind="$words[2]" '{TRACE_KEYS}')"}}
    fi
}}

if [[ $service == maniple-tracegen ]]; then _maniple_tracegen; else _maniple "$@"; fi
"""


def write_fish(verbs, keys):
    def quoted(text):
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines = ["# Completion of maniple's command line for fish. Written by docs/completion.py.",
             "function __maniple_keys # keys of the machine that the command line states, or of one of the verb's kind",
             "    set -l machine manycore-2",
             "    set -l words (commandline -opc)",
             "    contains -- $words[2] run app; and set machine rtx3070",
             "    for at in (seq (count $words))",
             "        string match -q -- '--machine=*' $words[$at]; and set machine (string replace -- --machine= '' $words[$at])",
             "        test $words[$at] = --machine; and set machine $words[(math $at + 1)]",
             "    end",
             f"    maniple machine show $machine 2>/dev/null | {KEYS} | string replace -r '$' =",
             "    printf '%s\\n' " + " ".join(f"{key}={word}" for words, names in keys.items() for key in names for word in words.split()) +
             "\nend",
             "function __maniple_first\n    not __fish_seen_subcommand_from " + " ".join(verbs) + "\nend"]
    lines.append("complete -c maniple -f -n '__fish_seen_subcommand_from app; and __fish_seen_subcommand_from run show' "
                 "-a '(maniple app list 2>/dev/null | string split -f1 \" \")'")
    lines.append("complete -c maniple -n '__fish_seen_subcommand_from machine; and __fish_seen_subcommand_from show' "
                 "-a '(maniple machines 2>/dev/null | string split -f1 \" \")'")
    lines.append(f"complete -c maniple-tracegen -f -n 'test (count (commandline -opc)) -eq 1' -a {quoted('(' + KINDS + ')')}")
    of_kind = f"(maniple-tracegen --help 2>/dev/null | awk -v kind=(commandline -opc)[2] {quoted(TRACE_KEYS)})"
    lines.append(f"complete -c maniple-tracegen -f -n 'test (count (commandline -opc)) -gt 2' -a {quoted(of_kind)}")
    for verb, options in verbs.items():
        if verb not in RECORD:
            lines.append(f"complete -c maniple -f -n __maniple_first -a {verb} -d {quoted(VERBS[verb])}")
        here = f"-n '__fish_seen_subcommand_from {verb}'"
        if verb in ACTIONS:
            lines.append(f"complete -c maniple {here} -a {quoted(' '.join(ACTIONS[verb]))}")
        for name, argument, choices, told in options:
            words = f" -x -a {quoted(' '.join(choices))}" if choices else " -r" * bool(argument)
            if listed(verb, name, argument):
                words = f" -r -a '({listed(verb, name, argument)} 2>/dev/null | string split -f1 \" \")'"
            elif argument == "KEY=VALUE":
                words = " -x -a '(__maniple_keys)'"
            lines.append(f"complete -c maniple {here} -l {name[2:]}{words} -d {quoted(told)}")
    return "\n".join(lines) + "\n"


def main():
    maniple, shell, output = sys.argv[1:4]
    ACTIONS["models"] += models(maniple)
    ACTIONS["profile"] = profiled()
    verbs = {verb: options_of(maniple, verb) for verb in [*VERBS, *RECORD]}
    text = {"bash": write_bash, "zsh": write_zsh, "fish": write_fish}[shell](verbs, choices_of_keys(maniple))
    pathlib.Path(output).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
