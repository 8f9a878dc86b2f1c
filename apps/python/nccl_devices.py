# SPDX-License-Identifier: BSD-3-Clause
"""NCCL's collectives over all GPUs of one process (ncclCommInitAll): every rank gets the answer that numpy gives. Memory,
copies and streams are the driver's, by ctypes. Arguments: parts of the names of checks; none: all of them."""
import ctypes
import pathlib
import sys

import numpy
import nvidia.nccl

nccl = ctypes.CDLL(str(pathlib.Path(list(nvidia.nccl.__path__)[0]) / "lib" / "libnccl.so.2"))
cuda = ctypes.CDLL("libcuda.so.1")
nccl.ncclGetErrorString.restype = ctypes.c_char_p
size = ctypes.c_size_t
SUM, PRODUCT, MAX, MIN, AVERAGE = range(5)
KINDS = {"int8": 0, "int32": 2, "int64": 4, "float16": 6, "float32": 7, "float64": 8}
failed, made, wanted = [], [], sys.argv[1:]


def driver(name, *arguments):
    error = getattr(cuda, name)(*arguments)
    assert error == 0, (name, error)


def call(name, *arguments):
    error = getattr(nccl, name)(*arguments)
    assert error == 0, (name, nccl.ncclGetErrorString(error).decode())


class Rank:
    """A device with its context, stream and communicator."""

    def __init__(self, number):
        device, self.number = ctypes.c_int(), number
        self.context, self.stream, self.communicator = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        driver("cuDeviceGet", ctypes.byref(device), number)
        driver("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), device)
        self.use()
        driver("cuStreamCreate", ctypes.byref(self.stream), 1)

    def use(self):
        driver("cuCtxSetCurrent", self.context)

    def memory(self, array):
        """A copy on the device."""
        self.use()
        place = ctypes.c_uint64()
        driver("cuMemAlloc_v2", ctypes.byref(place), size(max(array.nbytes, 1)))
        driver("cuMemcpyHtoD_v2", place, ctypes.c_void_p(array.ctypes.data), size(array.nbytes))
        return place

    def fetch(self, place, like):
        self.use()
        driver("cuStreamSynchronize", self.stream)
        result = numpy.empty_like(like)
        driver("cuMemcpyDtoH_v2", ctypes.c_void_p(result.ctypes.data), place, size(result.nbytes))
        return result


def check(name, work, answers, given, into):
    """`work` is called for each rank in a group; `answers`: what each rank has then, from what all have given."""
    if wanted and not any(part in name for part in wanted):
        return
    made.append(name)
    sources = [rank.memory(array) for rank, array in zip(ranks, given)]
    places = [rank.memory(numpy.zeros(into, given[0].dtype)) for rank in ranks]
    call("ncclGroupStart")
    for rank, source, to in zip(ranks, sources, places):
        work(rank, source, to)
    call("ncclGroupEnd")
    for rank, to, answer in zip(ranks, places, answers):
        if answer is None:
            continue
        got = rank.fetch(to, answer)
        if not numpy.array_equal(got, answer):
            wrong = numpy.flatnonzero(got != answer)
            failed.append(name)
            print(f"wrong: {name}, rank {rank.number}: {len(wrong)} of {answer.size}, at {wrong[0]}: {got.flat[wrong[0]]}, "
                  f"not {answer.flat[wrong[0]]}")
    print(f"{name}: {'wrong' if name in failed else 'right'}", flush=True)


def numbers(count, kind, most=9):
    return [(numpy.random.RandomState(count + i).randint(-most, most + 1, count)).astype(kind) for i in range(len(ranks))]


count = ctypes.c_int()
driver("cuInit", 0)
driver("cuDeviceGetCount", ctypes.byref(count))
ranks = [Rank(i) for i in range(count.value)]
communicators = (ctypes.c_void_p * len(ranks))()
call("ncclCommInitAll", communicators, len(ranks), None)
for rank, communicator in zip(ranks, communicators):
    rank.communicator = ctypes.c_void_p(communicator)


def reduce_all(kind, length, operation=SUM):
    given = numbers(length, kind)
    answer = {SUM: numpy.add, MAX: numpy.maximum, MIN: numpy.minimum}[operation].reduce(given).astype(kind)
    name = {SUM: "", MAX: ", greatest", MIN: ", least"}[operation]
    check(f"all-reduce of {length} {kind}{name}",
          lambda rank, source, to: call("ncclAllReduce", source, to, size(length), KINDS[kind], operation, rank.communicator,
                                        rank.stream), [answer] * len(ranks), given, length)


for kind in KINDS:
    reduce_all(kind, 1000)
reduce_all("float32", 1000, MAX)
reduce_all("int32", 777, MIN)
reduce_all("float32", 1)
reduce_all("float32", 100000)

N, each = len(ranks), 500
given = numbers(each, "float32")
check("all-gather", lambda rank, source, to: call("ncclAllGather", source, to, size(each), 7, rank.communicator, rank.stream),
      [numpy.concatenate(given)] * N, given, each * N)
check("broadcast", lambda rank, source, to: call("ncclBroadcast", source, to, size(each), 7, N - 1, rank.communicator, rank.stream),
      [given[N - 1]] * N, given, each)
check("reduce", lambda rank, source, to: call("ncclReduce", source, to, size(each), 7, SUM, 0, rank.communicator, rank.stream),
      [numpy.add.reduce(given)] + [None] * (N - 1), given, each)
given = numbers(each * N, "float32")
parts = numpy.add.reduce(given).reshape(N, each)
check("reduce-scatter",
      lambda rank, source, to: call("ncclReduceScatter", source, to, size(each), 7, SUM, rank.communicator, rank.stream),
      list(parts), given, each)
check("all-to-all", lambda rank, source, to: call("ncclAlltoAll", source, to, size(each), 7, rank.communicator, rank.stream),
      [numpy.concatenate([array.reshape(N, each)[i] for array in given]) for i in range(N)], given, each * N)


def pass_on(rank, source, to):
    call("ncclSend", source, size(each), 7, (rank.number + 1) % N, rank.communicator, rank.stream)
    call("ncclRecv", to, size(each), 7, (rank.number - 1) % N, rank.communicator, rank.stream)


given = numbers(each, "float32")
check("send and receive", pass_on, [given[i - 1] for i in range(N)], given, each)
for rank in ranks:
    call("ncclCommDestroy", rank.communicator)
print(f"{N} GPUs: {len(failed)} of {len(made)} checks failed")
print("right" if made and not failed else "wrong")
sys.exit(0 if made and not failed else 1)
