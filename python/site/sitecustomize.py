# SPDX-License-Identifier: BSD-3-Clause
"""What every Python that `maniple run` starts does first (docs/python.md). PyTorch is told to do without cuDNN, of which
the drop-in library has convolutions alone: its own kernels take that place, unless MANIPLE_CUDNN=1 is set. The user's own
sitecustomize comes behind this one."""
import atexit
import importlib.abc
import importlib.machinery
import importlib.util
import os
import signal
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


def runtime_takes(signum):
    """Whether a signal is left to the runtime: the process has a handler that is not Python's."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        caught = next((line.split()[1] for line in status if line.startswith("SigCgt:")), "0")
    return signal.getsignal(signum) == signal.SIG_DFL and int(caught, 16) >> (signum - 1) & 1


def end_by_interrupt(before):
    """Python ends by SIGINT itself behind an exception of Ctrl-C that nobody has caught, and the results would be lost: the
    runtime ends the run in its place, with partial results. `before`: what prints the exception."""
    def told(kind, value, trace):
        before(kind, value, trace)
        if issubclass(kind, KeyboardInterrupt) and runtime_takes(signal.SIGTERM):
            sys.stdout.flush()
            sys.stderr.flush()
            os.kill(os.getpid(), signal.SIGTERM)
            while True:
                time.sleep(60)  # the runtime ends the process when the results are written

    return told


def settle_torch(torch):
    if os.environ.get("MANIPLE_CUDNN", "") in ("", "0"):
        torch.backends.cudnn.enabled = False
    if hasattr(torch.backends.cuda, "enable_cudnn_sdp"):
        torch.backends.cuda.enable_cudnn_sdp(False)
    atexit.register(let_threads_rest)


def settle_inductor(config):
    """`config`: torch._inductor.config. Its compiler measures variants of kernels, and products with padding, hundreds of
    times each, all of which would be simulated. What the environment or the program says stands."""
    for owner, name in ((getattr(config, "triton", None), "autotune_pointwise"), (config, "shape_padding")):
        if hasattr(owner, name) and f"TORCHINDUCTOR_{name.upper()}" not in os.environ:
            setattr(owner, name, False)


def settle_jax(hardware):
    """`hardware`: jax._src.hardware_utils, which looks for device files of NVIDIA's kernel module. A check of versions asks
    CUPTI, another closed library, and is left out; choices of kernels by their measured times are, too: each of them would
    be simulated. The first collective of several devices loads all of NCCL's kernels, for which XLA's limit of 40 seconds
    is too short."""
    hardware.has_visible_nvidia_gpu = lambda: True
    os.environ.setdefault("JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "1")
    flags = os.environ.get("XLA_FLAGS", "")
    first = "xla_gpu_first_collective_call"
    for name, value in (("xla_gpu_autotune_level", 0), (f"{first}_warn_stuck_timeout_seconds", 3600),
                        (f"{first}_terminate_timeout_seconds", 7200)):
        if name not in flags:
            flags = f"{flags} --{name}={value}"
    os.environ["XLA_FLAGS"] = flags.strip()


def settle_triton_build(build):
    """`build`: triton.common.build, which before Triton 2.2 asks ldconfig alone where the driver lies."""
    folder = os.environ.get("TRITON_LIBCUDA_PATH")
    if folder:
        build.libcuda_dirs = lambda: [folder]


def own_ptxas_release():
    """The release of the ptxas in Triton's wheel."""
    import re  # few programs come here
    import subprocess
    folder = os.path.dirname(importlib.util.find_spec("triton").origin)
    for place in ("third_party/cuda/bin/ptxas", "backends/nvidia/bin/ptxas"):
        path = os.path.join(folder, place)
        if os.path.exists(path):
            said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
            found = re.search(r"release (\d+\.\d+)", said)
            if found:
                return found[1]
    return "12.0"


def settle_triton_compiler(compiler):
    """`compiler`: the module with ptx_get_version. Before Triton 3.5 it does not know the release of CUDA that the stand-in
    for ptxas states; it is given that of its own ptxas then."""
    ask = getattr(compiler, "ptx_get_version", None)

    def known(release):
        try:
            return ask(release)
        except RuntimeError:
            return ask(own_ptxas_release())

    if ask:
        compiler.ptx_get_version = known


def runtime(name):
    """A function that Maniple's driver has beside CUDA's; None: there is none."""
    import ctypes  # few programs come here
    try:
        return getattr(ctypes.CDLL("libcuda.so.1"), name, None)
    except OSError:
        return None


def note(text):
    """A warning in the results of the run."""
    function = runtime("maniple_note")
    if function:
        function(text.encode())
    else:
        print(f"maniple: warning: {text}", file=sys.stderr)


def simulated_time(work, grad_to_none=None, quantiles=None, return_mode="mean"):
    """The device's milliseconds for one run of `work`, after one that fills the caches: simulated time does not vary. The
    host's calls take no time meanwhile, as they would hide kernels that are shorter. In the form in which
    triton.testing.do_bench returns times."""
    import torch  # the program has it
    work()
    for tensor in grad_to_none or ():
        tensor.grad = None
    events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    torch.cuda.synchronize()
    hold = runtime("maniple_hold_host") or (lambda held: None)
    hold(1)
    try:
        events[0].record()
        work()
        events[1].record()
    finally:
        hold(0)
    torch.cuda.synchronize()
    taken = events[0].elapsed_time(events[1])
    if quantiles:
        return [taken] * len(quantiles) if len(quantiles) > 1 else taken
    return [taken] if return_mode == "all" else taken


def settle_triton_testing(testing):
    """`testing`: triton.testing, by whose do_bench @triton.autotune measures configurations: each runs for 100 ms or more,
    and 256 MB are cleared before each repetition, all of which would be simulated. MANIPLE_DO_BENCH=1 leaves it alone, and
    do_bench of the program's own stands."""
    if os.environ.get("MANIPLE_DO_BENCH", "") not in ("", "0"):
        return

    def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, fast_flush=True, return_mode="mean", **_):
        note("triton.testing.do_bench, which @triton.autotune uses, has taken one run of each kernel with warm caches in place "
             "of hundreds with cold ones (MANIPLE_DO_BENCH=1: as Triton has it)")
        return simulated_time(fn, grad_to_none, quantiles, return_mode)

    def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean", **_):
        return do_bench(fn, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)

    for name, function in (("do_bench", do_bench), ("do_bench_cudagraph", do_bench_cudagraph)):
        if hasattr(testing, name):
            setattr(testing, name, function)


class After(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a module as the others do, and settles it once it is there."""

    def __init__(self, name, settle):
        self.name, self.settle = name, settle

    def find_spec(self, name, path, target=None):
        if name != self.name:
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
        self.settle(module)


def run_next():
    """Of the files of this name on the path, the one that would have been taken without this one."""
    here = os.path.dirname(os.path.abspath(__file__))
    path = [folder for folder in sys.path if os.path.abspath(folder) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if spec and spec.loader:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


TRITON_COMPILERS = ("triton.compiler.compiler", "triton.compiler.backends.cuda", "triton.backends.nvidia.compiler")
sys.meta_path[:0] = [After("torch", settle_torch), After("torch._inductor.config", settle_inductor),
                     After("triton.common.build", settle_triton_build), After("triton.testing", settle_triton_testing),
                     *(After(name, settle_triton_compiler) for name in TRITON_COMPILERS),
                     After("jax._src.hardware_utils", settle_jax)]
sys.excepthook = end_by_interrupt(sys.excepthook)
run_next()
