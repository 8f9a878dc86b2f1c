#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What a Python that `maniple run` starts does first: a stand-in for PyTorch finds cuDNN switched off once it is imported, and
# neither that nor the user's own sitecustomize gets lost. Profilers find a CUPTI that records nothing. Usage: site.sh MANIPLE SANITIZERS
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
python=$(realpath "$(dirname "$0")/../../python")
if ! maniple=$(sanitize "$maniple" "$2"); then
    skip "what a Python does first" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1

mkdir -p theirs/torch/backends plain
echo 'print("the user'"'"'s own is run, too")' >theirs/sitecustomize.py
echo 'import torch.backends' >theirs/torch/__init__.py
cat >theirs/torch/backends/__init__.py <<'E2'
class cudnn:
    enabled = True


class cuda:
    asked = []

    @staticmethod
    def enable_cudnn_sdp(on):
        cuda.asked.append(on)
E2
mkdir theirs/torch/_inductor
touch theirs/torch/_inductor/__init__.py
printf 'class triton:\n    autotune_pointwise = True\n\n\nshape_padding = True\n' >theirs/torch/_inductor/config.py
cat >compile.py <<'E2'
from torch._inductor import config
print(config.triton.autotune_pointwise, config.shape_padding)
E2
PYTHONPATH=theirs expect 2 "its compiler measures no kernels" '^False False$' $maniple run -q -- python3 compile.py
PYTHONPATH=theirs TORCHINDUCTOR_SHAPE_PADDING=1 expect 2 "unless it is told to" '^False True$' $maniple run -q -- python3 compile.py
cat >program.py <<'E2'
import sys, torch, torch.backends
print(torch.backends.cudnn.enabled, torch.backends.cuda.asked, type(torch.__spec__.loader).__name__)
print([finder.name for finder in sys.meta_path if type(finder).__name__ == "After" and finder.name == "torch"])
E2
PYTHONPATH=theirs expect 2 "PyTorch does without cuDNN" '^False \[False\] SourceFileLoader$' $maniple run -q -- python3 program.py
grep -q "^the user's own is run, too$" out
ok $? "a sitecustomize of the user's is run, too"
grep -qx '\[\]' out
ok $? "and nothing stays behind"

# A Triton of 2023: it asks ldconfig for the driver, and does not know CUDA 13; its own ptxas states what it knows.
mkdir -p old/triton/{common,compiler,third_party/cuda/bin}
touch old/triton/{,common/,compiler/}__init__.py
printf 'def libcuda_dirs():\n    raise AssertionError("libcuda.so cannot found!")\n' >old/triton/common/build.py
cat >old/triton/compiler/compiler.py <<'E2'
def ptx_get_version(release):
    major, minor = map(int, release.split("."))
    if major == 12:
        return 80 + minor
    raise RuntimeError("Triton only support CUDA 10.0 or higher")
E2
printf '#!/bin/sh\necho "Cuda compilation tools, release 12.1, V12.1.105"\n' >old/triton/third_party/cuda/bin/ptxas
chmod +x old/triton/third_party/cuda/bin/ptxas
cat >triton.py.txt <<'E2'
import os
from triton.common import build
from triton.compiler import compiler
print(os.path.exists(build.libcuda_dirs()[0] + "/libcuda.so"), compiler.ptx_get_version("12.4"), compiler.ptx_get_version("13.0"))
E2
PYTHONPATH=old expect 2 "an old Triton finds the driver, and a release that it knows" '^True 84 81$' $maniple run -q -- python3 triton.py.txt

# Triton's do_bench, with a stand-in for PyTorch's events.
mkdir -p bench/triton bench/torch
touch bench/triton/__init__.py
echo 'def do_bench(fn, **words):
    return "hundreds of runs"' >bench/triton/testing.py
cat >bench/torch/__init__.py <<'E2'
class cuda:
    class Event:
        times = []

        def __init__(self, enable_timing):
            pass

        def record(self):
            self.times.append(len(made))

        def elapsed_time(self, other):
            return float(len(self.times))

    synchronize = int


made = []
class backends:
    class cudnn:
        pass
    class cuda:
        pass
E2
cat >bench.py <<'E2'
import torch
from triton.testing import do_bench
print(do_bench(lambda: torch.made.append(1)), torch.cuda.Event.times, len(torch.made))
if not isinstance(do_bench(int), str):
    print(do_bench(int, quantiles=(0.5, 0.2)), do_bench(int, quantiles=(0.5,)), do_bench(int, return_mode="all"))
E2
PYTHONPATH=bench expect 0 "do_bench makes two runs, and times one" '^2.0 \[1, 2\] 2$' $maniple run -q -- python3 bench.py
grep -qx '\[6.0, 6.0\] 8.0 \[10.0\]' out
ok $? "in the forms of Triton's"
PYTHONPATH=bench MANIPLE_DO_BENCH=1 expect 2 "unless it is told not to" '^hundreds of runs \[\] 0$' $maniple run -q -- python3 bench.py

# Both do_bench measure the device, and not the host's calls, which take longer here than any of the kernels.
mkdir -p short/torch short/triton
touch short/numpy.py short/triton/__init__.py # maniple.arrays wants no more of numpy here
echo 'do_bench = None' >short/triton/testing.py
cat >short/torch/__init__.py <<'E2'
import ctypes
driver = ctypes.CDLL("libcuda.so.1")


class cuda:
    class Event:
        def __init__(self, enable_timing):
            self.event = ctypes.c_void_p()
            driver.cuEventCreate(ctypes.byref(self.event), 0)

        def record(self):
            driver.cuEventRecord(self.event, None)

        def elapsed_time(self, other):
            taken = ctypes.c_float()
            assert driver.cuEventElapsedTime_v2(ctypes.byref(taken), self.event, other.event) == 0
            return taken.value

    @staticmethod
    def synchronize():
        driver.cuCtxSynchronize()


class backends:
    class cudnn:
        pass
    class cuda:
        pass
E2
cat >short.py <<'E2'
import ctypes, torch
from maniple import arrays
from triton.testing import do_bench
driver = arrays.driver()
ptx = b""".version 7.0
.target sm_50
.address_size 64
.visible .entry spin(.param .u32 rounds)
{
.reg .u32 %r<3>;
.reg .pred %p;
ld.param.u32 %r1, [rounds];
mov.u32 %r2, 0;
again:
add.u32 %r2, %r2, 1;
setp.lt.u32 %p, %r2, %r1;
@%p bra again;
ret;
}
"""
module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
arrays.call("cuModuleLoadData", ctypes.byref(module), ptx)
arrays.call("cuModuleGetFunction", ctypes.byref(kernel), module, b"spin")


def spin(rounds):
    value = ctypes.c_uint(rounds)
    arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.pointer(value), ctypes.c_void_p))
    for _ in range(5):
        driver.cuCtxGetDevice(ctypes.byref(ctypes.c_int()))  # a call that takes the host's time
    arrays.call("cuLaunchKernel", kernel, 1, 1, 1, 32, 1, 1, 0, None, arguments, None)


print(*(measure(lambda: spin(rounds)) for measure in (arrays.do_bench, do_bench) for rounds in (90, 10, 50)))
E2
PYTHONPATH=short:$python expect 0 "do_bench of kernels shorter than the host's calls" '^0\.' \
    $maniple run -q --set host.call=100000 -o short.out -- python3 short.py
python3 - >told 2>&1 <<'E2'
import json
kernels = json.load(open("short.out/results.json"))["kernels"]
cycles = [kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in kernels][1::2]
times = [float(word) for word in next(line for line in open("out") if line[:2] == "0.").split()]
order = [sorted(range(3), key=lambda i: of[i]) for of in (cycles[:3], cycles[3:], times[:3], times[3:])]
assert order == [[1, 2, 0]] * 4, order
rates = [cycle / time for cycle, time in zip(cycles, times)]  # cycles of a millisecond
assert max(rates) < 1.1 * min(rates), rates
E2
ok $? "measures the kernels" "$(cat told)"

echo 'import sys
sys.path = [folder for folder in sys.path if "packages" not in folder]
try:
    import torch
except ModuleNotFoundError as error:
    print(error)' >without.py
cat >profile.py <<'E2'
import ctypes, sys
for name in sys.argv[1:]:
    cupti = ctypes.CDLL(name)
    version, text, record, size = ctypes.c_uint32(), ctypes.c_char_p(), ctypes.c_void_p(1), ctypes.c_size_t(1)
    subscriber = ctypes.c_void_p()
    status = [cupti.cuptiGetVersion(ctypes.byref(version)), cupti.cuptiSubscribe(ctypes.byref(subscriber), None, None),
              cupti.cuptiActivityEnable(3), cupti.cuptiActivityGetNextRecord(None, size, ctypes.byref(record)),
              cupti.cuptiActivityFlushAll(0), cupti.cuptiFinalize()]
    cupti.cuptiGetResultString(status[1], ctypes.byref(text))
    print(version.value, status, record.value, text.value.decode())
E2
expect 0 "CUPTI of CUDA 13" '^130001 \[0, 27, 27, 12, 0, 0\] None CUPTI_ERROR_NOT_SUPPORTED$' \
    $maniple run -q -- python3 profile.py /elsewhere/libcupti.so.13 /elsewhere/libcupti.so
[ "$(grep -c '^maniple: warning: .*CUPTI records nothing of the simulated device' out)" = 1 ]
ok $? "it is said once that nothing is recorded"
expect 0 "CUPTI of CUDA 12" '^26 \[0, 27, 27, 12, 0, 0\] None CUPTI_ERROR_NOT_SUPPORTED$' $maniple run -q -- python3 profile.py libcupti.so.12
PYTHONPATH=plain expect 2 "without PyTorch" "^No module named 'torch'$" $maniple run -q -- python3 without.py
tap_end
