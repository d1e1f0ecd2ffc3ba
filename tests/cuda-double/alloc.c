/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls that give memory out and take it back. Freeing stalls while a host function runs, as it does with the driver, and waits
 * for nothing else, since the driver does not promise to: work that still uses the memory fails, and is found.
 */
#include "driver.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    POINTER_CONTEXT = 1,
    POINTER_DEVICE_ADDRESS = 3,
    POINTER_HOST_ADDRESS = 4,
    POINTER_IS_MANAGED = 8,
    HOST_MEMORY_NOT_REGISTERED = 713
};

/* ---- Giving ---- */

static yk_CUresult give(double_kind kind, size_t size, double_range **out_range)
{
    double_range *range = calloc(1, sizeof *range);
    int ordinal = double_current()->ordinal;

    if (!range)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    range->kind = kind;
    range->context = double_current();
    range->given = range->open = true;
    if (kind == DOUBLE_DEVICE && !double_account(ordinal, size)) {
        free(range);
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (!double_range_map(range, size, true))
        goto no_pages;
    if (kind == DOUBLE_DEVICE)
        double_range_poison(range);
    double_ranges_write();
    bool added = double_range_add(range);
    double_ranges_unlock();
    if (!added)
        goto no_place;
    *out_range = range;
    return YK_CUDA_SUCCESS;
no_place:
    double_range_unmap(range);
no_pages:
    if (kind == DOUBLE_DEVICE)
        double_unaccount(ordinal, size);
    free(range);
    return YK_CUDA_ERROR_OUT_OF_MEMORY;
}

yk_CUresult cuMemAlloc_v2(yk_CUdeviceptr *out_address, size_t size)
{
    double_range *range = NULL;
    yk_CUresult result;

    ENTER(DOUBLE_CONTEXT);
    MAY_NOT_CAPTURE;
    if (!out_address || size == 0)
        return YK_CUDA_ERROR_INVALID_VALUE;
    result = give(DOUBLE_DEVICE, size, &range);
    if (result == YK_CUDA_SUCCESS)
        *out_address = range->base;
    return result;
}

yk_CUresult cuMemAllocManaged(yk_CUdeviceptr *out_address, size_t size, unsigned int flags)
{
    double_range *range = NULL;
    yk_CUresult result;

    ENTER(DOUBLE_CONTEXT);
    MAY_NOT_CAPTURE;
    if (!out_address || size == 0 || (flags != YK_CU_MEM_ATTACH_GLOBAL && flags != 2))
        return YK_CUDA_ERROR_INVALID_VALUE;
    result = give(DOUBLE_MANAGED, size, &range);
    if (result == YK_CUDA_SUCCESS)
        *out_address = range->base;
    return result;
}

yk_CUresult cuMemHostAlloc(void **out_pointer, size_t size, unsigned int flags)
{
    double_range *range = NULL;
    yk_CUresult result;

    ENTER(DOUBLE_CONTEXT);
    MAY_NOT_CAPTURE;
    if (!out_pointer || size == 0 || flags > 7)
        return YK_CUDA_ERROR_INVALID_VALUE;
    result = give(DOUBLE_HOST, size, &range);
    if (result == YK_CUDA_SUCCESS)
        *out_pointer = (void *)range->base;
    return result;
}

static bool is_mapped(uintptr_t from, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = from / page * page;
    unsigned char *in_core = malloc((size + page - 1) / page + 1);

    bool mapped = in_core && mincore((void *)start, from - start + size, in_core) == 0;
    free(in_core);
    return mapped;
}

yk_CUresult cuMemHostRegister_v2(void *pointer, size_t size, unsigned int flags)
{
    yk_CUresult result = YK_CUDA_SUCCESS;
    double_range *range;

    ENTER(DOUBLE_CONTEXT);
    if (!pointer || size == 0 || size > SIZE_MAX / 2 || flags > 15 || !is_mapped((uintptr_t)pointer, size))
        return YK_CUDA_ERROR_INVALID_VALUE;
    range = calloc(1, sizeof *range);
    if (!range)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    *range = (double_range){ .base = (uintptr_t)pointer,
                             .size = size,
                             .capacity = size,
                             .kind = DOUBLE_REGISTERED,
                             .context = double_current(),
                             .given = true,
                             .open = true };
    double_ranges_write();
    const double_range *there = double_range_within(range->base, size);
    if (there)
        result = there->kind == DOUBLE_HOST ? YK_CUDA_ERROR_INVALID_VALUE : YK_CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    else if (!double_range_add(range))
        result = YK_CUDA_ERROR_OUT_OF_MEMORY;
    double_ranges_unlock();
    if (result != YK_CUDA_SUCCESS)
        free(range);
    return result;
}

/* ---- Taking back ---- */

/* Of the list already. */
static void destroy(double_range *range)
{
    if (range->kind == DOUBLE_DEVICE)
        double_unaccount(range->context->ordinal, range->size);
    if (range->mapping)
        double_range_unmap(range);
    free(range);
}

typedef bool kinds(const double_range *range);

static bool frees_device(const double_range *range)
{
    return range->kind == DOUBLE_DEVICE || range->kind == DOUBLE_MANAGED;
}

static bool frees_host(const double_range *range)
{
    return range->kind == DOUBLE_HOST;
}

static bool frees_registered(const double_range *range)
{
    return range->kind == DOUBLE_REGISTERED;
}

static yk_CUresult take_back(uintptr_t address, kinds *right, yk_CUresult otherwise)
{
    if (double_lost() != YK_CUDA_SUCCESS) /* kernels of other streams may still use it */
        return double_lost();
    double_ranges_write();
    double_range *range = double_range_find(address);
    if (!range || !range->given || range->base != address || !right(range)) {
        bool inside = range && range->given && right(range);
        double_ranges_unlock();
        return inside ? YK_CUDA_ERROR_INVALID_VALUE : otherwise;
    }
    double_range_remove(range);
    double_ranges_unlock();
    destroy(range);
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuMemFree_v2(yk_CUdeviceptr address)
{
    ENTER(DOUBLE_START);
    MAY_NOT_CAPTURE;
    if (address == 0)
        return double_lost();
    double_function_stall();
    if (double_lost() == YK_CUDA_SUCCESS && double_pool_take_back((uintptr_t)address))
        return YK_CUDA_SUCCESS;
    return take_back((uintptr_t)address, frees_device, YK_CUDA_ERROR_INVALID_VALUE);
}

yk_CUresult cuMemFreeHost(void *pointer)
{
    ENTER(DOUBLE_START);
    MAY_NOT_CAPTURE;
    double_function_stall();
    return take_back((uintptr_t)pointer, frees_host, YK_CUDA_ERROR_INVALID_VALUE);
}

yk_CUresult cuMemHostUnregister(void *pointer)
{
    ENTER(DOUBLE_START);
    if (!pointer)
        return YK_CUDA_ERROR_INVALID_VALUE;
    return take_back((uintptr_t)pointer, frees_registered, HOST_MEMORY_NOT_REGISTERED);
}

/* Take all out of the list that `which` is true of. */
static void take_all(bool (*which)(const double_range *range, const void *whose), const void *whose)
{
    double_range *range;

    do {
        double_ranges_write();
        range = double_range_next(which, whose);
        if (range)
            double_range_remove(range);
        double_ranges_unlock();
        if (range)
            destroy(range);
    } while (range);
}

static bool is_of_context(const double_range *range, const void *whose)
{
    return range->context == whose && !range->block && range->kind != DOUBLE_GLOBAL;
}

static bool is_of_module(const double_range *range, const void *whose)
{
    return range->kind == DOUBLE_GLOBAL && range->module == whose;
}

void double_context_end_memory(yk_CUcontext context)
{
    take_all(is_of_context, context);
}

void double_module_end_memory(yk_CUmodule module)
{
    take_all(is_of_module, module);
}

/* A module's variable: memory of the device that belongs to the code. */
yk_CUresult double_global_add(yk_CUmodule module, yk_CUcontext context, void *address, size_t size)
{
    double_range *range = calloc(1, sizeof *range);
    bool added = true;

    if (!range)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    *range = (double_range){ .base = (uintptr_t)address,
                             .size = size,
                             .capacity = size,
                             .kind = DOUBLE_GLOBAL,
                             .context = context,
                             .module = module,
                             .given = true,
                             .open = true };
    double_ranges_write();
    if (double_range_find(range->base)) {
        free(range);
    } else if (!double_range_add(range)) {
        free(range);
        added = false;
    }
    double_ranges_unlock();
    return added ? YK_CUDA_SUCCESS : YK_CUDA_ERROR_OUT_OF_MEMORY;
}

/* ---- Asking ---- */

yk_CUresult cuMemHostGetDevicePointer_v2(yk_CUdeviceptr *out_address, void *pointer, unsigned int flags)
{
    yk_CUresult result = YK_CUDA_ERROR_INVALID_VALUE;

    ENTER(DOUBLE_CONTEXT);
    if (!out_address || !pointer || flags != 0)
        return result;
    double_ranges_read();
    const double_range *range = double_range_find((uintptr_t)pointer);
    if (range && (range->kind == DOUBLE_HOST || range->kind == DOUBLE_REGISTERED)) {
        *out_address = (uintptr_t)pointer;
        result = YK_CUDA_SUCCESS;
    }
    double_ranges_unlock();
    return result;
}

yk_CUresult cuMemGetAddressRange_v2(yk_CUdeviceptr *out_base, size_t *out_size, yk_CUdeviceptr address)
{
    yk_CUresult result = YK_CUDA_ERROR_NOT_FOUND;

    ENTER(DOUBLE_CONTEXT);
    double_ranges_read();
    const double_range *range = double_range_find((uintptr_t)address);
    if (range && range->given && range->kind != DOUBLE_REGISTERED) {
        if (out_base)
            *out_base = range->base;
        if (out_size)
            *out_size = range->size;
        result = YK_CUDA_SUCCESS;
    }
    double_ranges_unlock();
    return result;
}

/* Below the lock. */
static yk_CUresult tell(const double_range *range, uintptr_t address, yk_CUpointer_attribute attribute, void *out_value)
{
    bool host = range->kind == DOUBLE_HOST || range->kind == DOUBLE_REGISTERED;

    switch (attribute) {
    case POINTER_CONTEXT:
        *(yk_CUcontext *)out_value = range->context;
        return YK_CUDA_SUCCESS;
    case YK_CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)out_value = host ? YK_CU_MEMORYTYPE_HOST : YK_CU_MEMORYTYPE_DEVICE;
        return YK_CUDA_SUCCESS;
    case POINTER_DEVICE_ADDRESS:
        *(yk_CUdeviceptr *)out_value = address;
        return YK_CUDA_SUCCESS;
    case POINTER_HOST_ADDRESS:
        *(void **)out_value = (void *)address;
        return host || range->kind == DOUBLE_MANAGED ? YK_CUDA_SUCCESS : YK_CUDA_ERROR_INVALID_VALUE;
    case POINTER_IS_MANAGED:
        *(bool *)out_value = range->kind == DOUBLE_MANAGED;
        return YK_CUDA_SUCCESS;
    case YK_CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)out_value = range->context->ordinal;
        return YK_CUDA_SUCCESS;
    default:
        return YK_CUDA_ERROR_INVALID_VALUE;
    }
}

yk_CUresult cuPointerGetAttribute(void *out_value, yk_CUpointer_attribute attribute, yk_CUdeviceptr address)
{
    yk_CUresult result = YK_CUDA_ERROR_INVALID_VALUE;

    ENTER(DOUBLE_START);
    if (!out_value)
        return result;
    double_ranges_read();
    const double_range *range = double_range_find((uintptr_t)address);
    if (range && range->given)
        result = tell(range, (uintptr_t)address, attribute, out_value);
    double_ranges_unlock();
    return result;
}
