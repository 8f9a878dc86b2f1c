# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps: plans of many runs, which the command makes once each."""
import csv
import pathlib
import tempfile

from maniple.program import call
from maniple.results import Results, _pandas


def _text(value):
    """A value in libconfig's syntax."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) + ("L" if abs(value) > 2**31 - 1 else "")
    if isinstance(value, float):
        return repr(value)
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def plan_text(machines, inputs=(), programs=(), vary=None, options=(), plan="grid", samples=None, seed=None, objectives=()):
    """A plan as the command reads it (docs/sweep.md)."""
    def texts(values):
        return "[" + ", ".join(_text(str(value)) for value in values) + "]"

    lines = [f"machines = {texts(machines)};", f"plan = {_text(plan)};"]
    lines += [f"inputs = {texts(inputs)};"] if inputs else []
    lines += ["programs = ( " + ", ".join(texts(words) for words in programs) + " );"] if programs else []
    axes = ["  { key = %s; values = ( %s ); }" % (_text(key), ", ".join(map(_text, values)))
            for key, values in (vary or {}).items()]
    lines += ["vary = (\n" + ",\n".join(axes) + "\n);"] if axes else []
    lines += [f"options = {texts(options)};"] if options else []
    lines += [f"samples = {samples};"] if samples else []
    lines += [f"seed = {seed};"] if seed is not None else []
    lines += [f"objectives = {texts(objectives)};"] if objectives else []
    return "\n".join(lines) + "\n"


class Sweep:
    """A plan whose runs are there."""

    def __init__(self, plan, folder):
        self.plan, self.folder = pathlib.Path(plan), pathlib.Path(folder)
        with tempfile.TemporaryDirectory(prefix="maniple-") as work:
            self.text = call("sweep", self.plan, "-o", self.folder, "--force", "--summary", f"{work}/sums")
            with open(f"{work}/sums.csv", newline="", encoding="utf-8") as table:
                self.table = list(csv.DictReader(table))
            drawing = pathlib.Path(work, "sums.svg")
            self.svg = drawing.read_text(encoding="utf-8") if drawing.exists() else None

    def rows(self):
        """A dictionary for each run: name, machine, input, what was varied, time_us, and what was counted; all texts."""
        return self.table

    def frame(self):
        """The same as a data frame, with numbers."""
        pandas = _pandas()
        frame = pandas.DataFrame(self.table)
        for column in frame.columns:
            try:
                frame[column] = pandas.to_numeric(frame[column])
            except (ValueError, TypeError):
                pass
        return frame

    def results(self, name):
        """The results of one run, by the name in its row."""
        return Results(self.folder / name)


def sweep(plan=None, output="sweep", *, jobs=None, threads=None, **states):
    """Makes the runs of a plan that are not in the folder `output` yet: a file, or what one states as arguments (machines,
    inputs, programs, vary, options, plan, samples, seed, objectives):

        maniple.sweep(machines=["rtx3070"], inputs=["product/kernelslist.g"], vary={"sm.count": [8, 16, 32]})
    """
    folder = pathlib.Path(output)
    if plan is None or states.get("plan"):
        kind = {"plan": plan} if plan else {}
        folder.mkdir(parents=True, exist_ok=True)
        plan = folder / "plan.cfg"
        plan.write_text(plan_text(**{**kind, **states}), encoding="utf-8")
    call("sweep", plan, "-o", folder, "--force", *(["--jobs", jobs] if jobs else []),
         *(["--threads", threads] if threads else []))
    return Sweep(plan, folder)
