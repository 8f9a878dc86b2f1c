#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Forms of PTX instructions: as PTX against what ptxas makes of them, where ptxas 13.0 is at hand, and against recorded
results everywhere. A part of them by turn, all with MANIPLE_MATRIX=full. Usage: forms.py PTX_FORMS
`forms.py PTX_FORMS record` writes recorded.txt anew, which needs ptxas and takes minutes."""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import families

RUN = pathlib.Path(sys.argv[1]).resolve()
HERE = pathlib.Path(__file__).resolve().parent
WHOLE = os.environ.get("MANIPLE_MATRIX") == "full"
TARGETS = ("sm_75", "sm_80", "sm_86", "sm_90a", "sm_100a", "sm_120a") if WHOLE else ("sm_100a",)
PART = 1 if WHOLE else 37  # one form in so many
VERSION = "9.0"
count = failed = 0


def ok(good, name, *notes):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}", flush=True)
    for note in notes if not good else ():
        print(f"# {str(note)[:300]}")


def skip(name, why):
    global count
    count += 1
    print(f"ok {count} - {name} # SKIP {why}")


def find_ptxas():
    """NVIDIA's assembler: on the path, in the toolkit, in Triton's wheel."""
    places = [shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas"]
    wheel = importlib.util.find_spec("triton")
    if wheel and wheel.origin:
        places += sorted(map(str, pathlib.Path(wheel.origin).parent.glob("backends/nvidia/bin/ptxas*")))
    for place in places:
        if place and os.access(place, os.X_OK):
            told = subprocess.run([place, "--version"], capture_output=True, text=True).stdout
            if "release 13.0" in told and "maniple" not in told:
                return place
    return None


def run(*words):
    return subprocess.run([RUN, *map(str, words)], capture_output=True, text=True, check=True).stdout


def write_list(work, forms):
    (work / "list").write_text("".join(form + "\n" for form in forms))
    return work / "list"


def accepted(work, ptxas, forms, target, version=VERSION):
    """The forms that ptxas takes: it names the lines of the others, and a wrong kernel at the end keeps it from making
    code."""
    while forms:
        lines = run("text", write_list(work, forms), target, version).split("\n")
        number, of_line = -1, {}
        for at, line in enumerate(lines, 1):
            entry = re.match(r"\.visible \.entry k(\d+)\(", line)
            number = int(entry[1]) if entry else number
            of_line[at] = number
        (work / "module.ptx").write_text("\n".join(lines) + "\n.visible .entry wrong() { .reg .b32 x; add.u32 x,x; }\n")
        told = subprocess.run([ptxas, "-arch=" + target, "-o", "/dev/null", work / "module.ptx"], capture_output=True,
                              text=True).stderr
        bad = {of_line.get(int(at)) for at in re.findall(r"line (\d+)", told) if int(at) <= len(lines) - 1} - {None}
        if -1 in bad or "line" not in told:
            return []  # the target, or the version, is not there
        if not bad:
            break
        forms = [form for place, form in enumerate(forms) if place not in bad]
    return forms


def outcomes(work, ptxas, forms, target):
    """For each form: what PTX and machine code leave, digests or "refused", and what is said of them."""
    (work / "module.ptx").write_text(run("text", write_list(work, forms), target, VERSION))
    subprocess.run([ptxas, "-arch=" + target, "-o", work / "cubin", work / "module.ptx"], check=True)
    lines = run("run", work / "list", target, VERSION, work / "cubin").splitlines()
    return [tuple((line.split(" ", 3) + [""])[1:4]) for line in lines]


def kind_of(ptx, machine):
    if ptx == machine:
        return "both" if ptx == "refused" else "same"
    return "ptx" if ptx == "refused" else "machine" if machine == "refused" else "differ"


def read_differences():
    """differences.txt: targets, kind, a regular expression of forms; the reason stands above."""
    rows = []
    for line in (HERE / "differences.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            targets, kind, pattern = line.split(" ", 2)
            rows.append((None if targets == "*" else targets.split(","), kind, re.compile(pattern)))
    return rows


def compare(work, ptxas, target, rows, used):
    forms = accepted(work, ptxas, families.candidates()[::PART], target)
    unlisted, same = [], 0
    for form, (ptx, machine, note) in zip(forms, outcomes(work, ptxas, forms, target)):
        kind = kind_of(ptx, machine)
        same += kind == "same"
        listed = [i for i, (targets, of_kind, pattern) in enumerate(rows)
                  if of_kind == kind and (targets is None or target in targets) and pattern.match(form)]
        used.update(listed)
        if kind != "same" and not listed:
            unlisted.append(f"{kind}: {form}: {note}")
    ok(not unlisted, f"{target}: {len(forms)} forms, {same} the same as PTX and as machine code, others listed",
       *unlisted[:20])


def least_targets(work, ptxas, forms):
    """For each form the first target and the first version of PTX that ptxas takes it for."""
    order = {"sm_75": 63, "sm_80": 70, "sm_86": 71, "sm_89": 78, "sm_90": 78, "sm_90a": 80, "sm_100": 86,
             "sm_100a": 86, "sm_120a": 87}
    versions = (63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90)
    least, left = {}, forms
    for target, first in order.items():
        group = accepted(work, ptxas, left, target)
        left = [form for form in left if form not in set(group)]
        for version in (v for v in versions if v >= first):
            taken = accepted(work, ptxas, group, target, f"{version // 10}.{version % 10}")
            least.update((form, (target, f"{version // 10}.{version % 10}")) for form in taken)
            group = [form for form in group if form not in least]
    return least


def sampled():
    """The forms that are recorded: all of some families, a part of those with many like ones."""
    parts = {"comparisons": 3, "conversions": 2, "video": 9, "pair_video": 9, "atomics": 3, "accesses": 2}
    for family in families.FAMILIES:
        yield from list(dict.fromkeys(family()))[::parts.get(family.__name__, 1)]


def record(work, ptxas):
    forms = list(dict.fromkeys(sampled()))
    least = least_targets(work, ptxas, forms)
    digests = {}
    for target in ("sm_75", "sm_90a", "sm_120a", "sm_100a"):
        taken = accepted(work, ptxas, [form for form in forms if form in least], target)
        for form, (ptx, machine, _) in zip(taken, outcomes(work, ptxas, taken, target)):
            if kind_of(ptx, machine) in ("same", "machine") and digests.get(form, (ptx, ""))[1] != machine:
                digests[form] = (ptx, machine)
    groups = {}
    for form in forms:
        if form in digests:
            groups.setdefault(least[form], []).append(f"{digests[form][0]} {form}")
    with open(HERE / "recorded.txt", "w") as out:
        out.write("# Digests of what forms leave, as machine code of ptxas 13.0 has it, under the first target and version of "
                  "PTX\n# that ptxas takes them for. Written by forms.py.\n")
        for (target, version), lines in groups.items():
            out.write(f"= {target} {version}\n" + "".join(line + "\n" for line in lines))


def check_recorded():
    done = subprocess.run([RUN, "check", HERE / "recorded.txt", "1", "0"], capture_output=True, text=True)
    told = done.stdout.splitlines()
    ok(done.returncode == 0, f"recorded: {told[-1] if told else 'nothing'}", *told[:20])


def main():
    ptxas = find_ptxas()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        if sys.argv[2:] == ["record"]:
            record(work, ptxas)
            return
        check_recorded()
        rows, used = read_differences(), set()
        for target in TARGETS:
            if ptxas:
                compare(work, ptxas, target, rows, used)
            else:
                skip(target, "there is no ptxas of CUDA 13.0")
        stale = [rows[i][2].pattern for i in range(len(rows)) if i not in used]
        if ptxas and WHOLE:
            ok(not stale, "every listed difference is one", *stale)
    print(f"1..{count}")
    sys.exit(failed > 0)


main()
