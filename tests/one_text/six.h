/* SPDX-License-Identifier: Apache-2.0 */
/* The six kernels of six.yk beside their twins, in any size: for the test that both give the same, and for bench/one_text. */
#ifndef SIX_H
#define SIX_H

#include <yoke/yoke.h>

enum { SIX_KERNELS = 6, SIX_BUFFERS = 3 };

/* Two of these, with one kernel each and equal buffers, are compared. */
typedef struct six_work {
    yoke_stream *stream;
    yoke_kernel *kernel;
    yoke_buffer *buffers[SIX_BUFFERS];
    int32_t n;
} six_work;

typedef struct six_kernel {
    const char *name;
    const char *builtin;                                /* the twin's source in the library; NULL: twins.cu and twins.cl */
    void (*sizes)(size_t n, size_t bytes[SIX_BUFFERS]); /* 0: no such buffer */
    int output;                                         /* the buffer with the result */
    int32_t small, most;                                /* sizes for a test, and of the longest work */
    yoke_status (*launch)(const six_work *work);
} six_kernel;

extern const six_kernel six_kernels[SIX_KERNELS];

/* The one text, and the twin's two. */
yoke_source six_one_text(void);
yoke_status six_twin(const six_kernel *kernel, yoke_source *out_source);

/* The same bytes each time: floats in [0, 1), or any bytes for the histogram. */
void six_fill(const six_kernel *kernel, int buffer, void *bytes, size_t size);

#endif
