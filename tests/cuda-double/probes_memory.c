/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about memory of every kind, copies and pools. */
#include "probes.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE = 4096 };

static void probe_device_memory(void)
{
    yk_CUdeviceptr x = 0, base = 0;
    size_t size = 0, free_bytes = 0, total = 0;
    char number[32] = "other";

    probe("allocate nothing", cu.cuMemAlloc_v2(&x, 0), "INVALID_VALUE");
    NEED(cu.cuMemGetInfo_v2(&free_bytes, &total));
    probe("allocate more than there is", cu.cuMemAlloc_v2(&x, total + 1), "OUT_OF_MEMORY");
    probe("allocate 2^62", cu.cuMemAlloc_v2(&x, (size_t)1 << 62), "OUT_OF_MEMORY");
    NEED(cu.cuMemAlloc_v2(&x, SIZE - 3));
    probe_yes("memory is aligned to 256", x % 256 == 0, true);
    probe("the range of an address inside", cu.cuMemGetAddressRange_v2(&base, &size, x + 100), "SUCCESS");
    probe_yes("it begins where the memory does", base == x, true);
    probe_text("its size is what was asked", size == SIZE - 3 ? "asked" : number, "asked");
    probe("free in the middle", cu.cuMemFree_v2(x + 256), "INVALID_VALUE");
    probe("free", cu.cuMemFree_v2(x), "SUCCESS");
    probe("free twice", cu.cuMemFree_v2(x), "INVALID_VALUE");
    probe("free address 0", cu.cuMemFree_v2(0), "SUCCESS");
    probe("the range of what was freed", cu.cuMemGetAddressRange_v2(&base, &size, x), "NOT_FOUND");
}

static void probe_attributes(void)
{
    yk_CUdeviceptr device = 0, managed = 0;
    void *pinned = NULL, *plain = malloc(SIZE);
    unsigned type = 0;

    NEED(cu.cuMemAlloc_v2(&device, SIZE));
    NEED(cu.cuMemAllocManaged(&managed, SIZE, 1));
    NEED(cu.cuMemHostAlloc(&pinned, SIZE, 1));
    NEED(cu.cuPointerGetAttribute(&type, 2, device + 10));
    probe_yes("device memory is of the device", type == YK_CU_MEMORYTYPE_DEVICE, true);
    NEED(cu.cuPointerGetAttribute(&type, 2, managed));
    probe_yes("managed memory is of the device", type == YK_CU_MEMORYTYPE_DEVICE, true);
    NEED(cu.cuPointerGetAttribute(&type, 2, (uintptr_t)pinned));
    probe_yes("pinned memory is the host's", type == YK_CU_MEMORYTYPE_HOST, true);
    probe("the type of plain memory", cu.cuPointerGetAttribute(&type, 2, (uintptr_t)plain), "INVALID_VALUE");
    probe("attribute 0", cu.cuPointerGetAttribute(&type, 0, device), "INVALID_VALUE");
    probe("managed memory with flags 0", cu.cuMemAllocManaged(&managed, SIZE, 0), "INVALID_VALUE");
    NEED(cu.cuMemFree_v2(managed));
    NEED(cu.cuMemFree_v2(device));
    NEED(cu.cuMemFreeHost(pinned));
    free(plain);
}

static void probe_host_memory(void)
{
    unsigned char *plain = aligned_alloc(SIZE, 16 * SIZE);
    void *pinned = NULL;
    yk_CUdeviceptr address = 0;

    memset(plain, 1, 16 * SIZE);
    probe_differs("pin nothing", cu.cuMemHostAlloc(&pinned, 0, 0), "SUCCESS", "INVALID_VALUE");
    NEED(cu.cuMemHostAlloc(&pinned, SIZE, 3));
    probe("where the device sees pinned memory", cu.cuMemHostGetDevicePointer_v2(&address, pinned, 0), "SUCCESS");
    probe_yes("at the same address", address == (uintptr_t)pinned, true);
    probe("where it sees plain memory", cu.cuMemHostGetDevicePointer_v2(&address, plain, 0), "INVALID_VALUE");
    probe("free pinned memory in the middle", cu.cuMemFreeHost((char *)pinned + 64), "INVALID_VALUE");
    probe("free pinned memory as the device's", cu.cuMemFree_v2((uintptr_t)pinned), "INVALID_VALUE");
    probe("register pinned memory", cu.cuMemHostRegister_v2(pinned, SIZE, 1), "INVALID_VALUE");
    NEED(cu.cuMemFreeHost(pinned));
    probe("free pinned memory twice", cu.cuMemFreeHost(pinned), "INVALID_VALUE");
    probe("free plain memory", cu.cuMemFreeHost(plain), "INVALID_VALUE");
    NEED(cu.cuMemHostRegister_v2(plain + 4 * SIZE, 4 * SIZE, 1));
    probe("register again", cu.cuMemHostRegister_v2(plain + 4 * SIZE, 4 * SIZE, 1), "HOST_MEMORY_ALREADY_REGISTERED");
    probe("register what overlaps in front", cu.cuMemHostRegister_v2(plain, 6 * SIZE, 1), "HOST_MEMORY_ALREADY_REGISTERED");
    probe("register what lies inside", cu.cuMemHostRegister_v2(plain + 5 * SIZE, SIZE, 1), "HOST_MEMORY_ALREADY_REGISTERED");
    probe("unregister in the middle", cu.cuMemHostUnregister(plain + 5 * SIZE), "INVALID_VALUE");
    NEED(cu.cuMemHostUnregister(plain + 4 * SIZE));
    probe("unregister twice", cu.cuMemHostUnregister(plain + 4 * SIZE), "HOST_MEMORY_NOT_REGISTERED");
    probe("register nothing", cu.cuMemHostRegister_v2(plain, 0, 1), "INVALID_VALUE");
    free(plain);
}

void probe_memory(void)
{
    probe_device_memory();
    probe_attributes();
    probe_host_memory();
}

/* ---- Copies ---- */

static void probe_rects(yk_CUstream stream, yk_CUdeviceptr x, void *host)
{
    yk_CUDA_MEMCPY3D rect = { .src = { .MemoryType = YK_CU_MEMORYTYPE_HOST, .Host = host, .Pitch = 64, .Height = 4 },
                              .dst = { .MemoryType = YK_CU_MEMORYTYPE_DEVICE, .Device = x, .Pitch = 64, .Height = 4 },
                              .WidthInBytes = 64,
                              .Height = 4,
                              .Depth = 2 };
    yk_CUDA_MEMCPY3D wrong = rect;

    probe("copy a rect", cu.cuMemcpy3DAsync_v2((const void *)&rect, stream), "SUCCESS");
    wrong.dst.Pitch = 63;
    probe("a rect with rows that overlap", cu.cuMemcpy3DAsync_v2((const void *)&wrong, stream), "INVALID_VALUE");
    wrong = rect;
    wrong.dst.Height = 3;
    probe("a rect with slices that overlap", cu.cuMemcpy3DAsync_v2((const void *)&wrong, stream), "INVALID_VALUE");
    wrong = rect;
    wrong.dst.MemoryType = 77;
    probe("a rect of no kind of memory", cu.cuMemcpy3DAsync_v2((const void *)&wrong, stream), "INVALID_VALUE");
    wrong = rect;
    wrong.Depth = 0;
    probe("a rect of nothing", cu.cuMemcpy3DAsync_v2((const void *)&wrong, stream), "SUCCESS");
    wrong = rect;
    wrong.dst.Z = 15;
    probe("a rect beyond the end", cu.cuMemcpy3DAsync_v2((const void *)&wrong, stream), "INVALID_VALUE");
    NEED(cu.cuStreamSynchronize(stream));
}

static void probe_fills(yk_CUstream stream, yk_CUdeviceptr x)
{
    probe("fill nothing", cu.cuMemsetD8Async(x, 1, 0, stream), "SUCCESS");
    probe("fill with two bytes at an odd address", cu.cuMemsetD16Async(x + 1, 1, 4, stream), "INVALID_VALUE");
    probe("fill with four bytes at an even address", cu.cuMemsetD32Async(x + 2, 1, 4, stream), "INVALID_VALUE");
    probe("fill beyond the end", cu.cuMemsetD8Async(x, 1, SIZE + 1, stream), "INVALID_VALUE");
    probe("fill rows that overlap", cu.cuMemsetD2D8Async(x, 8, 1, 9, 2, stream), "INVALID_VALUE");
    probe("fill rows with a pitch of no whole units", cu.cuMemsetD2D32Async(x, 18, 1, 4, 2, stream), "INVALID_VALUE");
    NEED(cu.cuStreamSynchronize(stream));
}

/* What the host writes behind the call is not copied, and what it reads behind one is there. */
static void probe_pageable(yk_CUstream stream, yk_CUdeviceptr x)
{
    unsigned char plain[SIZE];
    probe_gate *gate = gate_close(stream);

    memset(plain, 1, sizeof plain);
    NEED(cu.cuMemcpyHtoDAsync_v2(x, plain, sizeof plain, stream)); /* returns: little is taken along */
    memset(plain, 2, sizeof plain);
    probe("work behind a little that was taken along", cu.cuStreamQuery(stream), "NOT_READY");
    gate_open(gate);
    NEED(cu.cuMemcpyDtoHAsync_v2(plain, x, sizeof plain, stream));
    probe_yes("the bytes of the call arrive", plain[0] == 1 && plain[SIZE - 1] == 1, true);
}

void probe_copies(void)
{
    yk_CUstream stream = new_stream();
    unsigned char *plain = aligned_alloc(SIZE, 4 * SIZE);
    yk_CUdeviceptr x = 0;

    memset(plain, 0, 4 * SIZE);
    NEED(cu.cuMemAlloc_v2(&x, SIZE));
    probe("copy nothing", cu.cuMemcpyHtoDAsync_v2(x, plain, 0, stream), "SUCCESS");
    probe("copy to address 0", cu.cuMemcpyHtoDAsync_v2(0, plain, 4, stream), "INVALID_VALUE");
    probe("copy to plain memory as the device's", cu.cuMemcpyHtoDAsync_v2((uintptr_t)plain, plain, 4, stream), "INVALID_VALUE");
    probe("copy beyond the end", cu.cuMemcpyHtoDAsync_v2(x + 1, plain, SIZE, stream), "INVALID_VALUE");
    probe("copy from NULL", cu.cuMemcpyHtoDAsync_v2(x, NULL, 4, stream), "INVALID_VALUE");
    NEED(cu.cuMemHostRegister_v2(plain + SIZE, SIZE, 1));
    probe_differs("copy from memory pinned from its middle on", cu.cuMemcpyHtoDAsync_v2(x, plain + SIZE / 2, SIZE, stream),
                  "SUCCESS", "INVALID_VALUE");
    probe("copy from memory pinned to its middle", cu.cuMemcpyHtoDAsync_v2(x, plain + SIZE + SIZE / 2, SIZE, stream),
          "INVALID_VALUE");
    NEED(cu.cuMemHostUnregister(plain + SIZE));
    probe_rects(stream, x, plain);
    probe_fills(stream, x);
    probe_pageable(stream, x);
    NEED(cu.cuStreamDestroy_v2(stream));
    NEED(cu.cuMemFree_v2(x));
    free(plain);
}

/* ---- Pools ---- */

static unsigned long long pool_value(yk_CUmemoryPool pool, yk_CUmemPool_attribute attribute)
{
    unsigned long long value = 0;

    NEED(cu.cuMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

static void probe_pool_order(yk_CUmemoryPool pool, yk_CUstream stream)
{
    yk_CUdeviceptr x = 0, again = 0;
    probe_gate *gate = gate_close(stream);

    probe_differs("allocate nothing from a pool", cu.cuMemAllocFromPoolAsync(&x, 0, pool, stream), "SUCCESS", "INVALID_VALUE");
    NEED(cu.cuMemAllocFromPoolAsync(&x, SIZE, pool, stream));
    probe_yes("memory of a pool counts as used before its stream is there", pool_value(pool, 7) > 0, true);
    NEED(cu.cuMemsetD8Async(x, 1, SIZE, stream));
    NEED(cu.cuMemFreeAsync(x, stream));
    probe_yes("freed in a stream that stands, it still counts", pool_value(pool, 7) > 0, probe_is_double);
    NEED(cu.cuMemAllocFromPoolAsync(&again, SIZE, pool, stream));
    probe_yes("the stream gets what it has freed at once", again == x, true);
    NEED(cu.cuMemFreeAsync(again, stream));
    probe("free to a pool twice", cu.cuMemFreeAsync(again, stream), "INVALID_VALUE");
    gate_open(gate);
    NEED(cu.cuStreamSynchronize(stream));
    probe_yes("behind a synchronisation none is used", pool_value(pool, 7) == 0, true);
    probe_yes("and some is kept, below the threshold", pool_value(pool, 5) > 0, true);
    NEED(cu.cuMemPoolTrimTo(pool, 0));
    probe_yes("until the pool is trimmed", pool_value(pool, 5) == 0, true);
    NEED(cu.cuMemAllocFromPoolAsync(&x, SIZE, pool, stream));
    NEED(cu.cuStreamSynchronize(stream));
    NEED(cu.cuMemFree_v2(x));
    probe_yes("memory that was freed without a stream counts as used for ever", pool_value(pool, 7) > 0, true);
    NEED(cu.cuMemPoolTrimTo(pool, 1));
    probe_yes("a pool that is to keep one byte keeps more", pool_value(pool, 5) > 0, true);
    NEED(cu.cuMemPoolTrimTo(pool, 0));
    probe_yes("and none if it is to keep none", pool_value(pool, 5) == 0, true);
}

void probe_pools(void)
{
    yk_CUmemPoolProps properties = { .allocType = 1, .location = { YK_CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
    yk_CUmemPoolProps nowhere = { .allocType = 1, .location = { YK_CU_MEM_LOCATION_TYPE_DEVICE, 1000 } };
    unsigned long long threshold = 1 << 30;
    yk_CUstream stream = new_stream();
    yk_CUmemoryPool pool = NULL;
    yk_CUdeviceptr x = 0;

    probe("a pool on no device", cu.cuMemPoolCreate(&pool, (const void *)&nowhere), "INVALID_VALUE");
    NEED(cu.cuMemPoolCreate(&pool, (const void *)&properties));
    NEED(cu.cuMemPoolSetAttribute(pool, YK_CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    probe_pool_order(pool, stream);
    threshold = 0;
    NEED(cu.cuMemPoolSetAttribute(pool, YK_CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    NEED(cu.cuMemAllocFromPoolAsync(&x, SIZE, pool, stream));
    NEED(cu.cuMemFreeAsync(x, stream));
    NEED(cu.cuStreamSynchronize(stream));
    probe_yes("with a threshold of 0 a synchronisation keeps none", pool_value(pool, 5) == 0, true);
    probe("allocate 2^50 from a pool", cu.cuMemAllocFromPoolAsync(&x, (size_t)1 << 50, pool, stream), "OUT_OF_MEMORY");
    NEED(cu.cuMemAlloc_v2(&x, SIZE));
    NEED(cu.cuMemFree_v2(x));
    NEED(cu.cuMemPoolDestroy(pool));
    NEED(cu.cuStreamDestroy_v2(stream));
}
