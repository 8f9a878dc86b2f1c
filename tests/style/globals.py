#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names variables of static storage that are not constant: at file scope, and `static` ones inside functions."""
import re
import sys


def strip(text):
    """Blanks comments, strings and preprocessor lines, keeping line numbers."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def constant(declaration):
    """Whether the variable itself is constant: the last `*` has a const behind it, or there is none but a const."""
    head = re.split(r"[=\[]", declaration)[0]
    last = head.rfind("*")
    return "const" in head[last + 1:] if last >= 0 else "const" in head


def file_scope(text):
    """Declarations outside braces, each with its line, initialisers left out."""
    depth = parentheses = 0
    current, line, start = "", 1, 1
    for character in text:
        if character == "\n":
            line += 1
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                current += "{}"
                if "(" in current.split("=")[0]:
                    current = ""  # the end of a function
        elif depth == 0:
            if character == "(":
                parentheses += 1
            elif character == ")":
                parentheses -= 1
            if character == ";" and parentheses == 0:
                yield start, " ".join(current.split())
                current = ""
                continue
            if not current.strip():
                start = line
            current += character


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as source:
            text = strip(source.read())
        for line, declaration in file_scope(text):
            if not declaration or re.match(r"(typedef|extern|_Static_assert|struct \w+ ?\{\}$|enum|union)\b", declaration):
                continue
            before = declaration.split("=")[0]
            if re.match(r"(static )?(const )?(struct|union) \w+ ?\{\}$", before.strip()) or re.match(
                    r"struct \w+( ?\{\})?$", before.strip()):
                continue
            if "(" in before and "(*" not in before:
                continue  # a prototype
            if not constant(declaration):
                print(f"{path}:{line}: {declaration[:100]}")
        for match in re.finditer(r"^[ \t]+static [^;({]*[;={]", text, flags=re.M):
            if not constant(match.group(0)) and "inline" not in match.group(0):
                line = text.count("\n", 0, match.start()) + 1
                print(f"{path}:{line}: {' '.join(match.group(0).split())[:100]}")


main()
