# SPDX-License-Identifier: BSD-3-Clause
"""Arrays on the device, for programs that want tensors and run without PyTorch: numpy arrays go there and come back. An
Array is what a Triton kernel takes for a pointer, and what Numba takes for an array."""

from __future__ import annotations

import ctypes
import functools
from typing import Any, Callable, Sequence

import numpy


class DeviceError(RuntimeError):
    """What the driver says."""


@functools.lru_cache(maxsize=None)
def driver() -> ctypes.CDLL:
    """The driver's library, with a context that is current."""
    library = ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    for name, arguments in (("cuInit", (0,)), ("cuDeviceGet", (ctypes.byref(device), 0)),
                            ("cuDevicePrimaryCtxRetain", (ctypes.byref(context), device)),
                            ("cuCtxSetCurrent", (context,))):
        _check(library, name, getattr(library, name)(*arguments))
    return library


def _check(library: ctypes.CDLL, name: str, code: int) -> None:
    if code:
        text = ctypes.c_char_p()
        library.cuGetErrorName(code, ctypes.byref(text))
        raise DeviceError(f"{name}: {text.value.decode() if text.value else code}")


def call(name: str, *arguments: Any) -> None:
    """A function of the driver; raises what it returns."""
    _check(driver(), name, getattr(driver(), name)(*arguments))


class Array:
    """An array on the device, in the order of C."""

    def __init__(self, shape: int | Sequence[int], dtype: Any = "float32") -> None:
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self._kind: Any = numpy.dtype(dtype)
        self.nbytes = int(numpy.prod(self.shape, dtype=numpy.int64)) * self._kind.itemsize
        address = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(self.nbytes, 1)))
        self._address: int = address.value

    @property
    def dtype(self) -> str:
        """Its name: what Triton reads."""
        return str(self._kind.name)

    def data_ptr(self) -> int:
        """Where it lies."""
        return self._address

    def numel(self) -> int:
        """How many elements it has."""
        return int(self.nbytes // self._kind.itemsize)

    def element_size(self) -> int:
        """Bytes of each."""
        return int(self._kind.itemsize)

    def stride(self, axis: int | None = None) -> int | tuple[int, ...]:
        """Elements from one to the next along an axis, or along each."""
        strides = [1] * len(self.shape)
        for i in range(len(self.shape) - 1, 0, -1):
            strides[i - 1] = strides[i] * self.shape[i]
        return tuple(strides) if axis is None else strides[axis]

    def copy_(self, values: Any) -> Array:
        """Takes over numpy's values, or another array's."""
        if isinstance(values, Array):
            call("cuMemcpyDtoD_v2", ctypes.c_uint64(self._address), ctypes.c_uint64(values._address),
                 ctypes.c_size_t(self.nbytes))
            return self
        values = numpy.ascontiguousarray(values, self._kind)
        if values.shape != self.shape:
            raise ValueError(f"an array of shape {self.shape} cannot hold values of shape {values.shape}")
        call("cuMemcpyHtoD_v2", ctypes.c_uint64(self._address), values.ctypes.data_as(ctypes.c_void_p),
             ctypes.c_size_t(self.nbytes))
        return self

    def zero_(self) -> Array:
        """Makes all bytes 0."""
        call("cuMemsetD8_v2", ctypes.c_uint64(self._address), ctypes.c_ubyte(0), ctypes.c_size_t(self.nbytes))
        return self

    def clone(self) -> Array:
        """Another array with the same values."""
        return Array(self.shape, self._kind).copy_(self)

    def numpy(self) -> Any:
        """Its values, when all that it waits for has ended."""
        values = numpy.empty(self.shape, self._kind)
        call("cuMemcpyDtoH_v2", values.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(self._address),
             ctypes.c_size_t(self.nbytes))
        return values

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": self._kind.str, "data": (self._address, False), "version": 3,
                "strides": None}

    def __repr__(self) -> str:
        return f"Array(shape={self.shape}, dtype={self.dtype})"

    def __del__(self) -> None:
        if getattr(self, "_address", 0) and ctypes is not None:
            try:
                driver().cuMemFree_v2(ctypes.c_uint64(self._address))
            except Exception:  # at the interpreter's end, the library may be gone
                pass


def array(values: Any, dtype: Any = None) -> Array:
    """A copy of numpy's values on the device."""
    values = numpy.asarray(values, dtype)
    return Array(values.shape, values.dtype).copy_(values)


def zeros(shape: int | Sequence[int], dtype: Any = "float32") -> Array:
    """An array of zeros."""
    return Array(shape, dtype).zero_()


def empty(shape: int | Sequence[int], dtype: Any = "float32") -> Array:
    """An array of what the memory holds."""
    return Array(shape, dtype)


def do_bench(work: Callable[[], Any], quantiles: Sequence[float] | None = None, **_: Any) -> float | list[float]:
    """The simulated milliseconds of the device for what `work` puts into the default stream, for
    triton.autotune(do_bench=...): one run, after one that fills the caches, as simulated time does not vary. The host's
    calls take no time meanwhile: a kernel that is shorter than they are would be measured by them. (A driver that is not
    Maniple's knows no such thing.)"""
    events = [ctypes.c_void_p(), ctypes.c_void_p()]
    time = ctypes.c_float()
    for event in events:
        call("cuEventCreate", ctypes.byref(event), 0)
    work()
    call("cuCtxSynchronize")
    hold = getattr(driver(), "maniple_hold_host", lambda held: None)
    hold(1)
    try:
        call("cuEventRecord", events[0], None)
        work()
        call("cuEventRecord", events[1], None)
    finally:
        hold(0)
    call("cuEventSynchronize", events[1])
    call("cuEventElapsedTime_v2", ctypes.byref(time), *events)
    for event in events:
        call("cuEventDestroy_v2", event)
    return [time.value] * len(quantiles) if quantiles else time.value
