# SPDX-License-Identifier: BSD-3-Clause
"""Results of runs: queries on results.sqlite."""
from __future__ import annotations

import difflib
import importlib
import os
import pathlib
import sqlite3
import tempfile
import warnings
from typing import Any, Iterable, Mapping, Sequence, Union

from maniple.program import Error, call

Path = Union[str, "os.PathLike[str]"]


def _pandas() -> Any:
    try:
        return importlib.import_module("pandas")  # which need not be there, and may lack annotations
    except ImportError as error:
        raise ImportError("data frames need pandas (Debian: python3-pandas; pip install pandas); rows() does without") from error


def near(name: str, names: Iterable[str]) -> str:
    """A hint at the name that was meant, to be added to a message; "" where none is close."""
    close = difflib.get_close_matches(name, list(names), 1)
    return f"; did you mean {close[0]}?" if close else ""


def several(values: Any) -> list[Any]:
    """A list of what is given: one text or path counts as a list of one, and is not taken letter by letter."""
    return [values] if isinstance(values, (str, bytes, os.PathLike)) else list(values)


class NameMissing(Error, KeyError):
    """A statistic or a key of the machine that a run does not have."""

    def __str__(self) -> str:
        return str(self.args[0])


class Named(dict[str, Any]):
    """Values by name; a name that is not there is refused with what may have been meant."""

    def __init__(self, what: str, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self._what = what

    def __missing__(self, name: str) -> Any:
        raise NameMissing(f"{self._what} {name!r} is not in these results{near(str(name), self)}", 2)


class Results:
    """A run, or those that `maniple merge` has joined: a folder of `maniple run -o`, or a results.sqlite."""

    def __init__(self, path: Path, keep: tempfile.TemporaryDirectory[str] | None = None) -> None:
        self.path = pathlib.Path(path)
        self._keep = keep  # a temporary folder lives as long as its results
        file = self.path / "results.sqlite" if self.path.is_dir() else self.path
        if not file.exists():
            where = f"{self.path.resolve()} has no results.sqlite" if self.path.is_dir() else f"{file} is not there"
            raise Error(f"{where}; give a folder that maniple run -o wrote", 2)
        self.database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        self.database.row_factory = sqlite3.Row

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """A query's rows as dictionaries. docs/reading-results.md describes the tables."""
        return [dict(row) for row in self._execute(query, parameters).fetchall()]

    def _execute(self, query: str, parameters: Sequence[Any]) -> sqlite3.Cursor:
        try:
            return self.database.execute(query, parameters)
        except sqlite3.Error as error:
            raise Error(f"{self.path}: {error}, in the query {query}", 2) from error

    def frame(self, query: str, parameters: Sequence[Any] = ()) -> Any:
        """The same as a data frame."""
        cursor = self._execute(query, parameters)
        names = [column[0] for column in cursor.description]
        return _pandas().DataFrame([tuple(row) for row in cursor], columns=names)

    @property
    def info(self) -> dict[str, Any]:
        """The run: its input, machine, version, how it ended; of several the first. The description is the machine's, behind
        the keys that were set."""
        run = self.rows("SELECT * FROM run ORDER BY id LIMIT 1")[0]
        changed = [f"{row['key']}={row['value']}" for row in self.rows(
            "SELECT key, value FROM machine WHERE run = ? AND origin = '--set'", (run["id"],))]
        if changed:
            run["description"] = f"with {', '.join(changed)}; otherwise: {run['description']}"
        return run

    @property
    def machine(self) -> dict[str, Any]:
        """The machine's keys: numbers where they are numbers."""
        return Named("the machine's key", {row["key"]: row["value"] if row["number"] is None else row["number"]
                                           for row in self.rows("SELECT * FROM machine WHERE run = 1")})

    @property
    def total(self) -> dict[str, Any]:
        """Statistics of the whole run, by name."""
        return self._statistics(0)

    def kernel(self, number: int) -> dict[str, Any]:
        """Statistics of one kernel, by name; kernels are counted from 1."""
        numbers = [row["id"] for row in self.rows("SELECT id FROM kernel WHERE run = 1 ORDER BY id")]
        if number not in numbers:
            there = f"has kernels {numbers[0]} to {numbers[-1]}" if numbers else "has no kernels"
            raise Error(f"{self.path} has no kernel {number}; it {there} (rows of the table kernel), and total is of the whole run", 2)
        return self._statistics(number)

    def _statistics(self, kernel: int) -> dict[str, Any]:
        return Named("the statistic", {row["name"]: row["value"] for row in self.rows(
            "SELECT name, value FROM statistic JOIN value ON statistic = id WHERE run = 1 AND kernel = ?", (kernel,))})

    @property
    def seconds(self) -> float:
        """The time of the run on the simulated machine, with copies and calls of the host."""
        total = self.total
        cycles = total["gpu_sim_cycle"] if "gpu_sim_cycle" in total else total["global_cycles"]  # of many cores
        return float(cycles / self.machine["clock.core"])

    @property
    def kernel_seconds(self) -> float:
        """The time of the run's kernels on the simulated machine, one after another."""
        cycles = self.rows("SELECT sum(value) AS cycles FROM value JOIN statistic ON id = statistic WHERE run = 1 AND "
                           "kernel > 0 AND name = 'gpu_sim_cycle'")[0]["cycles"]
        return float((cycles or 0) / self.machine["clock.core"])

    def kernels(self) -> Any:
        """A data frame: a row for each kernel, a column for each statistic."""
        pandas = _pandas()
        kernels = self.frame("SELECT * FROM kernel ORDER BY run, id")
        values = self.frame("SELECT value.run, kernel, name, value FROM value JOIN statistic ON statistic = id "
                            "WHERE kernel > 0")
        wide = values.pivot(index=["run", "kernel"], columns="name", values="value")
        return pandas.merge(kernels, wide, left_on=["run", "id"], right_index=True, how="left")

    def samples(self) -> Any:
        """A data frame of `--sample`: a row for each interval, by the cycle of its end."""
        values = self.frame("SELECT cycle, name, value FROM sample JOIN statistic ON statistic = id WHERE run = 1")
        return values.pivot(index="cycle", columns="name", values="value")

    def instructions(self) -> Any:
        """A data frame of `--by-instruction`: what each instruction of each kernel's name has cost."""
        return self.frame("SELECT * FROM instruction WHERE run = 1 ORDER BY kernel, pc").drop(columns="run")

    def spans(self) -> Any:
        """A data frame of `--timeline`: what lasted from when to when, in nanoseconds."""
        return self.frame('SELECT kind, kernel, number, place, stream, name, start / 1e6 AS start, "end" / 1e6 AS "end" '
                          "FROM span WHERE run = 1")

    def report(self, html: Path | None = None, ncu: Path | None = None) -> str:
        """What limits the run, as text; and as a page into the file `html`, as Nsight Compute's CSV into `ncu`."""
        return call("report", self.path, *(["--html", html] if html else []), *(["--ncu", ncu] if ncu else []))

    def timeline(self, file: Path) -> None:
        """Writes the run over time, for Perfetto."""
        call("timeline", self.path, "-o", file)

    def __repr__(self) -> str:
        info = self.info
        return f"<maniple.Results {info['input']} on {info['machine']}: {info['ended']}>"


def load(path: Path) -> Results:
    """Results that are there."""
    return Results(path)


def words_of(machine: str | None, settings: Mapping[str, Any] | None, options: Iterable[str]) -> list[str]:
    words = ["--machine", machine] if machine else []
    for key, value in (settings or {}).items():
        words += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
    return words + several(options)


def run(input: Path, arguments: Sequence[Any] | None = None, *, machine: str | None = None,
        set: Mapping[str, Any] | None = None, options: Iterable[str] = (), output: Path | None = None,
        threads: int | None = None) -> Results:
    """Simulates a trace, or a program with its arguments (a list, which may be empty), and returns its results. `set`: keys
    of the machine; `options`: further words of `maniple run`; `output`: a folder to keep, otherwise a temporary one. A run
    that a limit stops has partial results; its `info` says how it ended."""
    keep = None if output is not None else tempfile.TemporaryDirectory(prefix="maniple-")
    folder = keep.name if keep else os.fspath(output or "")
    words = words_of(machine, set, options) + (["--threads", str(threads)] if threads else [])
    what = [input] if arguments is None else ["--", input, *several(arguments)]
    call("run", "-q", "-o", folder, *words, *what, accept=(0, 3))
    return Results(folder, keep)


def _program(results: Results) -> list[str]:
    """The program and its arguments, behind "--" in the command; nothing for a trace."""
    words = [row["value"] for row in results.rows(
        "SELECT value FROM provenance WHERE run = 1 AND kind = 'command' ORDER BY name")]
    return words[words.index("--") + 1:] if "--" in words else []


def _same_work(one: Results, other: Results) -> bool:
    """Whether two runs have launched the same kernels, or are of one program with the same arguments (`maniple report` compares
    by the same rule)."""
    launches = [each.rows("SELECT name, grid_x, grid_y, grid_z, block_x, block_y, block_z FROM kernel WHERE run = 1 ORDER BY id")
                for each in (one, other)]
    alike = launches[0] == launches[1] and (launches[0] or one.info["input"] == other.info["input"])
    programs = [_program(each) for each in (one, other)]
    return bool(one.info["kind"] == other.info["kind"] and (alike or programs[0] == programs[1] != []))


def compare(first: Results | Path, second: Results | Path, *others: Results | Path) -> list[dict[str, Any]]:
    """Statistics of two runs or more beside one another: a list of dictionaries with name, first, second, ratio (of the second
    to the first; of more runs, that which differs most) and, of more than two, values (of all runs), those that differ most first. Equal ones are left
    out. Warns where a run came to its end and another did not."""
    runs = [each if isinstance(each, Results) else load(each) for each in (first, second, *others)]
    one = runs[0]
    for other in runs[1:]:
        if not _same_work(one, other):
            what = [" ".join(_program(each)) or each.info["input"] for each in (one, other)]
            raise Error(f"{one.path} and {other.path} are runs of different inputs ({what[0]}; {what[1]}); "
                        "compare runs of the same launches, or of one program", 2)
        ends = [each.info["ended"] for each in (one, other)]
        if ends[0] != ends[1]:
            warnings.warn(f"{one.path} ended by {ends[0]!r} and {other.path} by {ends[1]!r}: the counts are of different parts of the work",
                          stacklevel=2)
    totals = [each.total for each in runs]
    rows: list[dict[str, Any]] = []
    for name in totals[0]:
        if not all(name in total for total in totals):
            continue
        values = [total[name] for total in totals]
        if any(value != values[0] for value in values):
            ratios: list[Any] = [value / values[0] for value in values[1:]] if values[0] else [None]
            rows.append({"name": name, "first": values[0], "second": values[1],
                         "ratio": max(ratios, key=lambda ratio: abs((ratio or 0) - 1)), **({"values": values} if others else {})})
    return sorted(rows, key=lambda row: -abs((row["ratio"] or 0) - 1))
