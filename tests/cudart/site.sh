#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What a Python that `maniple run` starts does first: a stand-in for PyTorch finds cuDNN switched off once it is imported, and
# neither that nor the user's own sitecustomize gets lost. Profilers find a CUPTI that records nothing. Usage: site.sh MANIPLE SANITIZERS
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
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
cat >program.py <<'E2'
import sys, torch, torch.backends
print(torch.backends.cudnn.enabled, torch.backends.cuda.asked, type(torch.__spec__.loader).__name__)
print([type(finder).__name__ for finder in sys.meta_path if type(finder).__name__ == "AfterTorch"])
E2
PYTHONPATH=theirs expect 2 "PyTorch does without cuDNN" '^False \[False\] SourceFileLoader$' $maniple run -q -- python3 program.py
grep -q "^the user's own is run, too$" out
ok $? "a sitecustomize of the user's is run, too"
grep -qx '\[\]' out
ok $? "and nothing stays behind"
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
