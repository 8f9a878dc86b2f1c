#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The evaluation of the papers that Maniple grew from, as pages in docs/literature/ (`make literature`).

Usage: reproduce.py BUILD [--size smallest|quick|usual|full] [--only NAME,…] [--pages DIR] [--folder DIR]
                    [--kept] [--list] [--no-run] [--wait SECONDS] [--simulated] [--minutes M] [--session NAME]
       reproduce.py BUILD --check [--words "WORD…"]
       reproduce.py BUILD --again N
Runs what is not kept yet in BUILD/literature/, and writes a page as soon as its runs are done. An interrupted call goes on
where it was. Times are measured three times in turn on a quiet host, for which it waits (--wait);
where there was none, results are kept without a time. --kept takes results of other sources, too; --no-run writes the pages from what is kept.

A quiet host is dear: `--simulated` runs beforehand, on any host, what has no time in it; `--minutes M` then measures for at
most M minutes, all pages once, then all of them again, and at the end writes the pages from what there is. The same
command goes on there.

How far a time comes out again is measured by a second session, some hours after the first: `--kept --session NAME` measures all times
once more, with three samples of its own. Pages state ranges from how far the medians of two sessions lie apart.

What is simulated is kept in bench/literature/figures.csv with the pages. `--check` simulates it again, or the rows that have all
WORDs, and fails if anything differs.
"""
import argparse
import pathlib
import sys
import time

import again
import figures
import huerta
import overview
import questions
import raghav
import runs
import sachs
import wang_gao

PAPERS = [wang_gao, sachs, huerta, raghav, questions, overview]
PAGES = runs.ROOT / "docs" / "literature"
RECORDS = {"smallest": 1, "quick": 2, "usual": 3, "full": 3}


def progress(done, total, began, spent, text):
    """A line on a terminal, and one for each run elsewhere."""
    left = f", about {spent / done * (total - done) / 60:.0f} min left" if done else ""
    line = f"[{done + 1}/{total}] {time.monotonic() - began:.0f} s{left}: {text}"
    if sys.stderr.isatty():
        print(f"\r\033[K{line[:150]}", end="", file=sys.stderr, flush=True)
    else:
        print(line, file=sys.stderr, flush=True)


def execute(runner, commands):
    """Makes what is missing; returns what failed, other than for want of a program that need not be there."""
    began, failed, missing = time.monotonic(), [], []
    for turn in range(runs.ROUNDS):  # in turn, so that what disturbs the host for a while is in one sample of each
        missing = [command for command in dict.fromkeys(commands) if runner.needs(command, turn)]
        for done, command in enumerate(missing):
            progress(done, len(missing), began, time.monotonic() - began, command.text())
            made = runner.make(command)
            if "failed" in made and "absent" not in made:
                failed.append(f"{command.text()}: {made['failed']}")
    if sys.stderr.isatty() and missing:
        print("\r\033[K", end="", file=sys.stderr)
    return failed


def within(runner, commands, minutes):
    """Makes what is missing in turns over all pages, for so many minutes: what would end later is left for another call."""
    began, failed, left = time.monotonic(), [], 0
    for turn in range(runs.ROUNDS):
        missing = [command for command in dict.fromkeys(commands) if runner.needs(command, turn)]
        for done, command in enumerate(missing):
            spent = time.monotonic() - began
            if spent + runner.estimate(command) > 60 * minutes:
                left += 1
                continue
            progress(done, len(missing), began, spent, f"turn {turn + 1}: {command.text()}")
            made = runner.make(command)
            if "failed" in made and "absent" not in made:
                failed.append(f"{command.text()}: {made['failed']}")
    lacking = sum(runner.lacks(command) for command in dict.fromkeys(commands))
    print(f"{(time.monotonic() - began) / 60:.1f} minutes; {left} runs did not fit, {lacking} times lack some of {runs.ROUNDS} samples of a "
          "quiet host" + (": give the same command again" if left or lacking else ""))
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--size", choices=list(RECORDS), default="usual")
    parser.add_argument("--only", default="")
    parser.add_argument("--pages", default=str(PAGES))
    parser.add_argument("--folder", help="where results are kept; BUILD/literature otherwise")
    parser.add_argument("--kept", action="store_true")
    parser.add_argument("--wait", type=float, default=600, help="seconds for which all runs together wait for a quiet host")
    parser.add_argument("--no-run", action="store_true")
    parser.add_argument("--simulated", action="store_true", help="only runs that have no time, on a host that others use")
    parser.add_argument("--minutes", type=float, help="measure for at most so long, all pages in turn")
    parser.add_argument("--session", help="measure all times once more, under a name, so that pages can say how far they come out again")
    parser.add_argument("--check", action="store_true", help="simulate what pages show, or the rows with all of --words, again")
    parser.add_argument("--again", type=int, help="measure so many commands of the pages once more, and tell how many times come out")
    parser.add_argument("--words", default="")
    parser.add_argument("--list", action="store_true", help="print the commands, run nothing")
    options = parser.parse_args()
    build = pathlib.Path(options.build).resolve()
    chosen = [paper for paper in PAPERS if not options.only or paper.NAME in options.only.split(",")]
    if not chosen:
        sys.exit(f"--only {options.only}: there are {', '.join(paper.NAME for paper in PAPERS)}")
    runner = runs.Runner(build, options.folder or build / "literature", RECORDS[options.size], options.kept or options.no_run,
                         0 if options.size == "smallest" else options.wait, options.session)
    if options.check:
        return 0 if figures.check(runner, options.words.split()) else 1
    if options.again:
        return again.again(runner, [command for paper in chosen for command in paper.plan(options.size)], options.again)
    failed = []
    if options.minutes is not None:
        runner.wait = min(runner.wait, 60 * options.minutes)
    if options.simulated or options.minutes is not None:
        commands = [command for paper in chosen for command in paper.plan(options.size)]
        if options.simulated:
            commands = [command for command in commands if command.kind == "machine" or (command.kind == "run" and not command.timed)]
            runner.wait = 0
        failed = execute(runner, commands) if options.simulated else within(runner, commands, options.minutes)
        options.no_run = True
    for paper in chosen:
        commands = paper.plan(options.size)
        if options.list:
            print("\n".join(f"{command.key()} {command.text()}" for command in dict.fromkeys(commands)))
            continue
        if not options.no_run:
            failed += execute(runner, commands)
        page = paper.page(runner.find_with_range, options.size, options.pages)
        if paper is overview and (words := again.told(runner.folder)):
            page.text(words)
        page.write()
        if any("**DIFFERENT**" in line for line in page.lines):
            failed.append(f"{page.name}.md: runs that must be the same to the byte are not")
        if pathlib.Path(options.pages).resolve() == PAGES:
            figures.keep(paper.NAME, runner.find, commands)
        print(f"{options.pages}/{page.name}.md, {len(page.pictures)} plots")
    for line in failed:
        print(f"failed: {line}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\nInterrupted: what has been run is kept, and the same command goes on there.", file=sys.stderr)
        sys.exit(130)
    except OSError as error:
        if error.errno != 28:
            raise
        print("\nThe disk is full: what has been run is kept; make room and give the same command again.", file=sys.stderr)
        sys.exit(2)
