/* SPDX-License-Identifier: Apache-2.0 */
/* Memory as Windows has it. */
#include "base/system/memory.h"

#include <io.h>
#include <stdlib.h>
#include <windows.h>

static bool is_byte_writable(const char *byte)
{
    MEMORY_BASIC_INFORMATION about;
    const DWORD writable = PAGE_READWRITE | PAGE_WRITECOPY | PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY;
    if (VirtualQuery(byte, &about, sizeof about) == 0)
        return false;
    return about.State == MEM_COMMIT && about.Protect & writable && !(about.Protect & PAGE_GUARD);
}

bool yk_is_writable(const void *host, size_t size)
{
    const char *start = host;
    return is_byte_writable(start) && is_byte_writable(start + size - 1);
}

bool yk_memory_has_addresses(size_t size)
{
    void *memory = VirtualAlloc(NULL, size, MEM_RESERVE, PAGE_NOACCESS);
    return memory && VirtualFree(memory, 0, MEM_RELEASE);
}

void *yk_memory_share(size_t size)
{
    return calloc(1, size); /* there are no forked children */
}

/* The file keeps its size: what is mapped behind its end is the rest of a page. */
void *yk_memory_map(int file, size_t size)
{
    HANDLE mapping = CreateFileMappingW((HANDLE)_get_osfhandle(file), NULL, PAGE_READWRITE, 0, 0, NULL);
    void *memory = mapping && size <= 4096 ? MapViewOfFile(mapping, FILE_MAP_ALL_ACCESS, 0, 0, 0) : NULL;
    if (mapping)
        CloseHandle(mapping); /* the view keeps it */
    return memory;
}

void yk_memory_unmap(void *memory, size_t size)
{
    (void)size;
    (void)UnmapViewOfFile(memory);
}
