/* SPDX-License-Identifier: Apache-2.0 */
/* A step that three compilers read: both kernels of mandelbrot.c include it, and so does the program, to check them. */
#ifndef MANDELBROT_H
#define MANDELBROT_H

enum { ONE = 4096, LIMIT = 200 }; /* fixed point, which rounds the same everywhere */

/* How many steps of z = z * z + c it takes until |z| exceeds 2; LIMIT: more than that. */
static int steps_of(int re, int im)
{
    int x = 0, y = 0, steps = 0;

    for (; steps < LIMIT && x * x / ONE + y * y / ONE <= 4 * ONE; steps++) {
        const int next = (x * x - y * y) / ONE + re;
        y = 2 * x * y / ONE + im;
        x = next;
    }
    return steps;
}

/* The point of a cell in the picture. */
static int re_of(int column, int columns)
{
    return -2 * ONE + 5 * ONE / 2 * column / columns;
}

static int im_of(int row, int rows)
{
    return -5 * ONE / 4 + 5 * ONE / 2 * row / rows;
}

#endif
