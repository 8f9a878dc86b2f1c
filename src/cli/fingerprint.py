#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a header with a hash of all C sources, by which runs of `maniple sweep` and `correlate` are named: results of another
state of the models are never taken for those of this one. Usage: fingerprint.py SOURCES OUT.h DEPENDENCIES"""
import hashlib
import pathlib
import sys

folder, out, dependencies = map(pathlib.Path, sys.argv[1:4])
files = sorted(path for path in folder.rglob("*") if path.suffix in (".c", ".h"))
state = hashlib.blake2b(digest_size=16)
for path in files:
    contents = path.read_bytes()
    state.update(f"{path.relative_to(folder).as_posix()} {len(contents)}\n".encode() + contents)
out.write_text(f'#define MANIPLE_FINGERPRINT "{state.hexdigest()}"\n')
dependencies.write_text(f"{out.name}: {' '.join(str(path).replace(' ', chr(92) + ' ') for path in files)}\n")
