# SPDX-License-Identifier: BSD-3-Clause
"""Plots for notebooks, by matplotlib. Each function draws into axes (its own, unless some are given) and returns them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from maniple.program import Error
from maniple.results import near

if TYPE_CHECKING:
    from maniple.results import Results
    from maniple.sweeps import Sweep

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#F0E442", "#999999", "#000000"]


def _axes(axes: Any) -> Any:
    if axes is not None:
        return axes
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        raise ImportError("plots need matplotlib (Debian: python3-matplotlib; pip install matplotlib)") from error
    return pyplot.subplots()[1]


def _legend(axes: Any, **how: Any) -> None:
    """A legend, if there is anything to name."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(**how)


def slots(*runs: Results, axes: Any = None) -> Any:
    """Where the issue slots of runs went: a bar for each."""
    for run in runs:
        if not run.total.get("issue_slots"):
            raise ValueError(f"{run.path}: counts no issue slots, as runs of the coprocessor and without kernels do not")
    axes = _axes(axes)
    for place, run in enumerate(runs):
        total, left = run.total, 0.0
        classes = [name for name in total if name.startswith("issue_slots_")]
        for colour, name in zip(COLOURS, classes):
            share = 100 * total[name] / total["issue_slots"]
            axes.barh(place, share, left=left, color=colour, label=name[12:] if place == 0 else None)
            left += share
    axes.set_yticks(range(len(runs)), [run.path.name for run in runs])
    axes.set_xlabel("% of issue slots")
    _legend(axes, loc="upper left", bbox_to_anchor=(1, 1))
    return axes


def kernels(run: Results, most: int = 20, axes: Any = None) -> Any:
    """The kernels of a run by their time."""
    axes = _axes(axes)
    rows = run.rows("SELECT kernel.name AS name, sum(value) AS cycles FROM kernel JOIN value ON value.run = kernel.run AND "
                    "kernel = kernel.id JOIN statistic ON statistic = statistic.id WHERE statistic.name = 'gpu_sim_cycle' "
                    "GROUP BY kernel.name ORDER BY cycles DESC LIMIT ?", (most,))
    clock = run.machine["clock.core"]
    axes.barh([row["name"] for row in rows], [1e6 * row["cycles"] / clock for row in rows], color=COLOURS[0])
    axes.invert_yaxis()
    axes.set_xlabel("time, us")
    return axes


def samples(run: Results, statistic: str, axes: Any = None) -> Any:
    """A statistic of `--sample` over time."""
    rows = run.rows("SELECT cycle, value, unit FROM sample JOIN statistic ON statistic = id WHERE name = ? ORDER BY cycle",
                    (statistic,))
    if not rows:
        names = [row["name"] for row in run.rows("SELECT DISTINCT name FROM sample JOIN statistic ON statistic = id")]
        raise Error(f"{run.path} has no samples of {statistic!r}{near(statistic, names)}" if names else
                    f"{run.path} has no samples; run with --sample N", 2)
    axes = _axes(axes)
    axes.step([row["cycle"] for row in rows], [row["value"] for row in rows], where="pre", color=COLOURS[0])
    axes.set_xlabel("core cycle")
    axes.set_ylabel(f"{statistic}, {rows[0]['unit']}")
    return axes


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _line(row: dict[str, str], rows: list[dict[str, str]], x: str, by: str | None) -> str:
    """What the line of a row is called: its value of `by`, or its values of all columns but `x` that the plan varies."""
    if by is not None:
        return row[by]
    settings = list(row)[1:list(row).index("time_us")]  # behind the name of the run: machine, input, keys
    varied = [key for key in settings if key != x and any(other[key] != row[key] for other in rows)]
    words = {"machine": row["machine"], "input": _brief(row["input"])}
    return ", ".join(words.get(key, f"{key} {row[key]}") for key in varied) or words["input"]


def _brief(program: str) -> str:
    """A program with its arguments, without its folder; a trace, whose folder is its name, as it is."""
    words = program.split(" ", 1)
    return program if words[0].endswith(".g") else " ".join([words[0].rsplit("/", 1)[-1], *words[1:]])


def sweep(sweep_: Sweep, x: str, y: str = "time_us", by: str | None = None, axes: Any = None) -> Any:
    """A column of a sweep's table over another, with a line for each value of `by`, or, without it, of all else that varies:
    machine, input and other keys. Where values of `x` are words, such as
    "lru" or "64KiB", they stand side by side in the order of the plan."""
    axes = _axes(axes)
    rows = sweep_.rows()
    words = list(dict.fromkeys(row[x] for row in rows))
    numbers = all(map(_is_number, words))
    places = {word: float(word) if numbers else float(place) for place, word in enumerate(words)}
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if row[y] != "":
            lines.setdefault(_line(row, rows, x, by), []).append((places[row[x]], float(row[y])))
    for colour, (name, points) in zip(COLOURS * 99, lines.items()):
        xs, ys = zip(*sorted(points))
        axes.plot(xs, ys, marker="o", color=colour, label=name)
    if not numbers:
        axes.set_xticks(range(len(words)), words)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    _legend(axes)
    return axes


def by_input(sweep_: Sweep, axes: Any = None) -> Any:
    """What each value of the compared key gained: bars by input, then the geometric mean, with error bars."""
    axes = _axes(axes)
    rows = [row for row in sweep_.by_input() if row["machine"] == "all" and row["ratio"] != ""]
    if not rows:
        raise ValueError("the sweep compares nothing; state compare = KEY, or several inputs")
    key = next(name for place, name in enumerate(rows[0]) if place == 2)
    names = list(dict.fromkeys(row["label"] for row in rows))
    values = list(dict.fromkeys(row[key] for row in rows))[1:]  # the first one is what the others are compared with
    width = 0.8 / max(len(values), 1)
    for place, value in enumerate(values):
        chosen = {row["label"]: row for row in rows if row[key] == value}
        xs = [names.index(name) + place * width for name in chosen]
        ratios = [float(row["ratio"]) for row in chosen.values()]
        below = [float(row["ratio"]) - float(row["low"] or row["ratio"]) for row in chosen.values()]
        above = [float(row["high"] or row["ratio"]) - float(row["ratio"]) for row in chosen.values()]
        axes.bar(xs, [ratio - 1 for ratio in ratios], width, bottom=1, yerr=[below, above], capsize=2,
                 color=COLOURS[place % len(COLOURS)], label=value)
    axes.set_xticks([place + 0.4 - width / 2 for place in range(len(names))], names, rotation=45, ha="right")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_ylabel("gain (more than 1 is better)")
    _legend(axes)
    return axes
