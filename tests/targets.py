#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the files that the chosen tests of a configuration need, for ninja: a configuration that runs a part of the tests
builds no more than that part. Usage: targets.py FOLDER [OPTION OF MESON TEST]…; --suite and --no-suite are understood."""
import json
import os
import sys


def described(folder, what):
    with open(os.path.join(folder, "meson-info", f"intro-{what}.json"), encoding="utf-8") as file:
        return json.load(file)


def main():
    folder, options = sys.argv[1], sys.argv[2:]
    pairs = list(zip(options, options[1:]))
    wanted = {name for option, name in pairs if option == "--suite"}
    unwanted = {name for option, name in pairs if option == "--no-suite"}
    files = {target["id"]: target["filename"] for target in described(folder, "targets")}
    needed = set()
    for test in described(folder, "tests"):
        suites = {suite.split(":")[-1] for suite in test["suite"]}
        if (not wanted or suites & wanted) and not suites & unwanted:
            needed.update(name for target in test["depends"] for name in files[target])
    print("\n".join(sorted(os.path.relpath(name, folder) for name in needed)))


main()
