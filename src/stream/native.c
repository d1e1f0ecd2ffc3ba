/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's handles of a device, and native sections, which are deferred like host functions but wait for nothing. */
#include <yoke/native.h>

#include "stream/enqueue.h"

yoke_status yoke_device_get_native(yoke_device *device, yoke_native_device *out_native)
{
    YK_FUNCTION(yoke_device_get_native);
    yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;
    if (yk_info_begin(function, "out_native", out_native, 1, "start from YOKE_NATIVE_DEVICE_INIT") < 0)
        return YOKE_E_INVALID_ARGUMENT;
    YK_CHECK(device, YK_DEVICE, function, "device");
    device->backend->device_native(device, &native);
    yk_info_fill(out_native, &native, sizeof native);
    return YOKE_OK;
}

yoke_status yoke_native_call_at(const char *where, yoke_stream *stream, yoke_native_fn fn, void *user, yoke_release_fn release)
{
    YK_FUNCTION(yoke_native_call);
    YK_CHECK(stream, YK_STREAM, function, "stream");
    if (!fn)
        return yk_attribute(function, where, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: fn is NULL", function));
    yk_op op = { .kind = YK_OP_NATIVE, .where = where, .u.native = { fn, user, release } };
    yoke_status status = yk_stream_defer(stream, &op);
    return status < 0 ? yk_attribute(function, where, status) : status;
}
