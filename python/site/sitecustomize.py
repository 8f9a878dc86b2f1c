# SPDX-License-Identifier: BSD-3-Clause
"""What every Python that `maniple run` starts does first (docs/python.md). PyTorch is told to do without cuDNN, a closed
library that asks for the identity of NVIDIA's driver: its own kernels take that place. The user's own sitecustomize
comes behind this one."""
import atexit
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import time


def let_threads_rest():
    """A thread of a backward pass that wants Python's lock when Python is at its end aborts the program (until Python 3.14),
    and the results with it. While this sleeps it gets the lock, and goes back to waiting for work."""
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/comm", encoding="utf-8") as name:
                if name.read().startswith("pt_autograd"):
                    time.sleep(0.3)
                    return
        except OSError:
            continue


def settle(torch):
    torch.backends.cudnn.enabled = False
    if hasattr(torch.backends.cuda, "enable_cudnn_sdp"):
        torch.backends.cuda.enable_cudnn_sdp(False)
    atexit.register(let_threads_rest)


class AfterTorch(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds PyTorch as the others do, and settles it once it is there."""

    def find_spec(self, name, path, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec and spec.loader:
            self.loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        settle(module)


def run_next():
    """Of the files of this name on the path, the one that would have been taken without this one."""
    here = os.path.dirname(os.path.abspath(__file__))
    path = [folder for folder in sys.path if os.path.abspath(folder) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if spec and spec.loader:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


sys.meta_path.insert(0, AfterTorch())
run_next()
