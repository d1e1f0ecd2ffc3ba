/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL form; mandelbrot.cu is its twin. */
#include "mandelbrot.h"

__kernel void mandelbrot(__global int *steps, int columns, int rows)
{
    const unsigned int i = get_global_id(0);

    if (i < (unsigned int)(columns * rows))
        steps[i] = steps_of(re_of(i % columns, columns), im_of(i / columns, rows));
}
