/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small producer of TAP, the Test Anything Protocol: a test program says what it checked, one line a case, on standard output.
 *
 *     int main(void)
 *     {
 *         tap_start(60);
 *         tap_ok(answer() == 42, "the answer to %s", "everything");
 *         tap_is(answer(), 42, "the same, and tells both values when it fails");
 *         return tap_done();
 *     }
 *
 * Every function may be called from any thread. Formats are printf's; a case's text has to be one line.
 */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__MINGW32__)
#define TAP_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define TAP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#endif

/* Call first. A program of which a case takes more than `seconds` bails out, and says behind which case, and whether it computed or
 * waited. A busy machine is no failure: a case that computes may take longer, until it has had `seconds` of processor time. The
 * limit is a case's, since with more devices a program has more of them. The environment's YOKE_TEST_SECONDS is used where it is
 * more: sanitizers and emulators are slow. */
void tap_start(unsigned seconds);

/* How many cases there will be. Not needed: tap_done says how many there were; but with it, fewer or more are a failure. */
void tap_plan(unsigned cases);

/* A case: passed when `condition` holds. Its value is whether it passed. */
#define tap_ok(condition, ...) tap_ok_at(__FILE__, __LINE__, #condition, !!(condition), __VA_ARGS__)

/* A case: passed when both values are equal. Strings are compared as text and may be NULL, floats and doubles bit for bit or as
 * equal numbers, anything else as integers. A failure tells both. */
#define tap_is(got, expected, ...) \
    _Generic((got),                                         \
        char *: tap_is_text_at,                             \
        const char *: tap_is_text_at,                       \
        float: tap_is_real_at,                              \
        double: tap_is_real_at,                             \
        default: tap_is_integer_at)(__FILE__, __LINE__, #got, got, expected, __VA_ARGS__)

/* A case that could not be tried, and why. */
void tap_skip(const char *reason, ...) TAP_PRINTF(1, 2);

/* Nothing of this program can be tried, and why. Before the first case; ends the program. */
_Noreturn void tap_skip_all(const char *reason, ...) TAP_PRINTF(1, 2);

/* Cases from here on are known to fail, for this reason; NULL: from here on they are expected to pass again. */
void tap_todo(const char *reason);

/* A remark for whoever reads the log. */
void tap_diag(const char *format, ...) TAP_PRINTF(1, 2);

/* It makes no sense to go on. Ends the program as failed. */
_Noreturn void tap_bail(const char *reason, ...) TAP_PRINTF(1, 2);

/* Call last, and return what it returns from main: 0, or TAP_TOLD when cases failed. */
int tap_done(void);

/* The exit status that says: all failures have been told on standard output. */
enum { TAP_TOLD = 10 };

bool tap_ok_at(const char *file, int line, const char *condition, bool passed, const char *format, ...) TAP_PRINTF(5, 6);
bool tap_is_integer_at(const char *file, int line, const char *what, intmax_t got, intmax_t expected, const char *format, ...)
    TAP_PRINTF(6, 7);
bool tap_is_real_at(const char *file, int line, const char *what, double got, double expected, const char *format, ...)
    TAP_PRINTF(6, 7);
bool tap_is_text_at(const char *file, int line, const char *what, const char *got, const char *expected, const char *format, ...)
    TAP_PRINTF(6, 7);

#endif
