/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's use of the headers' macros, which expand in its own code: so it is compiled here as C and as C++, with the warnings
 * that a careful program has. Never linked. With REFUSED it must not compile: headers.sh says why.
 */
#include <yoke/args.h>
#include <yoke/check.h>
#include <yoke/graph.h>
#include <yoke/native.h>
#include <yoke/ops.h>
#include <yoke/types.h>

#if !defined(__cplusplus)
#include <stdbool.h>
#endif

#if !defined(REFUSED)
#define REFUSED 0
#endif

struct particle {
    yoke_vec4 place;
    yoke_i32 kind;
};

/* An empty list has no elements, and neither what begins nor what ends with parentheses is empty. */
#define NOTHING
#define PAIR 1, 2
#define CALL(x) ((x) + 1)
typedef char counts_are_right[YOKE_LISTED() == 0 && YOKE_LISTED(NOTHING) == 0 && YOKE_LISTED(n) == 1 && YOKE_LISTED((n)) == 1 &&
                                      YOKE_LISTED((int)n) == 1 && YOKE_LISTED(f(n)) == 1 && YOKE_LISTED((f)(a, b)) == 1 &&
                                      YOKE_LISTED(CALL(1)) == 1 && YOKE_LISTED(CALL) == 1 && YOKE_LISTED(-n) == 1 &&
                                      YOKE_LISTED(","
                                                  ",") == 1 &&
                                      YOKE_LISTED(PAIR) == 2 && YOKE_LISTED(a, (b)) == 2
                                  ? 1
                                  : -1];

static yoke_status inits(yoke_device *device)
{
    yoke_device_info a = YOKE_DEVICE_INFO_INIT;
    yoke_stream_desc b = YOKE_STREAM_DESC_INIT;
    yoke_memory_info c = YOKE_MEMORY_INFO_INIT;
    yoke_source d = YOKE_SOURCE_INIT;
    yoke_compiler_info e = YOKE_COMPILER_INFO_INIT;
    yoke_cache_info f = YOKE_CACHE_INFO_INIT;
    yoke_kernel_info g = YOKE_KERNEL_INFO_INIT;
    yoke_param_info h = YOKE_PARAM_INFO_INIT;
    yoke_native_device i = YOKE_NATIVE_DEVICE_INIT;
    const yoke_field fields[] = { YOKE_FIELD(struct particle, place), YOKE_FIELD(struct particle, kind) };

    (void)sizeof(counts_are_right);
    (void)a.size, (void)b.size, (void)c.size, (void)e.size, (void)f.size, (void)g.size, (void)h.size, (void)i.size;
    return yoke_struct_check(device, &d, "particle", sizeof(struct particle), fields, 2);
}

static yoke_status launches(yoke_stream *stream, yoke_kernel *kernel, yoke_buffer *x, size_t n)
{
    yoke_status status = yoke_launch(stream, kernel, YOKE_DIM(n, 2), YOKE_DIM(1), 0, YOKE_NO_ARGS);

    if (status == YOKE_OK)
        status = yoke_launch(stream, kernel, YOKE_DIM(n, 2), YOKE_DIM(1), 0, YOKE_ARGS());
    if (status == YOKE_OK)
        status = yoke_launch_n(stream, kernel, n, YOKE_ARGS(yoke_arg_buffer(x)));
    if (status == YOKE_OK)
        status = yoke_launch_n(stream, kernel, n, YOKE_ARGS((yoke_arg_bool)(true)));
    if (status == YOKE_OK)
        status = yoke_launch_n(stream, kernel, n, YOKE_ARGS(yoke_arg_buffer(x), yoke_arg_bool(true), yoke_arg_char('a')));
#if defined(__cplusplus) || __STDC_VERSION__ >= 201112L
#define EIGHT(x) x, x, x, x, x, x, x, x
#define MOST EIGHT(1), EIGHT(2u), EIGHT(3l), EIGHT(4ul), EIGHT(5ll), EIGHT(6.0f), EIGHT(7.0), EIGHT(x)
    bool flag = n > 1;
    char letter = 'a';
    signed char i8 = 1;
    unsigned char u8 = 2;
    short i16 = 3;
    unsigned short u16 = 4;
    const int constant = 5;
    unsigned long long u64 = 6;
    float host[4] = { 0, 0, 0, 0 };

    if (status == YOKE_OK)
        status = yoke_launch_n(stream, kernel, n, YOKE_ARGS(YOKE_CAST(double, n)));
    if (status == YOKE_OK)
        status = yoke_launch_n(stream, kernel, n, YOKE_ARGS(x, flag, letter, i8, u8, i16, u16, constant, u64, n));
    if (status == YOKE_OK)
        status = yoke_launch_n(stream, kernel, n, YOKE_ARGS(yoke_in(host, sizeof host), yoke_out(host, sizeof host)));
    if (status == YOKE_OK)
        status = yoke_launch_n(stream, kernel, n, YOKE_ARGS(MOST));
#if REFUSED == 1
    status = yoke_launch_n(stream, kernel, n, YOKE_ARGS(MOST, 65));
#elif REFUSED == 2
    status = yoke_launch_n(stream, kernel, n, YOKE_ARGS(MOST, MOST));
#elif REFUSED == 3
    status = yoke_launch_n(stream, kernel, n, YOKE_ARGS(&host[0]));
#elif REFUSED == 4
    status = yoke_launch_n(stream, kernel, n, YOKE_ARGS(host));
#elif REFUSED == 5
    status = yoke_launch_n(stream, kernel, n, YOKE_ARGS((void *)host));
#endif
#endif
    return status;
}

#if defined(__cplusplus)
static_assert(sizeof(YOKE_ARG(true)) == sizeof(yoke_arg), "an argument");
#endif

static yoke_status checks(yoke_stream *stream)
{
    yoke_status status = YOKE_OK;

    if (stream)
        YOKE_CHECK(yoke_stream_wait(stream));
    else
        YOKE_CHECK_OR(yoke_stream_wait(stream), status = yoke_error()->status);
    YOKE_CHECK_OR(yoke_stream_cancel(stream), goto out);
    YOKE_CHECK_OR(yoke_stream_recover(stream), return YOKE_E_CANCELLED);
out:
    return status;
}

/* Arrays, and the lists that operations take. */
static size_t axes_listed(const int32_t *axes, size_t count)
{
    return axes ? count : 0;
}

static size_t vars_listed(const yoke_var *vars, size_t count)
{
    return vars ? count : 0;
}

static size_t lists(yoke_buffer *x)
{
    yoke_array a = yoke_array_1d(x, YOKE_F32, 10);
    size_t count = axes_listed(YOKE_AXES(0, 2)) + axes_listed(YOKE_ALL_AXES) + vars_listed(YOKE_NO_VARS);

#if defined(__cplusplus) || __STDC_VERSION__ >= 201112L
    const yoke_array *pointer = &a;
    float limit = 1;
    unsigned char u8 = 2;
    const long long constant = 5;

    count += vars_listed(YOKE_VARS()) + vars_listed(YOKE_VARS(a));
    count += vars_listed(YOKE_VARS(a, pointer, limit, u8, constant));
    count += YOKE_NUMBER(limit).dtype == YOKE_F32;
#endif
    return count + vars_listed(YOKE_NULL, 0) + yoke_var_array("a", a).kind;
}

int main(void)
{
    if (lists(YOKE_NULL) == 0)
        return 1;
    return checks(YOKE_NULL) < 0 || inits(YOKE_NULL) < 0 || launches(YOKE_NULL, YOKE_NULL, YOKE_NULL, 1) < 0;
}
