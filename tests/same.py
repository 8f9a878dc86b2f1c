# SPDX-License-Identifier: BSD-3-Clause
"""Runs of maniple whose results must be the same: what a run gives, and where two of them differ."""
import json
import os
import shlex
import subprocess


class Outcome:
    """What a run leaves: its exit status, all of its results but how it was run, the epochs' hashes, and its last words."""

    def __init__(self, command, environment=None, limit=600):
        self.command = command
        self.environment = environment or {}
        try:
            done = subprocess.run(command, env=dict(os.environ, **self.environment), capture_output=True, text=True,
                                  errors="replace", timeout=limit, check=False)
            self.status, printed, self.words = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            self.status, printed, self.words = 124, "", f"not done in {limit} s"
        self.results = {}
        self.epochs = [line for line in self.words.splitlines() if line.startswith("epoch ")]
        begin = printed.find('{\n  "format": "maniple-results')
        self.printed = printed if begin < 0 else printed[:begin]
        if begin >= 0:
            self.results, end = json.JSONDecoder().raw_decode(printed[begin:])
            self.printed += printed[begin + end:]
            self.results.pop("run", None)

    def shell(self):
        """The command as it is typed."""
        return " ".join([f"{name}={shlex.quote(value)}" for name, value in self.environment.items()] +
                        [shlex.quote(word) for word in self.command])

    def per_unit(self, name):
        """The values of a statistic in each unit of its model."""
        value = self.results["total"]["statistics"].get(name + "_per_unit", {})
        while isinstance(value, dict) and value:
            value = value.get("value", next(iter(value.values())))
        return value or []


def places(one, other, path=""):
    """Paths at which two results differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in list(one) + [key for key in other if key not in one]:
            yield from places(one.get(key), other.get(key), f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other)):
            yield from places(*pair, f"{path}[{index}]")
    elif one != other:
        yield f"{path[1:]}: {str(one)[:60]} and {str(other)[:60]}"


def differences(one, other):
    """In words, what differs between two runs; an empty list: nothing."""
    found = []
    if one.status != other.status:
        return [f"status {one.status} and {other.status}", *one.words.splitlines()[-3:], *other.words.splitlines()[-3:]]
    if one.printed != other.printed:
        found.append("the program prints something else")
    for first, second in zip(one.epochs, other.epochs):
        if first != second:
            found.append(f"epochs part: {first} and {second}")
            break
    return found + list(places(one.results, other.results))
