/* SPDX-License-Identifier: Apache-2.0 */
/* What the declarations of kernels in a source tell, and a driver may not. Pure text, for tools too. */
#ifndef YK_SIGNATURE_H
#define YK_SIGNATURE_H

#include "objects/program.h"

/* How a source is read. */
enum {
    YK_SIGNATURE_OPENCL = 1,    /* it is OpenCL C; else CUDA C++ */
    YK_SIGNATURE_AS_WRITTEN = 2 /* words mean what they usually do: for a source that nothing has expanded or will compile */
};

/*
 * Read the kernels of a source. `out` is empty before, to be freed; false, and it is empty still, where there is no memory.
 *
 * Unless it is read as written, of a source whose #includes are put in: what is not certain is left out, as is any kernel of CUDA
 * that is not extern "C". The rest counts where it agrees with the compiled kernel. Types stand as they are in the source.
 * As written, only kernels with a body count, types stand without qualifiers, and a value's size is 0 when it is not known.
 */
bool yk_kernel_table_read(int how, const char *text, size_t size, yk_kernel_table *out);

#endif
