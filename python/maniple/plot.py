# SPDX-License-Identifier: BSD-3-Clause
"""Plots for notebooks, by matplotlib. Each function draws into axes (its own, unless some are given) and returns them."""

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#F0E442", "#999999", "#000000"]


def _axes(axes):
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib (Debian: python3-matplotlib; pip install matplotlib)") from error
    return pyplot.subplots()[1]


def slots(*runs, axes=None):
    """Where the issue slots of runs went: a bar for each."""
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
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return axes


def kernels(run, most=20, axes=None):
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


def samples(run, statistic, axes=None):
    """A statistic of `--sample` over time."""
    axes = _axes(axes)
    rows = run.rows("SELECT cycle, value, unit FROM sample JOIN statistic ON statistic = id WHERE name = ? ORDER BY cycle",
                    (statistic,))
    axes.step([row["cycle"] for row in rows], [row["value"] for row in rows], where="pre", color=COLOURS[0])
    axes.set_xlabel("core cycle")
    axes.set_ylabel(f"{statistic}, {rows[0]['unit']}" if rows else statistic)
    return axes


def sweep(sweep_, x, y="time_us", by="input", axes=None):
    """A column of a sweep's table over another, with a line for each value of `by`."""
    axes = _axes(axes)
    lines = {}
    for row in sweep_.rows():
        lines.setdefault(row[by], []).append((float(row[x]), float(row[y])))
    for colour, (name, points) in zip(COLOURS * 99, sorted(lines.items())):
        axes.plot(*zip(*sorted(points)), marker="o", color=colour, label=name)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.legend()
    return axes
