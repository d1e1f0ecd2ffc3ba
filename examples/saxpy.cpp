// SPDX-License-Identifier: Apache-2.0
//
// The program of the tutorial in C++: objects release themselves, failures are exceptions, containers are copied as they are, and a
// lambda runs on the host in the stream's order. saxpy [DEVICE]
//
// A common mistake: to declare the stream before the memory that its work uses; the stream's destructor waits for the work.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include <yoke/yoke.hpp>

static const char cuda[] = R"(
extern "C" __global__ void saxpy(const float *x, float *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = fmaf(a, x[i], y[i]);
}
)";

static const char opencl[] = R"(
__kernel void saxpy(__global const float *x, __global float *y, float a, int n)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = fma(a, x[i], y[i]);
}
)";

static int run(const char *selector)
{
    const int n = 1 << 20;
    std::vector<float> x(n, 3.0f), y(n, 1.0f);
    float largest = 0;

    yoke::device device(selector); // nullptr: the device that the environment names, else the best one
    yoke::kernel saxpy = yoke::program(device, yoke::source().name("saxpy").cuda(cuda).opencl(opencl)).get_kernel("saxpy");
    yoke::buffer<float> dx(device, n), dy(device, n);
    yoke::stream stream(device);

    stream.write(dx, x);
    stream.write(dy, y);
    stream.launch(saxpy, n, dx, dy, 2.0f, n);
    stream.read(y, dy);
    stream.call([&] { largest = *std::max_element(y.begin(), y.end()); }); // when y has been read
    stream.wait();                                                         // throws what failed

    const auto wrong = n - std::count(y.begin(), y.end(), 7.0f);
    std::printf("saxpy: %d results of 2 x + y, %ld wrong, on %s; the largest is %g\n", n, static_cast<long>(wrong),
                device.info().name, static_cast<double>(largest));
    return wrong != 0;
}

int main(int argc, char **argv)
{
    try {
        return run(argc > 1 ? argv[1] : nullptr);
    } catch (const std::exception &e) { // what() of a yoke::error: status, what failed, why, and where it was enqueued
        std::fprintf(stderr, "saxpy: %s\n", e.what());
        return 1;
    }
}
