#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the PTX that data/ptx keeps, compressed, from the kernels in src/mathlib, src/manycore and apps/gpu: all of it, or the
modules named. Without --check it rebuilds modules whose sources are newer than their PTX.

A kernel's source says how it is compiled, in lines of its own:
  // sm_80             compute capability to compile for (apps/gpu: 2.0 otherwise, src/mathlib: 7.0)
  // nvcc sm_90        by NVIDIA's compiler, because Debian's clang is too old for it or its code is slower
  // target sm_89      compute capability that the PTX states, if another one than it is compiled for
  // version 7.0       version that the PTX states, if another one than the compiler's
  // no fma            products are rounded before they are added to
  // lines             the PTX says which line of the source an instruction is of (nvcc)
"""
import argparse
import concurrent.futures
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOURCES = {"mathlib": "src/mathlib/*/*.cu", "apps": "apps/gpu/*/*.cu", "manycore": "src/manycore/gpu/*.cu",
           "faults": "tests/results/faults/*.cu"}
ROOMS = {"mathlib": "sm_70", "apps": "sm_20", "manycore": "sm_75", "faults": "sm_86"}  # compute capability where a source states none
FOLDERS = [ROOT / "include", ROOT / "src", ROOT / "apps/gpu"]
FLAGS = ["-O3", "-std=c++20", *(f"-I{folder}" for folder in FOLDERS)]
CLANG = ["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-Wall", "-Wextra", "-Wno-unknown-cuda-version",
         "-Wno-pass-failed"]
# A small dictionary, so that unpacking needs little memory.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 20}]


class Module:
    def __init__(self, room, source):
        self.name, self.source = source.stem, source
        self.kept = HERE / room / f"{self.name}.ptx.xz"
        text = source.read_text(encoding="utf-8")
        self.nvcc = self.said(text, "nvcc sm_") is not None
        self.level = self.said(text, "(?:nvcc )?sm_") or ROOMS[room]
        self.target = self.said(text, "target sm_") or self.level
        self.version = self.said(text, "version ")
        self.fma = self.said(text, "no fma") is None
        self.lines = re.search(r"^// lines$", text, re.M) is not None

    @staticmethod
    def said(text, what):
        """The last word of a line that begins so; None: there is none."""
        match = re.search(rf"^// {what}\S*$", text, re.M)
        return match and match[0].split()[-1]

    def read(self):
        """The PTX that is kept; None where there is none yet."""
        return lzma.decompress(self.kept.read_bytes()).decode() if self.kept.exists() else None

    def keep(self, text):
        self.kept.write_bytes(lzma.compress(text.encode(), check=lzma.CHECK_CRC32, filters=FILTERS))

    def command(self):
        if self.nvcc:
            return [nvcc(), "-ptx", f"-arch={self.level}", *FLAGS, "-diag-suppress", "128,550",
                    *([] if self.fma else ["--fmad=false"]), *(["-lineinfo"] if self.lines else []), str(self.source), "-o", "-"]
        return [clang(), *CLANG, f"--cuda-gpu-arch={self.level}", *FLAGS, *([] if self.fma else ["-ffp-contract=off"]),
                "-S", str(self.source), "-o", "-"]

    def build(self):
        """The PTX of the source as it is; None where it does not compile, which the compiler has said."""
        done = subprocess.run(self.command(), stdout=subprocess.PIPE, text=True, check=False)
        return None if done.returncode else tidy(done.stdout, self.target, self.version)

    def stale(self):
        seen, left = set(), [self.source]
        while left:
            path = left.pop()
            seen.add(path)
            for name in re.findall(r'^\s*#\s*include "(.*)"', path.read_text(encoding="utf-8"), re.M):
                found = next((folder / name for folder in FOLDERS if (folder / name).exists()), None)
                if found and found not in seen:
                    left.append(found)
        return not self.kept.exists() or max(path.stat().st_mtime for path in seen) > self.kept.stat().st_mtime


def tidy(text, target, version):
    """Without comments, empty lines and hints of newer versions; internal names that nvcc draws from a path are made plain."""
    text = re.sub(r"^[ \t]*//.*\n|^\n|^.*used_bytes_mask.*\n", "", text, flags=re.M)
    text = re.sub(rf'^(\s*\.file\s+\d+ "){re.escape(str(ROOT))}/', r"\1", text, flags=re.M)
    text = re.sub(r"_ZN\d*_INTERNAL_[0-9a-f]*_\d*_\w*?_cu_[0-9a-f]*", "_ZN6kernel", text)
    text = re.sub(r"_ZZN\d*_INTERNAL_[0-9a-f]*_\d*_\w*?_cu_[0-9a-f]{8}", "_ZZN6kernel", text)  # variables of functions
    text = re.sub(r"(73,78,84,69,82,78,65,76,95,)(?:\d+,){8}", r"\g<1>" + "48," * 8, text)  # INTERNAL_, in tables of lines
    text = re.sub(r"^\.target sm_\w+", f".target {target}", text, flags=re.M)
    return re.sub(r"^\.version .*", f".version {version}", text, flags=re.M) if version else text


def clang():
    """Debian's clang 14 with its back-end for GPUs; None: there is none."""
    for name in ("clang-14", "clang"):
        path = shutil.which(name)
        if path and " 14." in subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout and \
                "nvptx64" in subprocess.run([path, "-print-targets"], capture_output=True, text=True, check=False).stdout:
            return path
    return None


def nvcc():
    path = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    return path if os.access(path, os.X_OK) else None


def modules():
    found = [Module(room, path) for room, pattern in SOURCES.items() for path in sorted(ROOT.glob(pattern))]
    return {module.name: module for module in found}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", action="store_true", help="build elsewhere and say which modules differ")
    options.add_argument("--all", action="store_true", help="also modules whose sources are not newer")
    options.add_argument("--maker", choices=["clang", "nvcc"], help="only modules of this compiler")
    options.add_argument("--list", action="store_true", help="print modules, their compilers and targets")
    options.add_argument("--show", action="store_true", help="print the PTX that is kept")
    options.add_argument("names", nargs="*", metavar="MODULE")
    arguments = options.parse_args()
    known = modules()
    unknown = [name for name in arguments.names if name not in known]
    if unknown:
        sys.exit(f"build.py: no kernels are named {', '.join(unknown)}; --list prints the names")
    wanted = [known[name] for name in arguments.names or sorted(known)]
    wanted = [m for m in wanted if not arguments.maker or m.nvcc == (arguments.maker == "nvcc")]
    if arguments.list or arguments.show:
        for module in wanted:
            print(module.read() if arguments.show else f"{module.name} {'nvcc' if module.nvcc else 'clang'} {module.target}",
                  end="" if arguments.show else "\n")
        return 0
    if not arguments.check and not arguments.all and not arguments.names:
        wanted = [m for m in wanted if m.stale()]
    for maker, path in (("clang 14 with NVPTX (apt install clang-14)", clang()), ("nvcc", nvcc())):
        absent = [] if path else [m for m in wanted if m.nvcc == (maker == "nvcc")]
        if absent:
            print(f"no {maker}: {', '.join(m.name for m in absent)} not built")
        wanted = [m for m in wanted if m not in absent]
    differ = broken = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for module, text in zip(wanted, pool.map(Module.build, wanted)):
            same = text == module.read()
            differ += not same
            if not same:
                print(f"{module.name}: " + ("does not compile" if text is None else
                                            "differs from what is kept" if arguments.check else "new"))
            if arguments.check or text is None:
                broken += text is None
                continue
            if same:
                module.kept.touch()
            else:
                module.keep(text)
    if arguments.check:
        print(f"{len(wanted) - differ} of {len(wanted)} modules are what is kept")
    return 1 if broken or (arguments.check and differ) else 0


sys.exit(main())
