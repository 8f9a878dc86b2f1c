# SPDX-License-Identifier: BSD-3-Clause
"""Puts the program into the wheel: what Meson has built lies in $MANIPLE_BUILD, or in build beside this folder."""
import os
import pathlib
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# What must be there, and what goes along where it is.
PROGRAM = "maniple"
OTHERS = ["maniple-tracegen", "maniple-apps", "maniple-ptxas", "libcuda.so.1", "maniple-openmpi.so", "maniple-mpich.so",
          "python/site/sitecustomize.py"]
LIBRARIES = "libcu*-1?.so"  # the runtime's and the mathematics libraries of each version


class ProgramInWheel(BuildHookInterface):
    def initialize(self, version, build_data):
        if version == "editable":  # takes $MANIPLE, or the program on the path
            return
        build = pathlib.Path(os.environ.get("MANIPLE_BUILD", pathlib.Path(self.root).parent / "build"))
        if not (build / PROGRAM).exists():
            raise FileNotFoundError(f"there is no {PROGRAM} in {build}; build it first (make), or state MANIPLE_BUILD")
        libraries = sorted(path.name for path in build.glob(LIBRARIES))
        for name in [PROGRAM, *libraries] + [name for name in OTHERS if (build / name).exists()]:
            build_data["force_include"][str((build / name).resolve())] = f"maniple/bin/{name}"
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
