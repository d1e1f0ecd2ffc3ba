/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The structs of DLPack, by which libraries in one process show each other their arrays: the binary layout of version 0.8, in
 * <yoke/array.h>'s struct DLManagedTensor. tests/ops/call/dlpack.c compares them with <dlpack/dlpack.h>.
 */
#ifndef YOPS_DLPACK_H
#define YOPS_DLPACK_H

#include <stdint.h>

/* Kinds of devices. */
enum {
    YOPS_DL_CUDA = 2,
    YOPS_DL_OPENCL = 4,       /* the data is a cl_mem */
    YOPS_DL_CUDA_MANAGED = 13 /* device_id is not used */
};

/* Kinds of numbers. */
enum { YOPS_DL_INT = 0, YOPS_DL_UINT = 1, YOPS_DL_FLOAT = 2, YOPS_DL_BFLOAT = 4, YOPS_DL_COMPLEX = 5, YOPS_DL_BOOL = 6 };

typedef struct yops_dl_device {
    int32_t type, id;
} yops_dl_device;

typedef struct yops_dl_type {
    uint8_t code, bits; /* a kind of number, and the size of one element */
    uint16_t lanes;     /* more than 1: an element is a vector */
} yops_dl_type;

typedef struct yops_dl_tensor {
    void *data;
    yops_dl_device device;
    int32_t dimensions;
    yops_dl_type type;
    int64_t *shape;
    int64_t *strides;     /* in elements; NULL: contiguous */
    uint64_t byte_offset; /* from `data` to the first element */
} yops_dl_tensor;

typedef struct DLManagedTensor {
    yops_dl_tensor tensor;
    void *context;                                 /* the maker's own */
    void (*deleter)(struct DLManagedTensor *self); /* may be NULL */
} yops_dl_managed;

#endif
