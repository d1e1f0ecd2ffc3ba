/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA's results: their names, their statuses, and advice. The driver reports a kernel's fault at the next call, so the call in the
 * text is where the fault was noticed, not its cause.
 */
#include "driver.h"

#define RESTART "; the GPU is lost to this process: restart the process"
#define FAULT " (compute-sanitizer shows where)" RESTART

typedef struct meaning {
    yk_CUresult result;
    yoke_status status;
    const char *advice; /* "" for none */
} meaning;

static const meaning meanings[] = {
    { YK_CUDA_ERROR_OUT_OF_MEMORY, YOKE_E_OUT_OF_DEVICE_MEMORY, "" },
    { YK_CUDA_ERROR_NOT_INITIALIZED, YOKE_E_FORKED,
      "this process was forked from a process that had already started CUDA; start CUDA after fork only, or call exec" },
    { YK_CUDA_ERROR_DEINITIALIZED, YOKE_E_DEVICE_LOST, "the process is ending and the driver has shut down" },
    { YK_CUDA_ERROR_STUB_LIBRARY, YOKE_E_UNAVAILABLE,
      "this libcuda.so.1 is the CUDA Toolkit's stub; take its folder (.../stubs) out of LD_LIBRARY_PATH and install NVIDIA's "
      "driver" },
    { YK_CUDA_ERROR_DEVICE_UNAVAILABLE, YOKE_E_UNAVAILABLE,
      "another process has exclusive use of the device, or the compute mode is prohibited; see nvidia-smi -q -d COMPUTE" },
    { YK_CUDA_ERROR_NO_DEVICE, YOKE_E_UNAVAILABLE,
      "the driver finds no GPU; check whether nvidia-smi lists a GPU, and the value of CUDA_VISIBLE_DEVICES" },
    { YK_CUDA_ERROR_INVALID_DEVICE, YOKE_E_NOT_FOUND, "" },
    { YK_CUDA_ERROR_DEVICE_NOT_LICENSED, YOKE_E_UNAVAILABLE, "the virtual GPU has no licence; see the status of nvidia-gridd" },
    { YK_CUDA_ERROR_INVALID_CONTEXT, YOKE_E_DEVICE_LOST,
      "other code in this process has reset or destroyed the device's primary context" RESTART },
    { YK_CUDA_ERROR_ECC_UNCORRECTABLE, YOKE_E_DEVICE_LOST, "the GPU's memory has a defect; see nvidia-smi -q -d ECC" RESTART },
    { YK_CUDA_ERROR_NVLINK_UNCORRECTABLE, YOKE_E_DEVICE_LOST, "a link between GPUs failed; see nvidia-smi nvlink -s" RESTART },
    { YK_CUDA_ERROR_CONTAINED, YOKE_E_DEVICE_LOST, "a hardware fault was contained to this process" RESTART },
    { YK_CUDA_ERROR_INVALID_PTX, YOKE_E_BUILD, "" },
    { YK_CUDA_ERROR_JIT_COMPILER_NOT_FOUND, YOKE_E_UNAVAILABLE,
      "the driver's own compiler is missing; install libnvidia-ptxjitcompiler.so.1 of the driver's version" },
    { YK_CUDA_ERROR_JIT_COMPILATION_DISABLED, YOKE_E_UNAVAILABLE, "unset CUDA_DISABLE_PTX_JIT" },
    { YK_CUDA_ERROR_OPERATING_SYSTEM, YOKE_E_DRIVER, "an operating system call failed; see the kernel's log (dmesg, NVRM)" },
    { YK_CUDA_ERROR_ILLEGAL_ADDRESS, YOKE_E_DEVICE_LOST, "a kernel accessed memory outside its buffers" FAULT },
    { YK_CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, YOKE_E_RANGE,
      "the kernel needs more registers or shared memory than a block of this size may use; launch smaller blocks" },
    { YK_CUDA_ERROR_LAUNCH_TIMEOUT, YOKE_E_DEVICE_LOST, "a kernel exceeded the time limit of a GPU that drives a display" RESTART },
    { YK_CUDA_ERROR_CONTEXT_IS_DESTROYED, YOKE_E_DEVICE_LOST,
      "other code in this process has reset the device's primary context" RESTART },
    { YK_CUDA_ERROR_ASSERT, YOKE_E_DEVICE_LOST,
      "an assert in a kernel failed; the driver writes to stderr which one, in which block and thread" RESTART },
    { YK_CUDA_ERROR_HARDWARE_STACK_ERROR, YOKE_E_DEVICE_LOST,
      "a kernel overflowed or corrupted its stack, for example by infinite recursion" FAULT },
    { YK_CUDA_ERROR_ILLEGAL_INSTRUCTION, YOKE_E_DEVICE_LOST, "a kernel executed an illegal instruction" FAULT },
    { YK_CUDA_ERROR_MISALIGNED_ADDRESS, YOKE_E_DEVICE_LOST, "a kernel accessed memory at a misaligned address" FAULT },
    { YK_CUDA_ERROR_INVALID_ADDRESS_SPACE, YOKE_E_DEVICE_LOST, "a kernel used an address of the wrong address space" FAULT },
    { YK_CUDA_ERROR_INVALID_PC, YOKE_E_DEVICE_LOST, "a kernel jumped to an invalid address" FAULT },
    { YK_CUDA_ERROR_LAUNCH_FAILED, YOKE_E_DEVICE_LOST, "a kernel crashed" FAULT },
    { YK_CUDA_ERROR_TENSOR_MEMORY_LEAK, YOKE_E_DEVICE_LOST, "a kernel ended without freeing its tensor memory" RESTART },
    { YK_CUDA_ERROR_NOT_PERMITTED, YOKE_E_DRIVER,
      "the driver does not allow this call here, for example inside a stream capture or one of the driver's callbacks" },
    { YK_CUDA_ERROR_NOT_SUPPORTED, YOKE_E_UNSUPPORTED, "" },
    { YK_CUDA_ERROR_SYSTEM_NOT_READY, YOKE_E_UNAVAILABLE,
      "the GPUs are not initialized yet; check whether nvidia-fabricmanager is running" },
    { YK_CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, YOKE_E_UNAVAILABLE,
      "libcuda.so.1 and the running kernel module are of different versions; reboot, or reload the module, after an update of the "
      "driver" },
    { YK_CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, YOKE_E_UNAVAILABLE,
      "the compatibility libcuda.so.1 does not support this GPU; take the cuda-compat folder out of LD_LIBRARY_PATH" },
    { YK_CUDA_ERROR_MPS_CONNECTION_FAILED, YOKE_E_UNAVAILABLE,
      "check whether nvidia-cuda-mps-control is running, and the value of CUDA_MPS_PIPE_DIRECTORY" },
    { YK_CUDA_ERROR_MPS_RPC_FAILURE, YOKE_E_DEVICE_LOST, "the MPS server does not respond" RESTART },
    { YK_CUDA_ERROR_MPS_SERVER_NOT_READY, YOKE_E_UNAVAILABLE, "the MPS server is starting or recovering; try again" },
    { YK_CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, YOKE_E_UNAVAILABLE, "too many processes use the MPS server" },
    { YK_CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, YOKE_E_UNAVAILABLE, "too many processes use the MPS server" },
    { YK_CUDA_ERROR_MPS_CLIENT_TERMINATED, YOKE_E_DEVICE_LOST, "the MPS server terminated this process's work" RESTART },
    { YK_CUDA_ERROR_EXTERNAL_DEVICE, YOKE_E_DEVICE_LOST, "another device that the GPU worked with has failed" RESTART },
    { YK_CUDA_ERROR_UNKNOWN, YOKE_E_DRIVER,
      "see the kernel's log (dmesg, NVRM); check whether the module nvidia_uvm is loaded and /dev/nvidia-uvm can be opened" },
};

static const meaning *meaning_of(yk_CUresult result)
{
    static const meaning other = { YK_CUDA_SUCCESS, YOKE_E_DRIVER, "" };
    for (size_t i = 0; i < YK_COUNT_OF(meanings); i++)
        if (meanings[i].result == result)
            return &meanings[i];
    return &other;
}

const char *yk_cuda_name(yk_CUresult result)
{
    const char *name = NULL;
    if (yk_cu.cuGetErrorName && yk_cu.cuGetErrorName(result, &name) == YK_CUDA_SUCCESS && name)
        return name;
    switch (result) { /* the stub knows no names, and an old driver lacks the new names */
#define NAME(name, value) \
    case value:           \
        return #name;
        YK_CUDA_RESULTS(NAME)
#undef NAME
    default:
        return "unknown CUDA error";
    }
}

static yoke_status fail(yoke_status status, const char *call, yk_CUresult result, const char *format, va_list values)
{
    return yk_driver_vfail(status, "cuda", call, (int)result, yk_cuda_name(result), meaning_of(result)->advice, format, values);
}

yoke_status yk_cuda_fail(const char *call, yk_CUresult result, const char *format, ...)
{
    yoke_status status;
    va_list values;

    va_start(values, format);
    status = fail(meaning_of(result)->status, call, result, format, values);
    va_end(values);
    return status;
}

yoke_status yk_cuda_fail_as(yoke_status status, const char *call, yk_CUresult result, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    status = fail(status, call, result, format, values);
    va_end(values);
    return status;
}

/* A lost device repeats its error at every call, and is already reported; at process exit everything is already freed. */
void yk_cuda_note_failure(const char *call, yk_CUresult result)
{
    yk_log(meaning_of(result)->status == YOKE_E_DEVICE_LOST ? YOKE_LOG_DEBUG : YOKE_LOG_WARNING, "cuda: %s failed: %s (%u)", call,
           yk_cuda_name(result), result);
}
