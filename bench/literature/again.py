# SPDX-License-Identifier: BSD-3-Clause
"""Whether a command of the pages gives its figure again: some are drawn by a hash and measured once more, as a reader would."""
import json
import statistics

import runs


def draw(runner, commands, count):
    """Commands whose time was measured in all turns, in the order of their keys, which are hashes."""
    measured = [command for command in dict.fromkeys(commands) if (runner.find(command) or {}).get("wall_range")
                and not runner.lacks(command)]
    return sorted(measured, key=lambda command: command.key())[:count]


def measure(runner, command):
    """The median wall time of as many runs as a page has turns, on a quiet host; None: the host was not quiet for long enough."""
    times = []
    for _ in range(runs.ROUNDS):
        if runner.wait_for_quiet() > runs.BUSY:
            return None
        made = runner.make_run(command)
        if "failed" in made:
            return None
        times.append(made["wall"])
    return statistics.median(times)


def again(runner, commands, count):
    """Measures and prints; keeps what the first page tells of it."""
    within = done = 0
    for command in draw(runner, commands, count):
        least, greatest = runner.find_with_range(command)["wall_range"]
        time = measure(runner, command)
        if time is None:
            print(f"not measured: {command.text()}", flush=True)
            continue
        done += 1
        within += least <= time <= greatest
        print(f"{time:.3f} s, {least:.3f} to {greatest:.3f} before: {command.text()}", flush=True)
    print(f"{done} commands: {within} in their range")
    (runner.folder / "again").write_text(json.dumps({"commands": done, "within": within}), encoding="utf-8")


def told(folder):
    """A sentence for the pages, empty if nothing was measured again."""
    try:
        kept = json.loads((folder / "again").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return (f"Of {kept['commands']} commands that a hash draws from the pages, run {runs.ROUNDS} more times on the same host when it was quiet "
            f"(`bench/literature/reproduce.py build --size quick --kept --again {kept['commands']}`), {kept['within']} medians lie within "
            "the range of their page.")
