/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and products of sizes that wrap round, and ranges that memory cannot have. */
#include "base/sizes.h"

#include "../tap/tap.h"

static void sums(void)
{
    size_t sum = 5;

    tap_ok(yk_size_add(&sum, 6) && sum == 11, "5 + 6");
    tap_ok(yk_size_add(&sum, SIZE_MAX - 11) && sum == SIZE_MAX, "up to the largest");
    tap_ok(yk_size_add(&sum, 0) && sum == SIZE_MAX, "and nothing more");
    tap_ok(!yk_size_add(&sum, 1) && sum == SIZE_MAX, "one more does not fit");
    tap_ok(!yk_size_add(&sum, UINT64_MAX) && sum == SIZE_MAX, "nor very many");
}

static void products(void)
{
    size_t sum = 1;

    tap_ok(yk_size_add_product(&sum, 6, 7) && sum == 43, "1 + 6 * 7");
    tap_ok(!yk_size_add_product(&sum, SIZE_MAX / 2 + 1, 2) && sum == 43, "a product that wraps round to 0");
    tap_ok(!yk_size_add_product(&sum, SIZE_MAX, SIZE_MAX) && sum == 43, "one that wraps round to 1");
    tap_ok(!yk_size_add_product(&sum, SIZE_MAX / 5, 5) && sum == 43, "one that fits, in a sum that does not");
    tap_ok(yk_size_add_product(&sum, SIZE_MAX, 0) && sum == 43, "nothing, very often");
}

static void ranges(void)
{
    const char *top = (const char *)(UINTPTR_MAX - 15);

    tap_ok(yk_is_range("here", 4) && yk_is_range(NULL, PTRDIFF_MAX) && yk_is_range(top, 15), "ranges");
    tap_ok(!yk_is_range("here", SIZE_MAX), "all of memory, from its middle");
    tap_ok(!yk_is_range(NULL, (uint64_t)PTRDIFF_MAX + 1), "more than any object has");
    tap_ok(!yk_is_range(top, 17) && !yk_is_range(top, PTRDIFF_MAX), "beyond the end");
}

int main(void)
{
    tap_start(60);
    sums();
    products();
    ranges();
    return tap_done();
}
