/* SPDX-License-Identifier: Apache-2.0 */
/* Which OpenCL drivers have quirks: those that are known by name, and no other. */
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/quirks.h"

#include "../tap/tap.h"

/* How many of all quirks it has. */
static int count(const yk_opencl_quirks *quirks)
{
#define QUIRK(member, drivers, evidence) +quirks->member
    return 0
#include "backends/opencl/quirks.def"
        ;
}

static void check(const char *platform, const char *maker, const char *device, int expected)
{
    yk_opencl_quirks quirks = yk_opencl_find_quirks(platform, maker, device);
    tap_ok(count(&quirks) == expected, "'%s' of '%s', '%s': %d quirks", platform, maker, device, expected);
}

static void unknown(void)
{
    check("AMD Accelerated Parallel Processing", "Advanced Micro Devices, Inc.", "gfx1100", 0);
    check("Intel(R) OpenCL Graphics", "Intel(R) Corporation", "Intel(R) Arc(TM) A770 Graphics", 0);
    check("ARM Platform", "ARM", "Mali-G78", 0);
    check("A platform", "", "", 0);
}

static void known(void)
{
    const char *pocl = "Portable Computing Language";
    check("NVIDIA CUDA", "NVIDIA Corporation", "NVIDIA H200", 10);
    check(pocl, "The pocl project", "pthread-x86", 5);
    check(pocl, "The pocl project", "basic-x86", 5);
    check("rusticl", "Mesa/X.org", "AMD Radeon", 3);
    check("rusticl", "Mesa/X.org", "llvmpipe (LLVM 15.0.6, 256 bits)", 4);
    check("Oclgrind", "University of Bristol", "Oclgrind Simulator", 1);
    tap_ok(yk_opencl_find_quirks(pocl, "", "basic").one_at_a_time && !yk_opencl_find_quirks(pocl, "", "basic").slow_markers,
           "PoCL without threads");
    tap_ok(!yk_opencl_find_quirks(pocl, "", "cpu").one_at_a_time && yk_opencl_find_quirks(pocl, "", "cpu").slow_markers,
           "PoCL with threads");
    tap_ok(!yk_opencl_find_quirks(pocl, "", "NVIDIA H200").hides_faults, "a device's name is not the platform's maker");
    setenv("POCL_KERNEL_CACHE", "0", 1);
    check(pocl, "The pocl project", "pthread-x86", 4);
}

int main(void)
{
    unsetenv("POCL_KERNEL_CACHE");
    unknown();
    known();
    return tap_done();
}
