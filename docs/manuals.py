#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the manual pages that are made from the verbs' own help, with examples that are run: what they print is what was
printed. Usage: manuals.py BUILD [VERB...], by default all but those that print times of the host; `--check` in place of verbs says
what pages lack, `--current` which would be written differently now."""
import difflib
import email.utils
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

DOCS = pathlib.Path(__file__).resolve().parent
BY_HAND = {"correlate", "sweep", "timeline"}
VERSION = re.search(r"version: '([^']+)'", (DOCS.parent / "meson.build").read_text())[1]
DATE = email.utils.parsedate_to_datetime(re.search(r"^ -- .*>  (.*)$", (DOCS.parent / "debian/changelog").read_text(), re.M)[1]).date()
WIDTH = 72  # of a line of an example: a terminal of 80 columns shows it seven further in
LINES = 30  # of the output of an example
MORE_LINES = {"machines": 60, "report": 60}
TIMES = {"scaling", "serve", "system"}  # their examples print times of the host

# {verb: what it does}, in the order of the command's help.
VERBS = dict(re.findall(r'^CLI_VERB\(\w+, "(\w+)", "[^"]*",\s*"([^"]*)"\)',
                        (DOCS.parent / "src/cli/verb_list.h").read_text(), re.M))

# verb: what is run first, examples, pages to see.
PAGES = {
    "run": (["maniple-tracegen vectoradd adds arch=86 n=65536"],
            ["maniple run --machine rtx3070 -q adds/kernelslist.g", "maniple run --machine rtx3070 --set sm.count=23 "
             "--by-instruction --sample 1000 -q -o half adds/kernelslist.g", "ls half"], ["report", "compare", "timeline"]),
    "machines": ([], ["maniple machines"], ["machine", "models"]),
    "machine": ([],
                ["maniple machine show rtx3070 | head -12"], ["machines", "models", "import"]),
    "models": ([],
               ["maniple models", "maniple models sm | grep 'sm.memory'"], ["machine"]),
    "import": (["cp SEEDS/small.config gpgpusim.config"],
               ["maniple import gpgpusim.config 2>remarks >small.cfg; head -14 small.cfg"], ["machine", "run"]),
    "convert": (["maniple-tracegen matmul product arch=86"],
                ["maniple convert -q product/kernelslist.g -o product.mtrace",
                 "maniple run -q --machine rtx3070 product.mtrace | head -4"], ["trace", "run"]),
    "trace": (["maniple-tracegen matmul product arch=86"],
              ["maniple trace info product/kernelslist.g"], ["convert", "run"]),
    "compare": (["maniple-tracegen matmul product arch=86",
                 "maniple run -q --machine rtx3070 -o a product/kernelslist.g",
                 "maniple run -q --machine rtx3070 --set sm.memory.interval=1 -o b product/kernelslist.g"],
                ["maniple compare a b | grep -v '^A \\|^B \\|wall\\|CPU\\|faster'"], ["report", "run"]),
    "report": (["maniple-tracegen matmul product arch=86 n=128",
                "maniple run -q --machine rtx3070 --by-instruction -o tiles product/kernelslist.g"],
               ["maniple report tiles --html tiles.html --ncu tiles.csv", "grep -c simulated tiles.csv"],
               ["run", "merge", "compare", "timeline"]),
    "profile": ([],
                ["maniple profile tiny --machine rtx3070 -o profile -q --tokens 1,4 --batches 1,2 --contexts 64,96 | sed 's/,.*//'",
                 "grep -c simulated profile/profile.csv", "maniple profile llama-3-8b --list | tail -3 | cut -d' ' -f1,3-"],
                ["sweep", "run"]),
    "power": (["maniple-tracegen roofline roofline arch=80 fma=128 pairs=2 blocks=432"],
              ["maniple power --limit 150 --step 60 -- --machine a100 roofline/kernelslist.g"], ["run", "sweep"]),
    "merge": (["maniple-tracegen matmul product arch=86",
               "maniple run -q --machine rtx3070 -o a product/kernelslist.g",
               "maniple run -q --machine rtx3080ti -o b product/kernelslist.g"],
              ["maniple merge a b -o both.sqlite --csv tables", "ls tables",
               "head -3 tables/run.csv | cut -d, -f1-6"], ["run", "report"]),
    "plan": (["maniple run -q --machine rtx3070 --functional -o values -- maniple-apps run gaussian --size 48 >/dev/null"],
             ["maniple plan values -o launches.plan", "head -5 launches.plan",
              "maniple run -q --machine rtx3070 --plan launches.plan -- maniple-apps run gaussian --size 48 | sed -n 5,10p"],
             ["run", "report"]),
    "scaling": (["maniple-tracegen vectoradd adds arch=86 n=262144",
                 "maniple run -q --machine rtx3070 --costs --threads 1 -o record adds/kernelslist.g"],
                ["maniple scaling record --barrier 200 | head -8"], ["run"]),
    "disassemble": ([],
                    ["maniple disassemble --control CUBIN | head -8"], ["run"]),
    "app": ([],
            ["maniple app list | head -4", "maniple app show vecadd", "maniple app run vecadd --machine rtx3070 -q"],
            ["run"]),
    "serve": ([],
              ["timeout -s TERM 1 maniple serve --machine manycore-2 --cores 64 --socket socket "
               "--memory /dev/shm/maniple-manual 2>&1; rm -f /dev/shm/maniple-manual"], ["system"]),
    "system": (["cp GUEST/matmul ELF/product.elf ."],
               ["maniple system --machine manycore-2 --cores 64 --with product.elf -- ./matmul 0 64"], ["serve"]),
}
NEEDED = {"system": "guest/matmul"}  # in the build folder; `make demo-system` makes it

NOTES = {
    "report": "The page of \\fB\\-\\-html\\fR has the answer first, then per cent of each peak, a roofline, issue slots, what "
              "passes between the levels of memory, kernels, instructions and lines of the source (of runs with "
              "\\fB\\-\\-by\\-instruction\\fR), occupancy and what limits it, samples over time (\\fB\\-\\-sample\\fR), heat maps of "
              "units, latencies, and the machine. \\fIreading\\-results.md\\fR reads some.",
    "system": "In the example a Linux program multiplies 64 rows of a matrix on 64 cores of a coprocessor, and checks them; what the "
              "guest's kernel says is shown, too. Cycles are the same in every run, times are the host's. Programs of a guest are "
              "built by `apps/system/build.sh build` or `make demo-system`; \\fIsystem.md\\fR has more of them.",
}


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def help_of(words, environment):
    done = subprocess.run(["maniple", *words, "--help"], capture_output=True, text=True, env=environment, check=True)
    return done.stdout


def parse(text):
    """Usage lines, paragraphs before the options, [(option, help)], paragraphs behind them."""
    usage, before, options, behind = [], [], [], []
    lines = text.splitlines()
    at = 0
    while at < len(lines) and (re.match(r"(Usage:|  or:| {7})", lines[at])):
        usage.append(re.sub(r"^(Usage: *|  or: *| {7})", "", lines[at]))
        at += 1
    place = before
    for line in lines[at:]:
        found = re.match(r"  (?:(-.), |    |)(--?[^ ]+(?: [A-Z|.]+)?)(?:  +(.*))?$", line)
        if re.match(r"Mandatory or optional|for any corresponding", line):
            continue
        if re.match(r"  (-., |    --|-\S+( |$))", line) and found:
            names = ", ".join(name for name in (found[1], found[2]) if name)
            options.append([names, found[3] or ""])
            place = behind
        elif re.match(r"  (-.)(, --\S+)?( [A-Z]+)?", line) and not found:
            options.append([line.split("  ")[1].strip(), line.strip().split("  ", 1)[-1].strip()])
            place = behind
        elif line.startswith(" " * 20) and options:
            options[-1][1] += " " + line.strip()
        elif re.match(r" [A-Z].*:$", line):
            options.append([None, line.strip()])
        else:
            place.append(line)
    return usage, "\n".join(before).strip(), options, "\n".join(behind).strip()


def paragraphs(text, out):
    for part in re.split(r"\n\s*\n", text):
        apart = [] if out and out[-1].startswith((".SH", ".SS")) else [".PP"]
        if part.startswith("  "):
            out += [*apart, ".nf", escape("\n".join(one for line in part.split("\n") for one in folded(line))), ".fi"]
        elif part:
            out += [*apart, escape(part)]


def write_options(options, out):
    if not options:
        return
    out.append(".SH OPTIONS")
    for names, text in options:
        if names is None:
            out.append(f".SS {escape(text.rstrip(':'))}")
        else:
            out += [".TP", f"\\fB{escape(names)}\\fR", escape(text.strip() or "…")]


def folded_command(command):
    """A command in lines that fit, which a shell takes as one."""
    lines = textwrap.wrap("$ " + command, WIDTH - 2, subsequent_indent=" " * 6, break_long_words=False, break_on_hyphens=False)
    return " \\\n".join(lines) if "'" not in command and '"' not in command else "$ " + command


def squeezed(lines):
    """Tables without the blanks that all their lines have between columns, but for two, where some line is too long."""
    width = max(map(len, lines), default=0)
    if width <= WIDTH:
        return lines
    blank = [all(line[at:at + 1] in ("", " ") for line in lines) for at in range(width)]
    kept = [at for at in range(width) if not (at > 1 and blank[at] and blank[at - 1] and blank[at - 2])]
    return ["".join(line[at:at + 1] for at in kept).rstrip() for line in lines]


def folded(line):
    """What was printed, in lines that fit: what follows stands further in."""
    parts = []
    while len(line) > WIDTH:
        at = line.rfind(" ", 8, WIDTH + 1)
        at = at if at > 0 and line[:at].strip() else WIDTH
        parts.append(line[:at].rstrip())
        line = "      " + line[at:].lstrip()
    return parts + [line]


def write_example(verb, build, environment, out):
    first, shown, _ = PAGES[verb]
    most = MORE_LINES.get(verb, LINES)
    seeds = DOCS.parent / "tests/fuzz/seeds/import"
    cubin = DOCS.parent / "tests/frontend/sass/data/vecadd.sm_80.cubin"
    place = {"SEEDS": str(seeds), "CUBIN": str(cubin), "GUEST": str(build / "guest"),
             "ELF": str(DOCS.parent / "apps/manycore/elf")}

    def filled(command):
        return re.sub(r"\b(SEEDS|CUBIN|GUEST|ELF)\b", lambda found: place[found[1]], command)

    with tempfile.TemporaryDirectory() as folder:
        for command in first:
            subprocess.run(["bash", "-c", filled(command)], cwd=folder, env=environment, check=True, capture_output=True)
        out += [".SH EXAMPLE", ".nf"]
        out += [escape(folded_command(command)) for command in first if not re.search("SEEDS|GUEST", command)]
        for command in shown:
            done = subprocess.run(["bash", "-c", filled(command)], cwd=folder, env=environment, capture_output=True, text=True)
            printed = done.stdout.replace(str(seeds) + "/", "").replace(str(cubin), "kernels.cubin").splitlines()
            out.append(escape(folded_command(command.replace("CUBIN", "kernels.cubin"))))
            out += [escape(part) for line in squeezed(printed[:most]) for part in folded(line)] + ["\\&..."] * (len(printed) > most)
        out.append(".fi")


def page(verb, build, environment):
    _, _, others = PAGES[verb]
    words = [verb]
    usage, before, options, behind = parse(help_of(words, environment))
    out = ['.\\" SPDX-License-Identifier: BSD-3-Clause', '.\\" Written by docs/manuals.py.',
           f'.TH MANIPLE-{verb.upper()} 1 "{DATE}" "Maniple {VERSION}" "User Commands"', ".SH NAME",
           f"maniple\\-{verb} \\- {escape(VERBS[verb])}", ".SH SYNOPSIS"]
    for i, line in enumerate(usage):
        out += [".br"] * (i > 0) + [escape(line)]
    out.append(".SH DESCRIPTION")
    paragraphs(before, out)
    if verb in NOTES:
        out += [".PP", NOTES[verb]]
    if verb == "trace":
        record = parse(help_of(["trace", "record"], environment))
        out += [".SS maniple trace record"]
        for i, line in enumerate(record[0]):
            out += [".br"] * (i > 0) + [escape(line)]
        paragraphs(record[1], out)
        options = record[2]
    write_options([o for o in options if not o[0] or not re.search(r"--(help|usage|version)$", o[0])], out)
    write_example(verb, build, environment, out)
    if behind:
        out.append(".SH NOTES")
        paragraphs(behind, out)
    out += [".SH SEE ALSO", ",\n".join(f".BR maniple\\-{other} (1)" for other in others) + ",", ".BR maniple (1)"]
    return "\n".join(out) + "\n"


def check(environment):
    """What pages lack."""
    failed = 0
    for number, verb in enumerate(VERBS, 1):
        path = DOCS / f"maniple-{verb}.1"
        text = path.read_text(encoding="utf-8").replace("\\-", "-") if path.exists() else ""
        options = set(re.findall(r"(--[a-z][a-z-]+)", help_of([verb], environment)) if verb not in ("app", "trace") else [])
        missing = sorted(o for o in options - {"--help", "--usage", "--version"} if o not in re.sub(r"\\f.", "", text))
        faults = [f"no {path.name}"] * (not text) + missing + ["no example"] * (not re.search(rf"^\$ .*maniple {verb}", text, re.M))
        if verb not in BY_HAND | TIMES:
            plain = re.findall(r"^\.nf\n(.*?)^\.fi", text, re.M | re.S)
            faults += [f"too wide: {line}" for block in plain for line in re.sub(r"\\&|\\f.|\\(?=e)", "", block).splitlines()
                       if len(line) > WIDTH and not line.startswith("$ ")]
        print(f"{'not ok' if faults else 'ok'} {number} - maniple-{verb}.1 has the verb's options and an example that fits a terminal")
        for fault in faults:
            print(f"# {fault}")
        failed += bool(faults)
    print(f"1..{len(VERBS)}")
    return 1 if failed else 0


def check_current(build, environment):
    """Pages whose help or examples have changed since they were written."""
    verbs = [verb for verb in PAGES if verb not in TIMES]
    failed = 0
    for number, verb in enumerate(verbs, 1):
        written = (DOCS / f"maniple-{verb}.1").read_text(encoding="utf-8").splitlines()
        changed = [line for line in difflib.ndiff(written, page(verb, build, environment).splitlines()) if line[0] in "+-"]
        print(f"{'not ok' if changed else 'ok'} {number} - maniple-{verb}.1 is what `manuals.py BUILD {verb}` writes")
        print("".join(f"# {line}\n" for line in changed[:20]), end="")
        failed += bool(changed)
    print(f"1..{len(verbs)}")
    return 1 if failed else 0


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    environment = {**os.environ, "PATH": f"{build}:{os.environ['PATH']}", "COLUMNS": "80", "NO_COLOR": "1"}
    if sys.argv[2:] == ["--check"]:
        return check(environment)
    if sys.argv[2:] == ["--current"]:
        return check_current(build, environment)
    for verb in sys.argv[2:] or [verb for verb in PAGES if verb not in TIMES]:
        if verb in NEEDED and not (build / NEEDED[verb]).exists():
            print(f"maniple-{verb}.1 stays as it is: {build / NEEDED[verb]} is missing", file=sys.stderr)
            continue
        (DOCS / f"maniple-{verb}.1").write_text(page(verb, build, environment), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
