# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps: plans of many runs, which the command makes once each."""
from __future__ import annotations

import csv
import pathlib
import re
import tempfile
from typing import Any, Iterable, Mapping, Sequence, Union

from maniple.program import Error, call
from maniple.results import Path, Results, _pandas, several

Words = Union[str, Sequence[Any]]  # a program or a workload: its name, or its name and arguments


def _text(value: Any) -> str:
    """A value in libconfig's syntax."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) + ("L" if abs(value) > 2**31 - 1 else "")
    if isinstance(value, float):
        return repr(value)
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def plan_text(machines: Iterable[str], inputs: Iterable[Path] = (), programs: Iterable[Words] = (),
              apps: Iterable[Words] = (), vary: Mapping[str, Iterable[Any]] | None = None, options: Iterable[str] = (),
              plan: str = "grid", samples: int | None = None, seed: int | None = None, objectives: Iterable[str] = (),
              compare: str | None = None) -> str:
    """A plan as the command reads it (docs/sweep.md)."""
    def texts(values: Iterable[Any]) -> str:
        return "[" + ", ".join(_text(str(value)) for value in several(values)) + "]"

    def commands(all_: Iterable[Words]) -> str:
        return "( " + ", ".join(texts([words] if isinstance(words, str) else words) for words in all_) + " )"

    programs, apps = several(programs), several(apps)
    lines = [f"machines = {texts(machines)};", f"plan = {_text(plan)};"]
    lines += [f"inputs = {texts(inputs)};"] if inputs else []
    lines += [f"programs = {commands(programs)};"] if programs else []
    lines += [f"apps = {commands(apps)};"] if apps else []
    axes = ["  { key = %s; values = ( %s ); }" % (_text(key), ", ".join(map(_text, several(values))))
            for key, values in (vary or {}).items()]
    lines += ["vary = (\n" + ",\n".join(axes) + "\n);"] if axes else []
    lines += [f"options = {texts(options)};"] if options else []
    lines += [f"samples = {samples};"] if samples else []
    lines += [f"seed = {seed};"] if seed is not None else []
    lines += [f"objectives = {texts(objectives)};"] if objectives else []
    lines += [f"compare = {_text(compare)};"] if compare else []
    return "\n".join(lines) + "\n"


def _number(value: str) -> str | float:
    """A field of a table: a number where it is one."""
    try:
        return int(value)
    except ValueError:
        try:
            return float(value)
        except ValueError:
            return value


class Sweep:
    """A plan whose runs are there."""

    def __init__(self, plan: Path, folder: Path) -> None:
        self.plan, self.folder = pathlib.Path(plan), pathlib.Path(folder)
        with tempfile.TemporaryDirectory(prefix="maniple-") as work:
            self.text = call("sweep", self.plan, "-o", self.folder, "--force", "--summary", f"{work}/sums")
            with open(f"{work}/sums.csv", newline="", encoding="utf-8") as table:
                self.table: list[dict[str, str]] = list(csv.DictReader(table))
            self.svg = self._text_of(work, "sums.svg")
            by_input = self._text_of(work, "sums-by-input.csv")
            self._by_input: list[dict[str, str | float]] = [
                {key: value if key in ("input", "machine", "label") else _number(value) for key, value in row.items()}
                for row in csv.DictReader((by_input or "").splitlines())]
            self.by_input_svg = self._text_of(work, "sums-by-input.svg")
            self.latex = self._text_of(work, "sums-by-input.tex")

    @staticmethod
    def _text_of(folder: str, name: str) -> str | None:
        path = pathlib.Path(folder, name)
        return path.read_text(encoding="utf-8") if path.exists() else None

    def by_input(self) -> list[dict[str, str | float]]:
        """What each value of the compared key gained, by input and machine, and geometric means: a dictionary for each
        ratio with the ends of its error bar. Empty where a plan has one input and does not state `compare`."""
        return self._by_input

    def rows(self) -> list[dict[str, str]]:
        """A dictionary for each run: name, machine, input, what was varied, time_us, and what was counted; all texts."""
        return self.table

    def frame(self) -> Any:
        """The same as a data frame, with numbers."""
        pandas = _pandas()
        frame = pandas.DataFrame(self.table)
        for column in frame.columns:
            try:
                frame[column] = pandas.to_numeric(frame[column])
            except (ValueError, TypeError):
                pass
        return frame

    def results(self, name: str) -> Results:
        """The results of one run, by the name in its row."""
        return Results(self.folder / name)


def sweep(plan: Path | None = None, output: Path = "sweep", *, jobs: int | None = None, threads: int | None = None,
          **states: Any) -> Sweep:
    """Makes the runs of a plan that are not in the folder `output` yet: a file, or what one states as arguments (machines,
    inputs, programs, apps, compare, vary, options, plan, samples, seed, objectives):

        maniple.sweep(machines=["rtx3070"], inputs=["product/kernelslist.g"], vary={"sm.count": [8, 16, 32]})
    """
    folder, named = pathlib.Path(output), ""  # where a message says that it is of a plan that the user has not written
    if plan is None or states.get("plan"):
        kind = {"plan": plan} if plan else {}
        folder.mkdir(parents=True, exist_ok=True)
        plan = folder / "plan.cfg"
        plan.write_text("# From the arguments of maniple.sweep.\n" + plan_text(**{**kind, **states}), encoding="utf-8")
        named = re.escape(str(plan)) + r"(:\d+)?: "
    try:
        call("sweep", plan, "-o", folder, "--force", *(["--jobs", jobs] if jobs else []),
             *(["--threads", threads] if threads else []))
    except Error as error:
        if not named:
            raise
        raise Error(re.sub(named, "maniple.sweep: ", str(error)), error.status) from None
    return Sweep(plan, folder)
