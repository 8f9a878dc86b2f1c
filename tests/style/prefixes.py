#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every function and table of src/ that other files can link to begins with the prefix of its room: the reader of a call
knows where to look. The longest folder of PREFIXES that a file lies below decides. prefixes.txt lists exceptions, one
name per line; --list prints the offenders as NAME FILE:LINE."""
import pathlib
import re
import sys

import c_source

HERE = pathlib.Path(__file__).resolve().parent
PREFIXES = {
    "base": "mnp_",
    "engine": "mnp_",
    "parts": "mnp_",
    "contract": "mnp_",
    "gpu": "gpu_",
    "gpu/sm": "sm_",
    "gpu/dispatch": "dispatch_",
    "manycore": "manycore_",
    "isa": "isa_",
    "execute": "execute_",
    "frontend/sass_trace": "trace_",
    "frontend/mtrace": "mtrace_",
    "frontend/shared": "shared_",
    "frontend/ptx": "ptx_",
    "frontend/sass": "sass_",
    "frontend/cuda": "fatbin_",
    "frontend/a32": "a32_",
    "results": "results_",
    "offload": "offload_",
    "plugin": "plugin_",
    # What programs link against has NVIDIA's names.
    "cudart": "cudart_|maniple_1[123]_cuda|(__)?cuda[A-Z]|cu[A-Z]|__cuda|__nv|InitializeInjectionNvtx2$",
    "mathlib": "mathlib_|cublas|cudnn|cufft|curand|cusolver|cusparse",
    "mathlib/ampere": "blas_",
    "mathlib/blas": "blas_|cublas",
    "mathlib/dnn": "dnn_|cudnn",
    "mathlib/fft": "fft_|cufft",
    "mathlib/lt": "lt_|cublasLt",
    "mathlib/rand": "rand_|curand",
    "mathlib/solver": "solver_|cusolver",
    "mathlib/sparse": "sparse_|cusparse",
    "redirect": "redirect_|la_[a-z]+$",  # the dynamic linker's names
    "standin": "nvml|cupti",
    "library": "library_|maniple_[a-z]",
    "cli": "cli_|main$",
}


def prefix(path):
    """The pattern for a file below src/, or None where the table has no room for it."""
    folder = pathlib.PurePath(path).parent
    while str(folder) != ".":
        if str(folder) in PREFIXES:
            return PREFIXES[str(folder)]
        folder = folder.parent
    return None


def offenders(root):
    """(room, name, file:line) of every visible name without its room's prefix."""
    for path, source in c_source.read(root).items():
        if path.endswith(".h"):
            continue
        inside = str(pathlib.PurePath(path).relative_to(root))
        pattern = prefix(inside)
        for name, line in source.visible():
            if name.isupper():
                continue  # a macro that writes functions
            if pattern is None or not re.match(pattern, name):
                yield c_source.room(path), name, f"{inside}:{line}"


def main():
    root = HERE.parent.parent / "src"
    found = list(offenders(root))
    if sys.argv[1:] == ["--list"]:
        for _, name, place in found:
            print(name, place)
        return
    allowed = {line.strip() for line in (HERE / "prefixes.txt").read_text().splitlines() if not line.startswith("#")}
    rooms = sorted({c_source.room(path) for path in c_source.read(root)})
    print(f"1..{len(rooms) + 1}")
    failed = 0
    for count, room in enumerate(rooms, 1):
        bad = [f"{name} ({place})" for where, name, place in found if where == room and name not in allowed]
        failed += bool(bad)
        print(f"{'not ok' if bad else 'ok'} {count} - names of {room} that other files see have its prefix")
        for line in bad:
            print(f"# {line}")
    stale = sorted(allowed - {name for _, name, _ in found} - {""})
    failed += bool(stale)
    print(f"{'not ok' if stale else 'ok'} {len(rooms) + 1} - every exception of prefixes.txt is there and needed")
    for name in stale:
        print(f"# {name}")
    sys.exit(failed > 0)


main()
