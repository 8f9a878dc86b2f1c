#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The state of an SM has owners: the parts that src/gpu/sm/state.h composes, by hand and by the rows of stages, are each
declared in the header of the stage that owns them (fetch.h: fetch.c and fetch_inline.h), and the marks of events in
events.h. This finds what another file writes of them: assignments to a field of a part, directly or through a local
pointer to it."""
import pathlib
import re
import sys

ROOM = pathlib.Path(__file__).resolve().parents[2] / "src/gpu/sm"
WRITES = r"\s*(?:[-+*/|&^]|<<|>>)?=(?!=)|\s*(?:\+\+|--)"
SHARED = {"events"}  # whose functions leave marks in the parts of others


def plain(text):
    """The text without comments and strings, lines kept."""
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


SCHEMES = {"dependence", "operands", "schedulers", "stages"}  # folders of files that are stages each


def stage(path):
    """A file, or the folder of a stage of several files."""
    parts = path.relative_to(ROOM).with_suffix("").parts
    return (parts[-1] if parts[0] in SCHEMES else parts[0]).removesuffix("_inline")


def declared(texts):
    """{struct: stage that declares it}"""
    return {name: stage(path) for path, text in texts.items() if path.suffix == ".h" and path.name != "state.h"
            for name in re.findall(r"^(?:struct|union) (sm_\w+) \{", text, re.M)}


def parts(texts, owners):
    """{part: stage}, and the structs of parts: members of the composed structs by name."""
    composed = texts[ROOM / "state.h"]
    body = "".join(m[1] for m in re.finditer(r"^struct sm_(?:subcore|warp|state) \{(.*?)^\}", composed, re.M | re.S))
    members = re.findall(r"(?:struct|union) (sm_\w+) (\w+);", body)
    members += [row[::-1] for text in texts.values()
                for row in re.findall(r"^SM_STAGE_STATE\((\w+), struct (\w+)\)$", text, re.M)]
    return {name: owners[kind] for kind, name in members}, {kind for kind, _ in members}


def offences(path, text, owners, named, kinds):
    own = stage(path)
    names = "|".join(name for name, owner in named.items() if owner != own)
    for m in re.finditer(rf"(?:->|\.)({names})\.\w+(?:\.\w+|\[[^\]]*\])*(?:{WRITES})", text):
        yield m.start(), f"{m[1]} of {named[m[1]]}"
    pointers = re.finditer(r"(const )?struct (sm_\w+) \*(\w+) = &[^;]*;", text)
    for pointer in pointers:
        owner = owners.get(pointer[2])
        if pointer[1] or owner == own or pointer[2] not in kinds:
            continue
        end = text.find("\n}", pointer.end())
        for m in re.finditer(rf"\b{pointer[3]}->[\w.\[\]>-]+?(?:{WRITES})", text[pointer.end():end]):
            yield pointer.end() + m.start(), f"{pointer[2]} of {owner}"


def main():
    texts = {path: plain(path.read_text()) for path in sorted(ROOM.rglob("*.[ch]"))}
    owners = declared(texts)
    named, kinds = parts(texts, owners)
    wrong = [f"{path.relative_to(ROOM)}:{text.count(chr(10), 0, at) + 1}: writes {what}"
             for path, text in texts.items() if stage(path) not in SHARED
             for at, what in offences(path, text, owners, named, kinds)]
    print("1..1")
    print(f"{'not ok' if wrong else 'ok'} 1 - each of the {len(named)} parts of an SM's state is written by its owner alone")
    for line in wrong:
        print(f"# {line}")
    return 1 if wrong else 0


sys.exit(main())
