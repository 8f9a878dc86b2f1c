# SPDX-License-Identifier: BSD-3-Clause
"""The program: where it is, and how it is called."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
from typing import Any, Container


class Error(Exception):
    """What the program says when it refuses something. `status`: its exit status."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


def find(name: str = "maniple") -> str:
    """The path of the program: $MANIPLE, that of this package, or the one on the path. Others of it lie beside it."""
    given = os.environ.get("MANIPLE")
    if given:
        return str(pathlib.Path(given) if name == "maniple" else pathlib.Path(given).parent / name)
    own = pathlib.Path(__file__).parent / "bin" / name
    if own.exists():
        return str(own)
    found = shutil.which(name)
    if not found:
        raise Error(f"there is no program {name}: install the wheel, or state its path in the variable MANIPLE", 2)
    return found


def call(*words: Any, accept: Container[int] = (0,)) -> str:
    """Calls `maniple` with words; returns what it prints. Raises Error for another exit status than those accepted. On a
    terminal, progress is shown."""
    show = sys.stderr.isatty()
    done = subprocess.run([find(), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=None if show else subprocess.PIPE, text=True, check=False)
    if done.returncode not in accept:
        said = (done.stderr or "").strip() or f"maniple {words[0]} ended with exit status {done.returncode}"
        raise Error(said, done.returncode)
    return done.stdout or ""


def main() -> None:
    """The command itself, for the script of the wheel."""
    program = find()
    os.execv(program, [program, *sys.argv[1:]])


def tracegen() -> None:
    """The generator of traces, for the script of the wheel."""
    program = find("maniple-tracegen")
    os.execv(program, [program, *sys.argv[1:]])
