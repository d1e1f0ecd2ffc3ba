/* SPDX-License-Identifier: Apache-2.0 */
/* The codes of drivers: the name, the status and the advice that each gets in a failure's record. */
#include <stdio.h>
#include <string.h>

#include "../../backends/cuda/driver.h"
#include "../../backends/opencl/driver.h"
#include "../tap/tap.h"

static bool record_has(const char *text)
{
    return strstr(yoke_error()->text, text) != NULL;
}

/* ---- OpenCL ---- */

static void opencl_names(void)
{
    unsigned named = 0;
    bool distinct = true, told = true;

    for (cl_int code = -1200; code <= 0; code++) {
        const char *name = yk_opencl_code_name(code);
        if (strncmp(name, "CL_", 3) != 0)
            continue;
        named++;
        for (cl_int other = -1200; other < code; other++)
            distinct = distinct && strcmp(name, yk_opencl_code_name(other)) != 0;
        yoke_status status = yk_opencl_fail("clFinish", code, "what was %s", "asked");
        told = told && status < 0 && yoke_error()->status == status && yoke_error()->driver_code == code &&
               strcmp(yoke_error()->driver_call, "clFinish") == 0 && strcmp(yoke_error()->driver_name, name) == 0 &&
               record_has(name) && record_has("what was asked");
    }
    tap_ok(named > 50, "OpenCL: %u codes have names", named);
    tap_ok(distinct, "each its own");
    tap_ok(told, "and all are reported with their number, call and size");
    tap_is(yk_opencl_code_name(-12345), "unknown OpenCL code", "others are unknown");
    tap_is(yk_opencl_fail("clFinish", -12345, NULL), YOKE_E_DRIVER, "and failures of the driver");
    tap_ok(record_has("-12345"), "with their number");
}

static void opencl_status(void)
{
    static const struct {
        cl_int code;
        yoke_status status;
        const char *advice;
    } all[] = {
        { CL_MEM_OBJECT_ALLOCATION_FAILURE, YOKE_E_OUT_OF_DEVICE_MEMORY, "" },
        { CL_OUT_OF_HOST_MEMORY, YOKE_E_OUT_OF_HOST_MEMORY, "" },
        { CL_PLATFORM_NOT_FOUND_KHR, YOKE_E_UNAVAILABLE, "install" },
        { CL_INVALID_COMMAND_QUEUE, YOKE_E_DEVICE_LOST, "restart the process" },
        { -9999, YOKE_E_DEVICE_LOST, "restart the process" },
        { CL_OUT_OF_RESOURCES, YOKE_E_DRIVER, "" },
    };

    for (size_t i = 0; i < YK_COUNT_OF(all); i++) {
        tap_is(yk_opencl_fail("clFlush", all[i].code, NULL), all[i].status, "%s is %s", yk_opencl_code_name(all[i].code),
               yoke_status_name(all[i].status));
        tap_ok(record_has(all[i].advice), "and says what to do: %s", *all[i].advice ? all[i].advice : "nothing");
    }
    tap_is(yk_opencl_fail_as(YOKE_E_BUILD, "clBuildProgram", CL_INVALID_BINARY, "a program"), YOKE_E_BUILD,
           "who knows better says which status");
    tap_ok(record_has("CL_INVALID_BINARY"), "with the code's name");
}

/* ---- CUDA ---- */

static const struct {
    const char *name;
    yk_CUresult result;
} results[] = {
#define NAME(name, value) { #name, value },
    YK_CUDA_RESULTS(NAME)
#undef NAME
};

static void cuda_names(void)
{
    bool named = true, told = true;
    unsigned lost = 0;

    for (size_t i = 0; i < YK_COUNT_OF(results); i++) {
        named = named && strcmp(yk_cuda_name(results[i].result), results[i].name) == 0;
        if (results[i].result == YK_CUDA_SUCCESS)
            continue;
        yoke_status status = yk_cuda_fail("cuCtxSynchronize", results[i].result, "what was %s", "asked");
        told = told && status < 0 && yoke_error()->status == status && yoke_error()->driver_code == (int)results[i].result &&
               record_has(results[i].name) && record_has("what was asked");
        lost += status == YOKE_E_DEVICE_LOST;
        if (status == YOKE_E_DEVICE_LOST && !record_has("restart") && !record_has("is ending"))
            tap_diag("%s", yoke_error()->text);
        told = told && (status != YOKE_E_DEVICE_LOST || record_has("restart") || record_has("is ending"));
    }
    tap_ok(named, "CUDA: %zu results have their names without the driver", YK_COUNT_OF(results));
    tap_ok(told, "all are reported with their number, call and size, and with advice where the device is lost");
    tap_ok(lost > 10, "which %u of them say", lost);
    tap_is(yk_cuda_name((yk_CUresult)54321), "unknown CUDA error", "others are unknown");
    tap_is(yk_cuda_fail("cuInit", (yk_CUresult)54321, NULL), YOKE_E_DRIVER, "and failures of the driver");
}

static void cuda_status(void)
{
    static const struct {
        yk_CUresult result;
        yoke_status status;
        const char *advice;
    } all[] = {
        { YK_CUDA_ERROR_OUT_OF_MEMORY, YOKE_E_OUT_OF_DEVICE_MEMORY, "" },
        { YK_CUDA_ERROR_NOT_INITIALIZED, YOKE_E_FORKED, "after fork only" },
        { YK_CUDA_ERROR_STUB_LIBRARY, YOKE_E_UNAVAILABLE, "LD_LIBRARY_PATH" },
        { YK_CUDA_ERROR_NO_DEVICE, YOKE_E_UNAVAILABLE, "nvidia-smi" },
        { YK_CUDA_ERROR_INVALID_PTX, YOKE_E_BUILD, "" },
        { YK_CUDA_ERROR_ILLEGAL_ADDRESS, YOKE_E_DEVICE_LOST, "compute-sanitizer" },
        { YK_CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, YOKE_E_RANGE, "smaller blocks" },
        { YK_CUDA_ERROR_NOT_SUPPORTED, YOKE_E_UNSUPPORTED, "" },
        { YK_CUDA_ERROR_INVALID_VALUE, YOKE_E_DRIVER, "" },
    };

    for (size_t i = 0; i < YK_COUNT_OF(all); i++) {
        tap_is(yk_cuda_fail("cuInit", all[i].result, NULL), all[i].status, "%s is %s", yk_cuda_name(all[i].result),
               yoke_status_name(all[i].status));
        tap_ok(record_has(all[i].advice), "and says what to do: %s", *all[i].advice ? all[i].advice : "nothing");
    }
}

/* ---- Messages in the log ---- */

static int heard = YOKE_LOG_OFF;
static char words[512];

static void listen(int level, const char *text, void *user)
{
    (void)user;
    heard = level;
    snprintf(words, sizeof words, "%s", text);
}

static void notes(void)
{
    yoke_log_set(YOKE_LOG_DEBUG, listen, NULL);
    yk_opencl_note_failure("clReleaseEvent", CL_INVALID_EVENT);
    tap_ok(heard == YOKE_LOG_WARNING && strstr(words, "clReleaseEvent failed: CL_INVALID_EVENT (-58)"),
           "a release that fails warns");
    yk_opencl_note_failure("clReleaseEvent", CL_INVALID_COMMAND_QUEUE);
    tap_is(heard, YOKE_LOG_DEBUG, "except for a lost device, which has been reported");
    yk_cuda_note_failure("cuMemFree_v2", YK_CUDA_ERROR_INVALID_VALUE);
    tap_ok(heard == YOKE_LOG_WARNING && strstr(words, "cuMemFree_v2 failed: CUDA_ERROR_INVALID_VALUE (1)"), "CUDA's as well");
    yk_cuda_note_failure("cuMemFree_v2", YK_CUDA_ERROR_LAUNCH_FAILED);
    tap_is(heard, YOKE_LOG_DEBUG, "and its lost devices");
    yoke_log_set(YOKE_LOG_OFF, NULL, NULL);
}

int main(void)
{
    tap_start(60);
    opencl_names();
    opencl_status();
    cuda_names();
    cuda_status();
    notes();
    return tap_done();
}
