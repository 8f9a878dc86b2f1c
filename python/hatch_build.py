# SPDX-License-Identifier: BSD-3-Clause
"""Puts the program into the wheel: all that `make install` would install from $MANIPLE_BUILD, or from build beside this folder.
Programs and their libraries lie together in maniple/bin, where they find one another; what people copy from (machine files, the
guest's library, programs of the coprocessor, studies) in maniple/share; licences of libraries that auditwheel adds in
maniple/licences."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sysconfig
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PROGRAM = "maniple"
LEFT_OUT = ("/include/", "/pkgconfig/", "/share/man/", "/share/doc/", "/completion", "/vendor_completions", "/site-functions")


def places(build: pathlib.Path) -> dict[str, str]:
    """{file: its place in the wheel}, from Meson's list of what it installs."""
    found = {}
    for file, target in json.loads((build / "meson-info/intro-installed.json").read_text()).items():
        path = pathlib.Path(file)
        if not path.is_absolute() or any(part in target for part in LEFT_OUT) or target.endswith(".a"):
            continue
        if path.is_dir():  # installed as a whole
            inside = {str(each): f"{target}/{each.relative_to(path)}" for each in path.rglob("*") if each.is_file()}
        else:
            inside = {file: target}
        for each, to in inside.items():
            if "/share/maniple/" in to:
                found[each] = "maniple/share/" + to.split("/share/maniple/", 1)[1]
            elif "/maniple/" in to:  # the folder of libraries
                found[each] = "maniple/bin/" + to.split("/maniple/", 1)[1]
            elif "/bin/" in to:
                found[each] = "maniple/bin/" + pathlib.Path(to).name
    return found


def licences(files: list[str]) -> dict[str, str]:
    """{file: its place}: Debian's files of copyright of the libraries that these programs load. None on other systems."""
    found: dict[str, str] = {}
    if not shutil.which("dpkg-query"):
        return found
    libraries: set[str] = set()
    for file in files:
        done = subprocess.run(["ldd", file], capture_output=True, text=True, check=False)
        libraries |= {os.path.realpath(line.split("=> ")[1].split(" ")[0]) for line in done.stdout.splitlines()
                      if "=> /" in line}
    for library in sorted(libraries):
        for name in (library, library.removeprefix("/usr")):
            done = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True, check=False)
            package = done.stdout.split(":")[0]
            notice = f"/usr/share/doc/{package}/copyright"
            if done.returncode == 0 and os.path.exists(notice):
                if package != "libc6":
                    found[os.path.realpath(notice)] = f"maniple/licences/{package}.txt"
                break
    return found


class ProgramInWheel(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # takes $MANIPLE, or the program on the path
            return
        build = pathlib.Path(os.environ.get("MANIPLE_BUILD", pathlib.Path(self.root).parent / "build"))
        if not (build / PROGRAM).exists():
            raise FileNotFoundError(f"there is no {PROGRAM} in {build}; build it first (make), or state MANIPLE_BUILD")
        files = places(build)
        missing = [file for file in files if not os.path.exists(file)]
        if missing:
            raise FileNotFoundError(f"{missing[0]} is not built; build all of it first (make)")
        # MPI's libraries are left to the host.
        programs = [file for file, place in files.items()
                    if place.startswith("maniple/bin/") and not file.endswith(("maniple-mpich.so", "maniple-openmpi.so"))]
        build_data["force_include"].update({**files, **licences(programs)})
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
