#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a C file with a function for each name that one of NVIDIA's libraries exports, which says that it is missing. The
functions are weak: the linker takes the library's own function of that name where there is one. Arguments: the output, the
list of names (a name per line; # begins a comment), what defines a function, with @ for its name, and headers."""
import pathlib
import sys

out, names, form, *headers = sys.argv[1:]
lines = ["/* SPDX-License-Identifier: BSD-3-Clause */", f"/* Made from {pathlib.Path(names).name} by {pathlib.Path(__file__).name}. */"]
lines += [f'#include "{header}"' for header in headers]
lines += [form.replace("@", name) for name in pathlib.Path(names).read_text().splitlines() if name and not name.startswith("#")]
pathlib.Path(out).write_text("\n".join(lines) + "\n")
