# SPDX-License-Identifier: Apache-2.0
"""One device and one program for all tests; each test has a stream of its own. YOKE_BACKEND chooses the backend."""

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
