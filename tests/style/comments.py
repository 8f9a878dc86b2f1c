#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts comments of src/ and include/ by room: those whose first word is no noun and leads to none (`It`, `What`, `Those`), and
how many words of comment there are for 100 lines of code. Comments are plain sentences with a noun for their subject
(CONTRIBUTING.md, Style).

comments.txt says for each room how many comments may begin so, and how many words there must be at least. The test fails when a
room has more of the first or less of the second; --update writes the numbers that there are (words rounded down, by five at least, so
that a small change need not touch the list), --list ROOM prints where the comments are that begin so."""
import argparse
import collections
import pathlib
import re
import sys

import c_source

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PRONOUNS = set("""it they them he she that those these this there here what whatever which who whoever whom whose where wherever of as
    so nobody somebody whosoever nothing something and or but nor neither not then thus hence""".split())
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)
# This kernel, these rows and there is: the first word has its noun or verb beside it.
LED = re.compile(r"(?:this|these|those|that) (?!is\b|are\b|was\b|has\b|have\b|of\b|that\b|which\b|in\b|for\b|with\b|who\b)\w+s?\b|there (?:is|are)\b", re.I)


def column(text, place):
    return place - text.rfind("\n", 0, place)


def comments(text):
    """(line, words) of each comment; lines of // below one another in one column are one comment."""
    found, last = [], None
    for match in TOKEN.finditer(text):
        body = match.group(0)
        if body[0] in "\"'":
            continue
        gap = text[last.end():match.start()] if last else None
        joined = (last and last.group(0).startswith("//") and body.startswith("//") and gap.count("\n") == 1
                  and not gap.strip() and column(text, last.start()) == column(text, match.start()))
        last = match
        words = re.sub(r"^\s*\*+ ?", "", body.strip("/*<! \n"), flags=re.M).replace("//", " ").split()
        if joined:
            found[-1][1].extend(words)
        else:
            found.append((text.count("\n", 0, match.start()) + 1, words))
    return [(line, words) for line, words in found if words and "SPDX-License-Identifier:" not in words]


def begins_without_noun(words):
    first = re.sub(r"^\W+", "", words[0])
    sentence = " ".join([first] + words[1:3])
    return len(words) > 1 and re.sub(r"\W.*", "", first).lower() in PRONOUNS and not LED.match(sentence)


def code_lines(text):
    bare = re.sub(r"/\*.*?\*/|//[^\n]*", lambda match: "\n" * match.group(0).count("\n"), text, flags=re.S)
    return sum(1 for line in bare.split("\n") if line.strip())


def room(path):
    return c_source.room(path) if "src" in path.parts else path.parts[0]


def count():
    """({room: (comments without a noun first, words for 100 lines)}, {room: [place of such a comment]})"""
    words, lines, places = collections.Counter(), collections.Counter(), collections.defaultdict(list)
    for folder in ("src", "include"):
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            text = path.read_text(encoding="utf-8")
            short = path.relative_to(ROOT)
            name = room(short)
            lines[name] += code_lines(text)
            for line, found in comments(text):
                words[name] += len(found)
                if begins_without_noun(found):
                    places[name].append(f"{short}:{line}: {' '.join(found[:8])}")
    return {name: (len(places[name]), 100 * words[name] // lines[name]) for name in lines}, places


def read_allowed(path):
    rows = [line.split() for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return {name: (int(most), int(least)) for name, most, least in rows}


def write_allowed(path, numbers):
    comment = [line for line in path.read_text().splitlines() if line.startswith("#")]
    rows = [f"{name} {most} {max(density - 5, 0) // 10 * 10}" for name, (most, density) in sorted(numbers.items())]
    path.write_text("\n".join(comment + rows) + "\n")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--allowed", default=str(HERE / "comments.txt"))
    options.add_argument("--update", action="store_true")
    options.add_argument("--list")
    arguments = options.parse_args()
    numbers, places = count()
    if arguments.update:
        write_allowed(pathlib.Path(arguments.allowed), numbers)
        return
    if arguments.list:
        print("\n".join(places[arguments.list]))
        return
    allowed = read_allowed(pathlib.Path(arguments.allowed))
    failed = 0
    print(f"1..{len(numbers)}")
    for index, (name, (begun, density)) in enumerate(sorted(numbers.items()), 1):
        most, least = allowed.get(name, (0, 0))
        wrong = begun > most or density < least
        failed += wrong
        print(f"{'not ok' if wrong else 'ok'} {index} - {name}: {begun} comments begin without a noun, {most} allowed; "
              f"{density} words of comment for 100 lines, {least} required")
        if begun > most:
            print("\n".join("# " + place for place in places[name]))
        elif begun < most or density >= least + 10:
            print(f"# better than required: {pathlib.Path(__file__).name} --update keeps it so")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
