# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""What to write instead of Numba's names that yoke.numba_like does not have: of the module, and of its kernels."""

EACH = "end the kernel, and launch another"
NAMES = {
    "mapped_array": "take cuda.to_device", "managed_array": "take cuda.to_device",
    "declare_device": "write a @cuda.jit(device=True) function", "cudadrv": "yoke.Device has what the driver tells",
    "guvectorize": "write a kernel", "threadfence": f"OpenCL's fence does not order what other blocks see: {EACH}",
    "threadfence_block": "take cuda.syncthreads", "threadfence_system": EACH, "nanosleep": "no device but CUDA's sleeps: " + EACH,
    "activemask": "all threads of a warp take part: 0xffffffff", "match_all_sync": "compare with cuda.shfl_sync, and cuda.all_sync",
    "syncthreads_count": "add in shared memory with cuda.atomic.add, between two cuda.syncthreads",
    "syncthreads_and": "cuda.atomic.and_ in shared memory, between two cuda.syncthreads",
    "syncthreads_or": "cuda.atomic.or_ in shared memory, between two cuda.syncthreads",
    "close": "memory returns with the arrays that are dropped", "external_stream": "yoke.Stream has native handles",
    "compile_ptx": "kernel.kernel.text(…) is what is compiled", "libdevice": "take the functions of math, such as math.exp2",
    "defer_cleanup": "memory returns in the order of the stream, which nothing waits for",
    "runtime": "cuda.detect tells the devices",
    "profiling": "YOKE_TRACE writes a timeline", "profile_start": "YOKE_TRACE writes a timeline",
    "profile_stop": "YOKE_TRACE writes a timeline", "require_context": "a device is opened when it is first used",
    "fp16": "kernels compute with halves as float32",
}
TEXT = "kernel.kernel.text(…) is what is compiled"
OF_KERNELS = {
    "overloads": "a variant is compiled for each combination of types, at its first launch",
    "specialize": "a variant is compiled for each combination of types, at its first launch",
    "inspect_asm": TEXT, "inspect_llvm": TEXT, "inspect_sass": TEXT, "inspect_types": TEXT,
    "get_regs_per_thread": "`registers` in the info of a yoke.Kernel has them, which device.build makes of that text",
    "max_cooperative_grid_blocks": "a launch of more says how many fit",
}

OPTIONS = {  # of jit
    "debug": "kernel.simulate runs the kernel as Python", "lineinfo": "messages name the Python line anyway",
    "max_registers": "take a smaller block", "link": "other code is a yoke.Source", "opt": "the vendor's compiler optimises",
    "inline": "the vendor's compiler chooses which functions it inlines: leave it out",
}
