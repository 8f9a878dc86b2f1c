# SPDX-License-Identifier: BSD-3-Clause
"""Pages in Markdown: a heading for every figure and table of a paper, tables, pictures, the command under each."""
import json
import os
import pathlib
import re
import statistics

import runs

HERE = pathlib.Path(__file__).resolve().parent


def numbers(name):
    """The data file of a paper: what it has, the numbers it reports, and what is left out with the reason."""
    return json.loads((HERE / "data" / f"{name}.json").read_text(encoding="utf-8"))


def cell(value, form="{:.2f}"):
    if value is None:
        return "–"
    return value if isinstance(value, str) else form.format(value)


def table(header, rows):
    """The first column is text, the others are numbers."""
    lines = ["| " + " | ".join(header) + " |", "| --- |" + " ---: |" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def spread(result):
    """The median of a time, with the range in which it comes out again."""
    if not result or result.get("wall") is None:
        return "–"
    low, high = result.get("wall_range") or [result["wall"]] * 2
    return f"{result['wall']:.2f} ({low:.2f} to {high:.2f})"


def equal(*results):
    """Whether all statistics and the final state of runs are the same; None where one is missing, or of other sources than the rest."""
    if not all(results) or any("failed" in result for result in results) or len({result["version"] for result in results}) > 1:
        return None
    return len({result["all"] for result in results}) == 1


def verdict(*results):
    """The same in words of a table's cell."""
    return {None: "–", True: "all equal", False: "**DIFFERENT**"}[equal(*results)]


def percent(value):
    return None if value is None else ("0" if value == 0 else f"{100 * value:+.2f} %")


def share(value):
    return None if value is None else f"{100 * value:.1f} %"


def mean(values):
    values = [value for value in values if value is not None]
    return statistics.mean(values) if values else None


def median(values):
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else None


def ratio(a, b):
    return a / b if a is not None and b else None


def anchor(heading):
    """The name by which a link reaches a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


class Page:
    def __init__(self, name, data, folder, size):
        self.name, self.data, self.folder, self.size = name, data, pathlib.Path(folder), size
        self.lines, self.pictures = [], {}

    def text(self, *paragraphs):
        for paragraph in paragraphs:
            self.lines += [paragraph, ""]

    def item(self, item, *paragraphs):
        """The heading of a figure or table of the paper, which the data file must list."""
        entry = next(entry for entry in self.data["items"] if entry["id"] == item)
        self.lines += [f"## {item}: {entry['what']}", ""]
        self.text(*paragraphs)

    def commands(self, *commands):
        shown = [command if isinstance(command, str) else command.text() for command in commands]
        self.lines += ["```", *shown, "```", ""]

    def picture(self, name, svg, what):
        if svg:
            self.pictures[f"{self.name}-{name}.svg"] = svg
            self.lines += [f"![{what}](figures/{self.name}-{name}.svg)", ""]

    def left_out(self):
        if "mechanisms" in self.data:
            self.lines += ["## Mechanisms of the paper", "", "| mechanism | where it is, or why it is not |", "| --- | --- |",
                           *("| " + " | ".join(row) + " |" for row in self.data["mechanisms"]), ""]
        rows = [[entry["id"], entry["what"], entry["left_out"]] for entry in self.data["items"] if "left_out" in entry]
        if rows:
            self.lines += ["## Not here", "", "| | what it is | why not |", "| --- | --- | --- |",
                           *("| " + " | ".join(row) + " |" for row in rows), ""]

    def write(self):
        (self.folder / "figures").mkdir(parents=True, exist_ok=True)
        for name, svg in self.pictures.items():
            (self.folder / "figures" / name).write_text(svg, encoding="utf-8")
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(self.lines)).rstrip() + "\n"
        (self.folder / f"{self.name}.md").write_text(text, encoding="utf-8")


def timing(made):
    """What the times of the results are worth."""
    timed = [result for result in made if "samples" in result]
    counts = sorted({sum(sample["quiet"] for sample in result["samples"]) for result in timed if result.get("wall") is not None})
    turns = " to ".join(str(count) for count in counts[:1] + counts[1:][-1:])
    factors = {}
    for result in timed:
        factors.setdefault(runs.kind_of_threads(result["command"].split()), set()).add(result.get("again"))
    ranges = ", ".join(f"{max(values):.2f} on {kind}" for kind, values in sorted(factors.items(), key=lambda item: item[0] == "OpenMP's threads") if None not in values)
    again = (f" A time comes out again between what is here divided and multiplied by {ranges}, which is the range in brackets: the most "
             f"by which medians of two sessions differed, hours apart on the same host, and {100 * runs.MARGIN - 100:.0f} % more.") if ranges else ""
    predicted = {result.get("again") for result in made if "rows" in result}
    if predicted and None not in predicted:
        again += f" The same of predicted speed-ups is a factor of {max(predicted):.2f}."
    bad = sum(result.get("wall") is None for result in timed)
    few = f"{bad} of {len(timed)} times could not be measured, since the host was busy before or after each try (–). " if bad else ""
    return (few + f"Times are medians of {turns or 'no'} runs in turn on a host that nobody else used by more than 0.15 processors before and "
            f"after the run.{again} Executors run as their authors ran them: OpenMP waits actively, with bound threads; the others by their own rules.")


SIZES = {"smallest": "the smallest sizes, which only show that all of it works",
         "quick": "quick sizes (`make literature QUICK=1`): each run takes a fraction of a second, so that what is the same for "
                  "every run weighs more than in the paper's hours",
         "usual": "the usual sizes (`make literature`): the runs of one thread take seconds",
         "full": "the paper's own sizes where it states them (`make literature FULL=1`)"}


def opening(page, results):
    """Title, source, host, and how to read the rest."""
    data, made = page.data, [result for result in results if result and "failed" not in result]
    page.lines += ["<!-- Written by bench/literature; `make literature` writes it anew. -->", f"# {data['title']}", "",
                   f"{data['source']}.", ""]
    if not made:
        page.text("Nothing of it has been run yet.")
        return
    hosts = sorted({result["host"] for result in made})
    loads = [result["load"] for result in made]
    days = sorted({result["when"][:10] for result in made})
    commits = sorted({result["commit"] for result in made if result.get("commit")})
    page.text(f"{'; '.join(hosts)}. {' to '.join(days[:1] + days[1:][-1:])}, commit{'s' if len(commits) > 1 else ''} {' and '.join(commits) or 'unknown'}, {SIZES[page.size]}. "
              f"{len(made)} runs, {sum(result['cpu'] for result in made):,.0f} CPU seconds; the load was {min(loads)} to "
              f"{max(loads)}. " + timing(made),
              "**Measured** means on this host. **Predicted** means computed by `maniple scaling` from what each unit took in each "
              "window on one thread ([how](../executors.md#more-threads-than-at-hand)); it leaves out shared caches and memory "
              "bandwidth, and is shown for executors whose prediction for two threads lies within 20 % of what was measured. **Paper** means read in the paper, on its host and its simulator. Speed-ups of the paper are over its "
              "own sequential program, which visits every cycle of every core; ours are over `serial --window 1` where nothing else "
              "is said: one thread, the same models, a meeting every cycle, which `serial` in safe windows beats by itself.")
    missing = sum(result is None for result in results)
    if missing:
        page.text(f"{missing} of {len(results)} runs have not been made yet (–): `make literature` goes on with them.")
    failed = {result["failed"] for result in results if result and "failed" in result}
    if failed:
        page.text("Not everything could be run: " + "; ".join(sorted(failed)) + ".")
