#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds output that could carry the text of somebody else unescaped, and commands given to a shell. In src/,

- what is printed with %s goes through base/print.h, whose functions escape it for the output's language;
- fputs writes texts of the source alone: its first argument has a string in it, or a name listed here;
- system, popen and their like are called nowhere: programs are started with arrays of words;
- no path begins with /tmp: base/temporary.h knows where temporary files go.

Exceptions stand below, each with its reason. Usage: foreign.py"""
import pathlib
import re

SHELLS = re.compile(r"\b(system|popen|execlp|execl|execle|tmpnam|tempnam|mktemp|tmpfile)\s*\(")

OWN = "words of the source, names of units and texts made from numbers"
REPORT = OWN + ": lines of a report, which results/write/tell.c writes by mnp_put_lines and results/write/json.c as JSON"
CODE = "source text of programs that Maniple makes, from numbers and its own words"

# Files whose printf may have %s, and why none of it is foreign, or that it is escaped there.
PRINTS = {
    "base/allocate.c": OWN,
    "base/error.c": "the file of a bug, and its text, which has been escaped",
    "base/log.c": "warnings, which have been escaped",
    "base/print.c": "what is escaped there, and formats made from one conversion",
    "cli/ptxas.c": "a program of its own, which says where it lies itself",
    "cli/progress.c": OWN + ", and colours",
    "cli/statistics_page.c": "tables of models, for docs/statistics.md",
    "cli/sweep/commands.c": "scripts, whose words are quoted by mnp_put_shell",
    "cli/sweep/name.c": "a text that is hashed",
    "cli/system/guest.c": "files of the guest, whose words have been checked",
    "cudart/device/ptxas_registers.c": CODE + "; names of kernels are identifiers of PTX",
    "cudart/base/options.c": "settings for a child process; texts are escaped by write_line",
    "engine/configure/value.c": "values of a machine file; texts are quoted by mnp_value_write_text",
    "engine/core/report.c": REPORT,
    "engine/executors/placement.c": OWN,
    "execute/trace/record_async.c": "a trace: names of opcodes",
    "execute/trace/recorder.c": "a trace: names of opcodes, and of its own files",
    "gpu/dispatch/dispatch.c": REPORT,
    "gpu/fabric/switch.c": REPORT,
    "gpu/gpc/gpc.c": REPORT,
    "gpu/hub/hub.c": REPORT,
    "gpu/partition/partition.c": REPORT,
    "gpu/partition/values.c": REPORT,
    "gpu/sm/cluster.c": REPORT,
    "gpu/sm/fetch.c": REPORT,
    "gpu/sm/l1i.c": REPORT,
    "gpu/sm/lsu.c": REPORT,
    "gpu/sm/warp_wait.c": REPORT,
    "gpu/sm/port.c": REPORT,
    "gpu/sm/sm.c": REPORT,
    "gpu/sm/tma/tma.c": REPORT,
    "manycore/translation/translate.c": CODE,
    "manycore/translation/instruction.c": CODE,
    "manycore/translation/data.c": CODE,
    "manycore/translation/memory.c": CODE,
    "results/report/ncu.c": "columns of a table of the source; names are quoted by write_text",
    "results/files/snapshot_file.c": "a text that is hashed",
}

# What fputs may write: names of the source's own texts, or of texts that have been escaped.
WRITES = {
    "results_page_style", "results_page_script", # a page's
    "head", "lead", # of tables: constants
    "help", "version", # the command's
}

# Texts that one file may write as they are.
WRITES_THERE = {
    ("cli/import.c", "text"): "a machine file",
    ("cli/words.c", "text"): "the help of a verb",
    ("execute/device/device.c", "text"): "what a simulated program prints is its own",
    ("execute/live/printed.c", "printed[i].text"): "what a simulated program prints is its own",
    ("manycore/gpu/translation.c", "ptx"): CODE,
    ("manycore/translation/library.c", "text"): CODE,
    ("results/encoding/json.c", "value"): "a number",
}


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def without_comments(text):
    return re.sub(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*',
                  lambda m: m.group(0) if m.group(0).startswith('"') else blank(m), text, flags=re.S)


def calls(text, names):
    """(start, name, argument texts) of each call of one of the functions."""
    for match in re.finditer(r"(?<![\w.>])(" + "|".join(names) + r")\s*\(", text):
        depth, at, start, words, quoted = 1, match.end(), match.end(), [], False
        while depth:
            character = text[at]
            if quoted:
                at += character == "\\"
                quoted = character != '"'
            elif character == '"':
                quoted = True
            elif character in "([{":
                depth += 1
            elif character in ")]}":
                depth -= 1
            if not quoted and (depth == 0 or (depth == 1 and character == ",")):
                words.append(text[start:at].strip())
                start = at + 1
            at += 1
        yield match.start(), match.group(1), words


def strings(expression):
    return "".join(re.findall(r'"((?:\\.|[^"\\])*)"', expression))


def offences(path, text):
    plain = without_comments(text)
    name = str(path)
    for start, function, words in calls(plain, ["printf", "fprintf", "dprintf", "vprintf", "vfprintf"]):
        place = 0 if function in ("printf", "vprintf") else 1
        if "%" in strings(words[place]).replace("%%", "") and \
                re.search(r"%[-+ #0-9.*]*s", strings(words[place]).replace("%%", "")) and name not in PRINTS:
            yield start, "prints", f"{function} with %s: use mnp_print_text, _html, _markdown or _csv"
        if not words[place].startswith('"') and not re.search(r'"', words[place]) and name not in PRINTS:
            yield start, "prints", f"{function} with a format that is no string"
    for start, function, words in calls(plain, ["fputs", "fputs_unlocked", "puts"]):
        if '"' not in words[0] and words[0] not in WRITES and (name, words[0]) not in WRITES_THERE and name not in PRINTS:
            yield start, "prints", f"{function}({words[0]}): use mnp_put_text, _html, _markdown or _csv"
    code = re.sub(r'"(?:\\.|[^"\\\n])*"', blank, plain)
    for match in SHELLS.finditer(code):
        yield match.start(), "shells", f"{match.group(1)}: start a program with an array of words, and make files by base/temporary.h"
    for match in re.finditer(r'"/tmp\b', plain) if name != "base/temporary.c" else ():
        yield match.start(), "shells", "a path in /tmp: base/temporary.h knows where temporary files go"


def main():
    root = pathlib.Path(__file__).resolve().parents[2] / "src"
    groups = {"prints": [], "shells": []}
    for path in sorted(root.rglob("*.[ch]")):
        text = path.read_text(encoding="utf-8")
        for start, group, what in offences(path.relative_to(root), text):
            groups[group].append(f"{path.relative_to(root.parent)}:{text.count(chr(10), 0, start) + 1}: {what}")
    for number, (group, name) in enumerate((("prints", "texts of others are escaped where they are written"),
                                            ("shells", "no shells, and temporary files have one owner")), 1):
        print(f"{'not ok' if groups[group] else 'ok'} {number} - {name}")
        for line in groups[group]:
            print("# " + line)
    print("1..2")


if __name__ == "__main__":
    main()
