/* SPDX-License-Identifier: Apache-2.0 */
/* Native sections: in the stream's list they stand like host functions, but wait for nothing. */
#include <yoke/native.h>

#include "enqueue.h"

yoke_status yoke_stream_native_at(const char *where, yoke_stream *stream, yoke_native_fn fn, void *user, yoke_release_fn release)
{
    static const char function[] = "yoke_stream_native";
    YK_CHECK(stream, YK_STREAM, function, "stream");
    if (!fn)
        return yk_blame(function, where, yk_fail(YOKE_E_INVALID, "%s: fn is NULL", function));
    yk_op op = { .kind = YK_OP_NATIVE, .where = where, .u.native = { fn, user, release } };
    yoke_status status = yk_stream_hold(stream, &op);
    return status < 0 ? yk_blame(function, where, status) : status;
}
