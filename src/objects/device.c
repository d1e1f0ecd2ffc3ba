/* SPDX-License-Identifier: Apache-2.0 */
/* The capabilities and the language of a device, for every room. */
#include "objects/device.h"

#include "backend.h"

const char *yoke_device_lacks(const yoke_device *device, int capability)
{
    if (!yk_is(device, YK_DEVICE))
        return "the device is NULL or has been released";
    if (capability < 0 || capability >= YK_CAP_COUNT)
        return "no such capability";
    if (device->info.capabilities >> capability & 1)
        return NULL;
    return device->backend->device_lacks(device, capability);
}

int32_t yoke_device_supports(const yoke_device *device, int capability)
{
    return yoke_device_lacks(device, capability) == NULL;
}

int32_t yoke_device_get_language(const yoke_device *device)
{
    static const int32_t languages[] = { [YK_LANGUAGE_CUDA] = YOKE_LANGUAGE_CUDA, [YK_LANGUAGE_OPENCL] = YOKE_LANGUAGE_OPENCL };
    _Static_assert(YK_COUNT_OF(languages) == YK_LANGUAGE_COUNT, "a public number for each language");
    return yk_is(device, YK_DEVICE) ? languages[device->traits.language] : 0;
}
