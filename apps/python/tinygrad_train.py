# SPDX-License-Identifier: BSD-3-Clause
"""A small convolutional network in tinygrad: its answers beside numpy's, then steps of training, which TinyJit captures
in a CUDA graph. tinygrad writes PTX itself (DEV=CUDA:PTX), or CUDA, which NVRTC translates (DEV=CUDA)."""
import os

os.environ.setdefault("DEV", "CUDA:PTX")
os.environ["TRAINING"] = "1"
import numpy
from tinygrad import Tensor, TinyJit, dtypes, nn

draw = numpy.random.default_rng(7)


def near(ours, theirs, bound):
    return numpy.abs(ours - theirs).max() <= bound * numpy.abs(theirs).max()


def products():
    """Products of floats, and of halves on tensor cores; a softmax over rows."""
    a, b = (draw.standard_normal((48, 48), dtype=numpy.float32) for _ in range(2))
    assert near((Tensor(a) @ Tensor(b)).numpy(), a @ b, 1e-5)
    halves = (Tensor(a).cast(dtypes.float16) @ Tensor(b).cast(dtypes.float16)).float().numpy()
    assert near(halves, a.astype(numpy.float16).astype(numpy.float32) @ b.astype(numpy.float16), 2e-3)
    powers = numpy.exp(a - a.max(axis=1, keepdims=True))
    assert near(Tensor(a).softmax().numpy(), powers / powers.sum(axis=1, keepdims=True), 1e-5)


class Net:
    def __init__(self):
        self.convolution = nn.Conv2d(1, 4, 5)
        self.end = nn.Linear(4 * 6 * 6, 10)

    def __call__(self, images):
        return self.end(self.convolution(images).relu().max_pool2d().flatten(1))


def convolution(net):
    """The first layer, each output by hand."""
    image = draw.standard_normal((1, 1, 16, 16), dtype=numpy.float32)
    weight, bias = net.convolution.weight.numpy(), net.convolution.bias.numpy()
    windows = numpy.lib.stride_tricks.sliding_window_view(image[0, 0], (5, 5))
    wanted = numpy.einsum("yxij,cij->cyx", windows, weight[:, 0]) + bias[:, None, None]
    assert near(net.convolution(Tensor(image)).numpy()[0], wanted, 1e-5)


def training(net):
    images = Tensor(draw.random((8, 1, 16, 16), dtype=numpy.float32))
    classes = Tensor(numpy.arange(8, dtype=numpy.int32))
    optimizer = nn.optim.Adam(nn.state.get_parameters(net), lr=0.01)

    @TinyJit
    def step():
        optimizer.zero_grad()
        loss = net(images).sparse_categorical_crossentropy(classes)
        loss.backward()
        optimizer.step()
        return loss.realize()

    losses = [step().item() for _ in range(5)]
    assert all(later < earlier for earlier, later in zip(losses, losses[1:])), losses


Tensor.manual_seed(1)
products()
network = Net()
convolution(network)
training(network)
print("right")
