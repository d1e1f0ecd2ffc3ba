/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA form; mandelbrot.cl is its twin. */
#include "mandelbrot.h"

__global__ void mandelbrot(int *steps, int columns, int rows)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < (unsigned int)(columns * rows))
        steps[i] = steps_of(re_of(i % columns, columns), im_of(i / columns, rows));
}
