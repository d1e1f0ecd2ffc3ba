/* SPDX-License-Identifier: Apache-2.0 */
/* The call of an operation: its stream and its failures. */
#include "call.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

yoke_status yops_begin(yops_call *out_call, const char *function, const char *where, yoke_stream *stream)
{
    *out_call = (yops_call){ function, where, stream, stream ? yoke_stream_get_device(stream) : NULL };
    if (!stream)
        return yops_fail(out_call, YOKE_E_INVALID_ARGUMENT, "stream is NULL");
    if (!out_call->device)
        return yops_fail(out_call, YOKE_E_INVALID_ARGUMENT, "stream is not a stream, or has been released");
    return YOKE_OK;
}

yoke_status yops_fail(const yops_call *call, yoke_status status, const char *format, ...)
{
    char text[sizeof((yoke_error_info *)0)->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return yoke_fail(status, "%s: %s", call->function, text);
}
