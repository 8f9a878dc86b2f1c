# SPDX-License-Identifier: BSD-3-Clause
"""cuda-python: CUDA C++ compiled by NVRTC to PTX, with the driver's functions (cuda.bindings) and with cuda.core."""

import ctypes

import numpy
from cuda.bindings import driver, nvrtc
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = r"""
extern "C" __global__ void saxpy(float a, const float *x, float *y, size_t size)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size)
        y[i] = a * x[i] + y[i];
}
"""


def done(result):
    """What a function gives; its error is raised."""
    if result[0].value:
        raise RuntimeError(result[0])
    return result[1] if len(result) == 2 else result[1:]


def by_driver(x, y):
    done(driver.cuInit(0))
    device = done(driver.cuDeviceGet(0))
    done(driver.cuCtxSetCurrent(done(driver.cuDevicePrimaryCtxRetain(device))))
    capability = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    major = done(driver.cuDeviceGetAttribute(capability, device))
    program = done(nvrtc.nvrtcCreateProgram(SOURCE.encode(), b"saxpy.cu", 0, None, None))
    done(nvrtc.nvrtcCompileProgram(program, 1, [f"--gpu-architecture=compute_{major}0".encode()]))
    ptx = b" " * done(nvrtc.nvrtcGetPTXSize(program))
    done(nvrtc.nvrtcGetPTX(program, ptx))
    kernel = done(driver.cuModuleGetFunction(done(driver.cuModuleLoadData(ptx)), b"saxpy"))
    on_x, on_y = done(driver.cuMemAlloc(x.nbytes)), done(driver.cuMemAlloc(y.nbytes))
    done(driver.cuMemcpyHtoD(on_x, x.ctypes.data, x.nbytes))
    done(driver.cuMemcpyHtoD(on_y, y.ctypes.data, y.nbytes))
    arguments = (2.0, on_x, on_y, x.size), (ctypes.c_float, None, None, ctypes.c_size_t)
    done(driver.cuLaunchKernel(kernel, (x.size + 127) // 128, 1, 1, 128, 1, 1, 0, 0, arguments, 0))
    out = numpy.empty_like(y)
    done(driver.cuMemcpyDtoH(out.ctypes.data, on_y, y.nbytes))
    return out


def by_core(x, y):
    device = Device()
    device.set_current()
    stream = device.create_stream()
    options = ProgramOptions(arch=f"compute_{device.compute_capability.major}0")
    kernel = Program(SOURCE, code_type="c++", options=options).compile("ptx").get_kernel("saxpy")
    buffers = [device.allocate(x.nbytes, stream=stream) for _ in range(2)]
    for buffer, values in zip(buffers, (x, y)):
        done(driver.cuMemcpyHtoDAsync(int(buffer.handle), values.ctypes.data, values.nbytes, stream.handle))
    launch(stream, LaunchConfig(grid=(x.size + 127) // 128, block=128), kernel, numpy.float32(2), *buffers,
           numpy.uint64(x.size))
    out = numpy.empty_like(y)
    done(driver.cuMemcpyDtoHAsync(out.ctypes.data, int(buffers[1].handle), y.nbytes, stream.handle))
    stream.sync()
    return out


x, y = numpy.random.default_rng(5).random((2, 5000), dtype=numpy.float32)
right = numpy.allclose(by_driver(x, y), 2 * x + y) and numpy.allclose(by_core(x, y), 2 * x + y)
print("right" if right else "wrong")
