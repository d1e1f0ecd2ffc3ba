/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranges of memory that the driver knows, and where they come from: pages between two that nobody may touch, so that a kernel
 * which leaves its buffer faults. What is freed is unmapped at once, whoever still uses it.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 256, SLACK = 0xA5, NEW = 0xCD, MOST_POISONED = 1 << 20 };

/* Sorted by address. */
static struct {
    pthread_rwlock_t lock;
    double_range **all;
    size_t count, room;
} ranges = { .lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP };

static atomic_size_t used[DOUBLE_DEVICES];

void double_ranges_read(void)
{
    pthread_rwlock_rdlock(&ranges.lock);
}

void double_ranges_write(void)
{
    pthread_rwlock_wrlock(&ranges.lock);
}

void double_ranges_unlock(void)
{
    pthread_rwlock_unlock(&ranges.lock);
}

/* The place of the first range that begins behind this address. */
static size_t place_behind(uintptr_t address)
{
    size_t low = 0, high = ranges.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges.all[middle]->base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double_range *double_range_find(uintptr_t address)
{
    size_t place = place_behind(address);
    double_range *range = place > 0 ? ranges.all[place - 1] : NULL;

    return range && address - range->base < range->capacity ? range : NULL;
}

bool double_range_add(double_range *range)
{
    size_t place = place_behind(range->base);

    if (ranges.count == ranges.room) {
        size_t room = ranges.room ? 2 * ranges.room : 64;
        double_range **all = realloc(ranges.all, room * sizeof *all);
        if (!all)
            return false;
        ranges.all = all;
        ranges.room = room;
    }
    memmove(&ranges.all[place + 1], &ranges.all[place], (ranges.count - place) * sizeof *ranges.all);
    ranges.all[place] = range;
    ranges.count++;
    return true;
}

void double_range_remove(double_range *range)
{
    size_t place = place_behind(range->base);

    ranges.count--;
    memmove(&ranges.all[place - 1], &ranges.all[place], (ranges.count + 1 - place) * sizeof *ranges.all);
}

double_range *double_range_next(bool (*which)(const double_range *range, const void *whose), const void *whose)
{
    for (size_t i = 0; i < ranges.count; i++)
        if (which(ranges.all[i], whose))
            return ranges.all[i];
    return NULL;
}

/* From this address on: the first range that has a byte of it, or NULL. */
double_range *double_range_within(uintptr_t address, size_t size)
{
    double_range *range = double_range_find(address);
    size_t behind = place_behind(address);

    if (!range && behind < ranges.count && ranges.all[behind]->base - address < size)
        range = ranges.all[behind];
    return range;
}

/* ---- Pages ---- */

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

bool double_range_map(double_range *range, size_t size, bool flush)
{
    size_t page = page_size(), inner = size <= SIZE_MAX / 2 ? (size + page - 1) / page * page : SIZE_MAX / 2;
    unsigned char *mapping = mmap(NULL, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (mapping == MAP_FAILED)
        return false;
    if (mprotect(mapping + page, inner, PROT_READ | PROT_WRITE) != 0) {
        munmap(mapping, inner + 2 * page);
        return false;
    }
    size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    range->mapping = mapping;
    range->mapped = inner + 2 * page;
    range->base = (uintptr_t)mapping + page + (flush ? inner - rounded : 0);
    range->size = range->capacity = size;
    if (flush)
        memset((void *)(range->base + size), SLACK, rounded - size);
    return true;
}

/* Kernels write anywhere; what they wrote just behind the memory is seen now. */
static void check_slack(const double_range *range)
{
    const unsigned char *end = (unsigned char *)range->mapping + range->mapped - page_size();

    for (const unsigned char *byte = (unsigned char *)range->base + range->size; byte < end; byte++)
        if (*byte != SLACK)
            double_die("byte %zu behind %zu bytes of memory has been written",
                       (size_t)(byte - (unsigned char *)range->base) - range->size, range->size);
}

void double_range_unmap(double_range *range)
{
    if (!range->block)
        check_slack(range);
    munmap(range->mapping, range->mapped);
}

/* Memory of a device is not zero at first. Large memory is left alone: it may never be touched. */
void double_range_poison(double_range *range)
{
    if (range->capacity <= MOST_POISONED)
        memset((void *)range->base, NEW, range->capacity);
}

/* ---- Accounting ---- */

bool double_account(int ordinal, size_t size)
{
    size_t before = atomic_load(&used[ordinal]), total = double_settings_get()->memory;

    do {
        if (size > total || before > total - size)
            return false;
    } while (!atomic_compare_exchange_weak(&used[ordinal], &before, before + size));
    return true;
}

void double_unaccount(int ordinal, size_t size)
{
    atomic_fetch_sub(&used[ordinal], size);
}

yk_CUresult cuMemGetInfo_v2(size_t *out_free, size_t *out_total)
{
    ENTER(DOUBLE_CONTEXT);
    if (!out_free || !out_total)
        return YK_CUDA_ERROR_INVALID_VALUE;
    *out_total = double_settings_get()->memory;
    *out_free = *out_total - atomic_load(&used[double_current()->ordinal]);
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuDeviceTotalMem_v2(size_t *out_bytes, yk_CUdevice device)
{
    ENTER(DOUBLE_START);
    if (!out_bytes)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (device < 0 || device >= double_settings_get()->devices)
        return YK_CUDA_ERROR_INVALID_DEVICE;
    *out_bytes = double_settings_get()->memory;
    return YK_CUDA_SUCCESS;
}

/* ---- Is it memory? ---- */

yk_CUresult double_reachable(uintptr_t address, size_t size)
{
    yk_CUresult result = YK_CUDA_ERROR_INVALID_VALUE;

    double_ranges_read();
    const double_range *range = double_range_find(address);
    if (range && range->given && address - range->base <= range->size && size <= range->size - (address - range->base))
        result = YK_CUDA_SUCCESS;
    double_ranges_unlock();
    return result;
}

bool double_accessible(uintptr_t address, size_t size)
{
    const double_range *range = double_range_find(address);

    return range && range->open && size <= range->capacity - (address - range->base);
}

yk_CUresult double_host_kind(const void *host, size_t size, bool *out_pinned)
{
    uintptr_t from = (uintptr_t)host;
    yk_CUresult result = YK_CUDA_SUCCESS;

    double_ranges_read();
    const double_range *first = double_range_within(from, size);
    *out_pinned = first != NULL;
    if (first &&
        (from < first->base || from - first->base > first->size || size > first->size - (from - first->base) || !first->given))
        result = YK_CUDA_ERROR_INVALID_VALUE;
    double_ranges_unlock();
    return result;
}
