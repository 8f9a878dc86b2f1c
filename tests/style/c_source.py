#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads C as far as the style tests need: which functions and variables a file defines, which of them other files can see,
and which names the bodies of its functions call. A body begins with a { in the first column and ends with a } there."""
import pathlib
import re

KEYWORDS = {"if", "while", "for", "switch", "return", "sizeof", "defined", "_Alignof", "_Static_assert", "__attribute__",
            "_Generic", "typeof", "__typeof__", "alignas", "_Alignas"}
CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")


def strip(text):
    """Blanks comments, strings and preprocessor lines, keeping line numbers."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


class Source:
    """One file: `functions` and `variables` map a name to (line, visible elsewhere); `calls` holds (caller, name)."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.functions, self.variables, self.calls = {}, {}, set()
        text = strip(self.path.read_text(encoding="utf-8"))
        self.words = set(re.findall(r"[A-Za-z_]\w*", text))
        self.line, head = 1, []
        lines = iter(enumerate(text.split("\n"), 1))
        for number, line in lines:
            if line.startswith("{"):
                self.function(" ".join(part for _, part in head), number, self.body(lines))
                head = []
                continue
            head.append((number, line))
            if line.rstrip().endswith((";", "}", "})")) and self.balanced(head):
                self.variable(" ".join(part for _, part in head), number)
                head = []

    @staticmethod
    def balanced(head):
        text = "".join(part for _, part in head)
        return text.count("{") == text.count("}") and text.count("(") == text.count(")")

    @staticmethod
    def body(lines):
        collected = []
        for _, line in lines:
            if line.startswith("}"):
                break
            collected.append(line)
        return "\n".join(collected)

    def function(self, head, number, body):
        head = re.sub(r"__attribute__\s*\(\(.*?\)\)\s*\)?", " ", head.split(";")[-1])
        match = CALL.search(head)
        if not match:
            return  # a table or a type whose brace stands in the first column
        hidden = re.search(r"\bstatic\b", head) is not None
        self.functions[match.group(1)] = (number, not hidden)
        self.calls |= {(match.group(1), name) for name in CALL.findall(body) if name not in KEYWORDS}

    def variable(self, declaration, number):
        declaration = " ".join(declaration.split())
        if re.match(r"(typedef|extern|static|_Static_assert|enum|union)\b", declaration) or "=" not in declaration:
            return
        match = re.search(r"(\w+)\s*(\[[^=]*\])*\s*$", declaration.split("=")[0].strip())
        if match:
            self.variables[match.group(1)] = (number, True)

    def visible(self):
        """Names with the lines of their definitions that other files can link to."""
        both = list(self.functions.items()) + list(self.variables.items())
        return sorted((name, line) for name, (line, seen) in both if seen)


def read(folder):
    """Every .c and .h file below the folder, by its path."""
    paths = sorted(path for path in pathlib.Path(folder).rglob("*.[ch]"))
    return {str(path): Source(path) for path in paths}


def room(path):
    """The room of a file: the folder below src/, and for front-ends and the CUDA runtime the one below that."""
    parts = pathlib.Path(path).parts[:-1]
    start = parts.index("src") + 1
    return "/".join(parts[start:start + 2]) if parts[start] in ("frontend", "cudart") else parts[start]


def components(edges):
    """Strongly connected sets of more than one file (Tarjan 1972, without recursion)."""
    index, low, stack, on, found = {}, {}, [], set(), []
    for root in sorted(edges):
        if root in index:
            continue
        work = [(root, iter(sorted(edges[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, following = work[-1]
            step = next(following, None)
            if step is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    circle = stack[stack.index(node):]
                    del stack[stack.index(node):]
                    on -= set(circle)
                    if len(circle) > 1:
                        found.append(sorted(circle))
            elif step not in index:
                index[step] = low[step] = len(index)
                stack.append(step)
                on.add(step)
                work.append((step, iter(sorted(edges.get(step, ())))))
            elif step in on:
                low[node] = min(low[node], index[step])
    return found
