# SPDX-License-Identifier: Apache-2.0
"""One device and one program for all tests; each test has a stream of its own. YOKE_BACKEND chooses the backend. No message of the
library's that a test sees may have a name that is C's alone."""

import re
import signal

import pytest

import yoke

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what runs in the background with Ctrl-C ignored

CUDA = """
extern "C" __global__ void saxpy(float *y, const float *x, float a, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }
struct point { float x; double y; };
extern "C" __global__ void put(double *out, struct point p, short s, unsigned char c)
{ if (!blockIdx.x && !threadIdx.x) { out[0] = p.x; out[1] = p.y; out[2] = s; out[3] = c; } }
"""
OPENCL = """
__kernel void saxpy(__global float *y, __global const float *x, float a, int n)
{ int i = get_global_id(0); if (i < n) y[i] += a * x[i]; }
struct point { float x; double y; };
__kernel void put(__global double *out, struct point p, short s, uchar c)
{ if (!get_global_id(0)) { out[0] = p.x; out[1] = p.y; out[2] = s; out[3] = c; } }
"""


IN_C = re.compile(r"\byoke_[a-z]\w*|\boptions->|\bNULL\b|\bYOKE_(REDUCE|SCAN|SORT|SEARCH|CONVOLVE|FFT|INTERVAL|BOUNDARY|ROUND|"
                  r"MATMUL|EVENT|STREAM|MEMORY|FORMAT|ADDRESS|FILTER|WAIT|BUILD|COMPILE|MATH)_")
seen_in_c = []


def _remember(self, *args):
    Exception.__init__(self, *args)
    if args and not isinstance(self, yoke.BuildError) and IN_C.search(str(args[0])):  # a compiler quotes the text
        seen_in_c.append(str(args[0]))


yoke.Error.__init__ = _remember


@pytest.fixture(autouse=True)
def names_of_python():
    """Messages have the names that Python's users know."""
    seen_in_c.clear()
    yield
    assert seen_in_c == []


@pytest.fixture(scope="session")
def device():
    return yoke.Device()


@pytest.fixture
def own_device():
    """One of the test's own, where it counts buffers: other tests' streams may still use some of theirs."""
    return yoke.Device()


@pytest.fixture(scope="session")
def program(device):
    return device.build(cuda=CUDA, opencl=OPENCL)


@pytest.fixture(scope="session")
def saxpy(program):
    return program["saxpy"]


@pytest.fixture
def stream(device):
    stream = device.stream()
    yield stream
    stream.close()
