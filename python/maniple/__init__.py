# SPDX-License-Identifier: BSD-3-Clause
"""Runs of Maniple as tables. The command `maniple` does the work; see `run`, `load`, `sweep` and `compare`."""
from maniple.program import Error, find, call
from maniple.results import Results, compare, load, run
from maniple.sweeps import Sweep, sweep

__all__ = ["Error", "Results", "Sweep", "call", "compare", "find", "load", "run", "sweep"]
__version__ = "0.2.0"
