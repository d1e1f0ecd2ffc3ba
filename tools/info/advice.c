/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to do about drivers that are missing: what the drivers answered, beside what the system shows. Advice is given only for
 * hardware that is there, or when there is no device at all.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "info.h"

static void advise(info *self, const char *about, char *text)
{
    self->advice = tool_grow(self->advice, (self->advice_count + 1) * sizeof *self->advice);
    self->advice[self->advice_count++] = (info_advice){ about, text };
}

static const probe *find_probe(const info *self, const char *what)
{
    for (size_t i = 0; i < self->probe_count; i++)
        if (strcmp(self->probes[i].what, what) == 0)
            return &self->probes[i];
    return NULL;
}

static void advise_permission(info *self, const char *about, const host_node *node)
{
    if (*node->group && strcmp(node->group, "root") != 0)
        advise(self, about,
               tool_text("no permission for %s: join the group it belongs to (sudo usermod -aG %s $USER) and log in again",
                         node->path, node->group));
    else
        advise(
            self, about,
            tool_text(
                "no permission for %s, which belongs to root alone: an administrator must give a group access, for example with a "
                "udev rule",
                node->path));
}

/* There is a GPU of NVIDIA's, or its kernel driver, and CUDA has no device. */
static void advise_nvidia(info *self, const probe *cuda)
{
    const host_node *locked;
    bool in_container = self->host.container != NULL;
    size_t nodes = host_nodes(&self->host, "/dev/nvidia", &locked);

    if (locked)
        advise_permission(self, "cuda", locked);
    else if (nodes == 0 && in_container)
        advise(
            self, "cuda",
            tool_text(
                "this is %s, and NVIDIA's GPUs are not visible in it: start it with them (docker run --gpus all, with the NVIDIA "
                "Container Toolkit; podman run --device nvidia.com/gpu=all; apptainer --nv)",
                self->host.container));
    else if (nodes == 0 && *self->host.nvidia)
        advise(self, "cuda",
               tool_text("NVIDIA's kernel driver %s is loaded, but its device files are missing: sudo nvidia-modprobe -u -c 0",
                         self->host.nvidia));
    else if (!*self->host.nvidia)
        advise(self, "cuda",
               tool_text(
                   "there is an NVIDIA GPU, but its kernel driver is not loaded: install NVIDIA's driver (Debian: nvidia-driver) "
                   "and restart; if it is installed, sudo modprobe nvidia says what is wrong"));
    else if (cuda->message && strstr(cuda->message, "libcuda.so.1"))
        advise(
            self, "cuda",
            tool_text(
                "NVIDIA's kernel driver %s is loaded, but libcuda.so.1 of the same version is not installed (Debian: libcuda1%s)",
                self->host.nvidia, in_container ? "; in a container NVIDIA_DRIVER_CAPABILITIES must include compute" : ""));
}

static void advise_cuda(info *self)
{
    const probe *cuda = find_probe(self, "cuda");
    if (!cuda || cuda->count > 0)
        return;
    if (info_is_broken(cuda))
        advise(self, "cuda",
               tool_text("NVIDIA's driver does not answer properly: check whether nvidia-smi works, and restart the machine; "
                         "YOKE_BACKEND=opencl avoids the driver meanwhile"));
    else if (host_has_gpu(&self->host, HOST_NVIDIA) || *self->host.nvidia)
        advise_nvidia(self, cuda);
}

/* Whether there may be more to find: a GPU that OpenCL could drive, or nothing at all yet. */
static bool wants_opencl(const info *self)
{
    return self->device_count == 0 || host_has_gpu(&self->host, HOST_AMD) || host_has_gpu(&self->host, HOST_INTEL);
}

/* Where PoCL has its cache; to be freed. */
static char *pocl_cache(void)
{
    const char *own = getenv("POCL_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own && *own)
        return tool_text("%s", own);
    if (xdg && *xdg)
        return tool_text("%s/pocl/kcache", xdg);
    return home ? tool_text("%s/.cache/pocl/kcache", home) : tool_text("/tmp/pocl/kcache");
}

/* Whether the folder is there or can be made; else `errno` says why not. */
static bool can_be_made(const char *folder)
{
    char *path = tool_text("%s", folder);
    bool can = access(path, F_OK) == 0;
    for (char *slash; !can && errno == ENOENT && (slash = strrchr(path, '/')) && slash > path;) {
        *slash = '\0';
        can = access(path, W_OK | X_OK) == 0;
    }
    if (!can && errno == ENOENT) /* what is left is of the root, or of the folder that this is run in */
        can = access(*path == '/' ? "/" : ".", W_OK | X_OK) == 0;
    int error = errno;
    free(path);
    errno = error;
    return can;
}

/* PoCL says nothing of why it has no device. */
static void advise_pocl(info *self)
{
    const char *devices = getenv("POCL_DEVICES");
    char *cache = pocl_cache();
    if (!can_be_made(cache))
        advise(
            self, "opencl",
            tool_text("PoCL has no device, since the folder of its cache, %s, cannot be made (%s): set POCL_CACHE_DIR to a folder "
                      "that can be written, and YOKE_CACHE_DIR for Yoke's cache",
                      cache, strerror(errno)));
    else if (devices && *devices)
        advise(self, "opencl",
               tool_text("PoCL has no device with POCL_DEVICES=%s: unset it, or name devices that this PoCL has, such as pthread",
                         devices));
    free(cache);
}

/* One OpenCL driver, asked alone. */
static void advise_icd(info *self, const probe *asked)
{
    if (info_is_broken(asked))
        advise(
            self, "opencl",
            tool_text("%s breaks every program that uses OpenCL: update or remove its package (dpkg -S %s), or exclude it: put the "
                      "other .icd files into a folder and set OCL_ICD_VENDORS to that folder",
                      asked->what, asked->what));
    else if (asked->library_fault)
        advise(self, "opencl",
               tool_text("%s names a library that cannot be opened (%s): reinstall its package, or remove the file", asked->what,
                         asked->library_fault));
    else if (asked->count == 0 && strstr(asked->icd_library, "pocl"))
        advise_pocl(self);
    else if (asked->count == 0 && strstr(asked->icd_library, "Rusticl") && wants_opencl(self))
        advise(
            self, "opencl",
            tool_text("Mesa's rusticl uses only the drivers in RUSTICL_ENABLE, such as RUSTICL_ENABLE=radeonsi, iris or llvmpipe"));
}

static bool some_icd_answers(const info *self)
{
    for (size_t i = 0; i < self->probe_count; i++)
        if (self->probes[i].icd_folder && self->probes[i].count > 0)
            return true;
    return false;
}

static void advise_opencl(info *self)
{
    const probe *opencl = find_probe(self, "opencl");
    const host_node *locked;
    if (!opencl)
        return;
    for (size_t i = 0; i < self->probe_count; i++)
        if (self->probes[i].icd_folder)
            advise_icd(self, &self->probes[i]);
    for (size_t i = 0; i < self->icds.count; i++)
        if (self->icds.icds[i].fault)
            advise(self, "opencl", tool_text("%s: %s", self->icds.icds[i].file, self->icds.icds[i].fault));
    if (opencl->count == 0 && self->icds.lacks_slash && some_icd_answers(self))
        advise(self, "opencl", tool_text("this OpenCL loader needs a / at the end of %s", self->icds.place));
    if (self->icds.count == 0 && self->device_count == 0)
        advise(
            self, "opencl",
            tool_text("no OpenCL driver is installed (there is no .icd file in %s): to run on the CPU, on Debian or Ubuntu: sudo "
                      "apt install ocl-icd-libopencl1 pocl-opencl-icd; for a GPU, install its driver, such as intel-opencl-icd, "
                      "mesa-opencl-icd or nvidia-opencl-icd%s",
                      self->icds.place, self->icds.ordered ? "; and unset that variable, so that the loader finds it" : ""));
    else if (opencl->message && strstr(opencl->message, "libOpenCL.so.1"))
        advise(
            self, "opencl",
            tool_text("the OpenCL loader, libOpenCL.so.1, is missing; on Debian or Ubuntu: sudo apt install ocl-icd-libopencl1"));
    size_t nodes = host_nodes(&self->host, "/dev/dri/renderD", &locked);
    bool has_gpu = host_has_gpu(&self->host, HOST_AMD) || host_has_gpu(&self->host, HOST_INTEL);
    if (locked)
        advise_permission(self, "opencl", locked);
    else if (nodes == 0 && has_gpu && self->host.container)
        advise(
            self, "opencl",
            tool_text("this is %s, and the GPU is not visible in it: start it with --device /dev/dri (and /dev/kfd for AMD's ROCm)",
                      self->host.container));
}

void info_advise(info *self)
{
    const char *order = getenv("YOKE_BACKEND");
    advise_cuda(self);
    advise_opencl(self);
    if (self->order_fault)
        advise(self, "environment",
               tool_text("programs that use YOKE_DEVICE=%s get no device (%s): unset it, or name a device that is listed above",
                         getenv("YOKE_DEVICE"), self->order_fault));
    if (self->device_count > 0)
        return;
    if (order && *order)
        advise(self, find_probe(self, "cuda") ? "cuda" : "opencl",
               tool_text("YOKE_BACKEND=%s excludes the other backend: unset it to let Yoke search both", order));
    if (find_probe(self, "cuda") && !host_has_gpu(&self->host, HOST_NVIDIA) && !*self->host.nvidia)
        advise(self, "cuda", tool_text("the system has no visible NVIDIA GPU, so installing CUDA software would not help"));
}
