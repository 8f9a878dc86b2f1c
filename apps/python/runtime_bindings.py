# SPDX-License-Identifier: BSD-3-Clause
"""cuda.bindings.runtime: versions, properties, memory, copies and streams. It holds CUDA's static runtime without symbols, which Maniple
finds by a map of its version."""
import ctypes

from cuda.bindings import runtime


def call(name, *arguments):
    error, *results = getattr(runtime, name)(*arguments)
    assert error == runtime.cudaError_t.cudaSuccess, (name, error)
    return results[0] if len(results) == 1 else results


assert call("cudaGetDeviceCount") == 1
assert call("cudaRuntimeGetVersion") // 1000 == 13
properties = call("cudaGetDeviceProperties", 0)
assert properties.name.startswith(b"Maniple ") and properties.multiProcessorCount > 0
given, taken = (ctypes.c_char * 16)(*b"sixteen letters."), (ctypes.c_char * 16)()
memory, stream = call("cudaMalloc", 16), call("cudaStreamCreate")
kind = runtime.cudaMemcpyKind
call("cudaMemcpyAsync", memory, ctypes.addressof(given), 16, kind.cudaMemcpyHostToDevice, stream)
call("cudaMemcpyAsync", ctypes.addressof(taken), memory, 16, kind.cudaMemcpyDeviceToHost, stream)
call("cudaStreamSynchronize", stream)
assert bytes(taken) == bytes(given)
assert call("cudaPointerGetAttributes", memory).type == runtime.cudaMemoryType.cudaMemoryTypeDevice
call("cudaFree", memory)
print("right")
