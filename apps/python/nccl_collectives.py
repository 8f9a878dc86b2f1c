# SPDX-License-Identifier: BSD-3-Clause
"""NCCL's collectives over one rank, in and out of place, on the simulated GPU: NCCL's wheel holds CUDA's static runtime. Memory,
copies and streams are the driver's, by ctypes."""
import ctypes
import pathlib
import sys

import numpy
import nvidia.nccl

nccl = ctypes.CDLL(str(pathlib.Path(list(nvidia.nccl.__path__)[0]) / "lib" / "libnccl.so.2"))
cuda = ctypes.CDLL("libcuda.so.1")
nccl.ncclGetErrorString.restype = ctypes.c_char_p
failed = []


class Identity(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]


def driver(name, *arguments):
    error = getattr(cuda, name)(*arguments)
    assert error == 0, (name, error)


def call(name, *arguments):
    error = getattr(nccl, name)(*arguments)
    assert error == 0, (name, nccl.ncclGetErrorString(error).decode())


def memory(array):
    """A copy on the device."""
    place = ctypes.c_uint64()
    driver("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(array.nbytes))
    driver("cuMemcpyHtoD_v2", place, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes))
    return place


def fetch(place, like):
    result = numpy.empty_like(like)
    driver("cuMemcpyDtoH_v2", ctypes.c_void_p(result.ctypes.data), place, ctypes.c_size_t(result.nbytes))
    return result


def check(name, work, count, kind="float32", scale=1):
    """A collective over one rank gives what it was given, or the multiple of a reduction with a factor."""
    given = (numpy.random.RandomState(count).randint(-99, 99, count)).astype(kind)
    to = memory(numpy.zeros(count, kind))
    source = memory(given)
    try:
        work(source, to, count)
        driver("cuStreamSynchronize", stream)
        numpy.testing.assert_array_equal(fetch(to, given), given * scale)
    except AssertionError as error:
        failed.append(name)
        print(f"wrong: {name}: {error}")


driver("cuInit", 0)
device, context = ctypes.c_int(), ctypes.c_void_p()
driver("cuDeviceGet", ctypes.byref(device), 0)
driver("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
driver("cuCtxSetCurrent", context)
stream = ctypes.c_void_p()
driver("cuStreamCreate", ctypes.byref(stream), 1)

version = ctypes.c_int()
call("ncclGetVersion", ctypes.byref(version))
identity, communicator = Identity(), ctypes.c_void_p()
nccl.ncclCommInitRank.argtypes = [ctypes.c_void_p, ctypes.c_int, Identity, ctypes.c_int]
call("ncclGetUniqueId", ctypes.byref(identity))
call("ncclCommInitRank", ctypes.byref(communicator), 1, identity, 0)
size = ctypes.c_size_t
SUM, MAX, AVERAGE = 0, 2, 4
KINDS = {"int8": 0, "int32": 2, "int64": 4, "float16": 6, "float32": 7, "float64": 8}


def all_reduce(kind="float32", operation=SUM):
    return lambda source, to, count: call("ncclAllReduce", source, to, size(count), KINDS[kind], operation, communicator, stream)


for kind in KINDS:
    check(f"all-reduce of {kind}", all_reduce(kind), 1000, kind)
check("all-reduce, greatest", all_reduce(operation=MAX), 5000)
check("all-reduce, average", all_reduce(operation=AVERAGE), 100)
check("all-reduce of 300,000", all_reduce(), 300000)
check("broadcast", lambda source, to, count: call("ncclBroadcast", source, to, size(count), 7, 0, communicator, stream), 777)
check("reduce", lambda source, to, count: call("ncclReduce", source, to, size(count), 7, SUM, 0, communicator, stream), 777)
check("all-gather", lambda source, to, count: call("ncclAllGather", source, to, size(count), 7, communicator, stream), 777)
check("reduce-scatter", lambda source, to, count: call("ncclReduceScatter", source, to, size(count), 7, SUM, communicator, stream), 777)
check("all-to-all", lambda source, to, count: call("ncclAlltoAll", source, to, size(count), 7, communicator, stream), 777)


def exchange(source, to, count):
    call("ncclGroupStart")
    call("ncclSend", source, size(count), 7, 0, communicator, stream)
    call("ncclRecv", to, size(count), 7, 0, communicator, stream)
    call("ncclGroupEnd")


check("send and receive", exchange, 777)


def multiplied(source, to, count):
    operation, factor = ctypes.c_int(), ctypes.c_float(3)
    call("ncclRedOpCreatePreMulSum", ctypes.byref(operation), ctypes.byref(factor), 7, 1, communicator)
    call("ncclAllReduce", source, to, size(count), 7, operation, communicator, stream)
    call("ncclRedOpDestroy", operation, communicator)


check("all-reduce with a factor", multiplied, 1234, scale=3)
call("ncclCommFinalize", communicator)
call("ncclCommDestroy", communicator)
print(f"NCCL {version.value}: {len(failed)} checks failed")
print("right" if not failed else "wrong")
sys.exit(1 if failed else 0)
