# SPDX-License-Identifier: BSD-3-Clause
"""Launches of PyTorch's operators in single precision, as bench/pytorch_launches.py asks for them: pytorch_captured.py ROWS.
A line of ROWS is "operator batch rows cols reduced width". Each operator is captured into a CUDA graph, whose nodes say which kernels are
launched and how; nothing is executed, so that rows of any size take no time. Prints for each row a line of JSON: [name, grid, block] of each
launch. A `u` behind an operator's name: its second operand is a scalar."""
import ctypes
import json
import sys

import torch

RELAXED = 2


class Dimensions(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]

    def __str__(self):
        return f"{self.x}x{self.y}x{self.z}"


class KernelNode(ctypes.Structure):
    """cudaKernelNodeParams."""
    _fields_ = [("function", ctypes.c_void_p), ("grid", Dimensions), ("block", Dimensions), ("shared", ctypes.c_uint),
                ("arguments", ctypes.c_void_p), ("extra", ctypes.c_void_p)]


runtime = ctypes.CDLL("libcudart.so.12")


def check(status):
    if status:
        sys.exit(f"pytorch_captured.py: the runtime returned {status}")


def captured(stream, call):
    """Launches of a call."""
    graph, count = ctypes.c_void_p(), ctypes.c_size_t()
    with torch.cuda.stream(stream), torch.no_grad():
        check(runtime.cudaStreamBeginCapture(ctypes.c_void_p(stream.cuda_stream), RELAXED))
        call()
        check(runtime.cudaStreamEndCapture(ctypes.c_void_p(stream.cuda_stream), ctypes.byref(graph)))
    check(runtime.cudaGraphGetNodes(graph, None, ctypes.byref(count)))
    nodes = (ctypes.c_void_p * count.value)()
    check(runtime.cudaGraphGetNodes(graph, nodes, ctypes.byref(count)))
    launches = []
    for node in nodes:
        kernel, name = KernelNode(), ctypes.c_char_p()
        check(runtime.cudaGraphKernelNodeGetParams(ctypes.c_void_p(node), ctypes.byref(kernel)))
        check(runtime.cudaFuncGetName(ctypes.byref(name), ctypes.c_void_p(kernel.function)))
        launches.append([name.value.decode(), str(kernel.grid), str(kernel.block)])
    check(runtime.cudaGraphDestroy(graph))
    return launches


def empty(*shape):
    return torch.empty(*shape, device="cuda")


def call_of(op, batch, rows, cols, reduced, width):
    """A call of an operator, whose operands are there."""
    scalar = 0.7
    if op == "bmm":
        a, b = empty(batch, rows, reduced), empty(batch, reduced, cols)
        return lambda: torch.bmm(a, b)
    if op == "linear":
        x, w, bias = empty(batch, rows, reduced), empty(cols, reduced), empty(cols)
        return lambda: torch.nn.functional.linear(x, w, bias)
    x = empty(batch, width)
    if op == "ln":
        w, bias = empty(width), empty(width)
        return lambda: torch.nn.functional.layer_norm(x, (width,), w, bias)
    if op in ("relu", "gelu"):
        return lambda: getattr(torch.nn.functional, op)(x)
    function = getattr(torch, op.rstrip("u"))
    if op.endswith("u"):
        return lambda: function(x, scalar)
    y = empty(batch, width)
    return lambda: function(x, y)


def main():
    stream = torch.cuda.Stream()
    with open(sys.argv[1], encoding="utf-8") as rows:
        for row in rows:
            op, *numbers = row.split()
            call = call_of(op, *map(int, numbers))
            print(json.dumps(captured(stream, call)), flush=True)
            del call
            torch.cuda.empty_cache()


main()
