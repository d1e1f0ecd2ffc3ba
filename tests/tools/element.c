/* SPDX-License-Identifier: Apache-2.0 */
/* How yoke cc --run tells elements apart: distances of each type, values that a type cannot have, and what it makes of them. */
#include <stdlib.h>
#include <string.h>

#include "../tap/tap.h"
#include "../../tools/run/run.h"

static const run_type half = { YK_SCALAR_FLOATING, 2 }, single = { YK_SCALAR_FLOATING, 4 }, wide = { YK_SCALAR_FLOATING, 8 },
                      byte = { YK_SCALAR_SIGNED, 1 }, whole = { YK_SCALAR_SIGNED, 8 }, natural = { YK_SCALAR_UNSIGNED, 8 },
                      truth = { YK_SCALAR_BOOL, 1 }, unknown = { YK_SCALAR_UNSIGNED, 0 };

/* The distance of two elements as the comparison tells it; 0: they are equal. */
static uint64_t apart(run_type type, const void *one, const void *other, uint64_t allowed)
{
    run_difference found = run_compare(type, one, other, type.bytes ? type.bytes : 1, allowed);
    return found.count ? found.first_distance : 0;
}

static uint64_t apart_half(uint16_t one, uint16_t other)
{
    return apart(half, &one, &other, 0);
}

static uint64_t apart_single(uint32_t one, uint32_t other)
{
    return apart(single, &one, &other, 0);
}

static uint64_t apart_wide(uint64_t one, uint64_t other)
{
    return apart(wide, &one, &other, 0);
}

static void check_distances(void)
{
    int64_t least = INT64_MIN, most = INT64_MAX, one = 1;
    unsigned char left = 1, right = 3;
    float near = 1.0f, far = 1.5f;
    tap_ok(apart_half(0x3c00, 0x3c01) == 1 && apart_half(0x8001, 0x0001) == 2, "halves");
    tap_ok(apart_single(0x3f800000, 0x3f7fffff) == 1 && apart_single(0x80000001, 0x00000001) == 2, "floats");
    tap_ok(apart_wide(0x3ff0000000000000, 0x3ff0000000000002) == 2, "doubles");
    tap_ok(apart_half(0, 0x8000) == 0 && apart_single(0, 0x80000000) == 0 && apart_wide(0, (uint64_t)1 << 63) == 0,
           "0 and -0 are equal");
    tap_ok(apart_half(0x7e00, 0x7e01) == 0 && apart_single(0x7fc00000, 0xffc00001) == 0 &&
               apart_wide(0x7ff8000000000000, 0xfff8000000000001) == 0,
           "NaN is equal to NaN");
    tap_ok(apart_single(0x7fc00000, 0x3f800000) == UINT64_MAX && apart_half(0x3c00, 0x7e00) == UINT64_MAX, "and to nothing else");
    tap_ok(apart_single(0x7f800000, 0x7f7fffff) == 1 && apart_single(0x7f800000, 0x7f800001) == UINT64_MAX,
           "infinity is behind the largest number, and is no NaN");
    tap_ok(apart(single, &near, &far, 1u << 22) == 0 && apart(single, &near, &far, (1u << 22) - 1) == 1u << 22, "a tolerance");
    tap_ok(apart(whole, &least, &most, UINT64_MAX) == UINT64_MAX && apart(whole, &one, &most, 100) == (uint64_t)INT64_MAX - 1,
           "integers have none");
    tap_ok(apart(unknown, &left, &right, 9) == 2, "nor bytes of an unknown type");
}

static void check_arrays(void)
{
    float one[5] = { 1, 2, 3, 4, 5 }, other[5] = { 1, 2.5f, 3, 1e9f, 5 };
    run_difference found = run_compare(single, one, other, sizeof one, 0), none = run_compare(single, one, other, 0, 0);
    tap_ok(found.count == 2 && found.first == 1 && found.worst == 3, "the first and the worst of an array");
    tap_ok(none.count == 0, "nothing is equal to nothing");
}

/* The text of what a type makes of a value. */
static const char *made(run_type type, double value)
{
    static char text[RUN_ELEMENT];
    unsigned char bytes[8] = { 0 };
    run_set_element(type, bytes, value);
    run_print_element(type, bytes, text);
    return text;
}

static void check_values(void)
{
    tap_ok(strcmp(made(byte, 200), "127") == 0 && strcmp(made(byte, -200), "-128") == 0, "a byte ends where it ends");
    tap_ok(strcmp(made(whole, 1e30), "9223372036854775807") == 0 && strcmp(made(whole, -1e30), "-9223372036854775808") == 0 &&
               strcmp(made(natural, 1e30), "18446744073709551615") == 0 && strcmp(made(natural, -1), "0") == 0,
           "and so do 8 bytes");
    tap_ok(strcmp(made(truth, 5), "1") == 0 && strcmp(made(truth, 0), "0") == 0, "a truth");
    tap_ok(strcmp(made(half, 0.1), "0.099976") == 0 && strcmp(made(single, 0.1), "0.100000001") == 0 &&
               strcmp(made(wide, 0.1), "0.10000000000000001") == 0,
           "floating-point numbers are rounded");
    tap_ok(strcmp(made(half, 1e9), "inf") == 0, "and too large ones infinite");
}

/* A file of NumPy of this header, whose elements are so many bytes; NULL: it was read. */
static char *refusal(const char *header, size_t data, run_type *out_type, size_t *out_size)
{
    char name[] = "element.npy", *why = NULL;
    FILE *file = fopen(name, "wb");
    if (!file)
        return tool_text("%s cannot be written", name);
    fwrite("\x93NUMPY\1\0", 1, 8, file);
    fputc((int)strlen(header) & 0xff, file);
    fputc(0, file);
    fputs(header, file);
    for (size_t i = 0; i < data; i++)
        fputc((int)i, file);
    fclose(file);
    unsigned char *elements = run_read_npy(name, out_type, out_size, &why);
    remove(name);
    free(elements);
    return why;
}

static void check_file(const char *dictionary, size_t data, const char *words)
{
    run_type type = { YK_SCALAR_BOOL, 0 };
    size_t size = 0;
    char *why = refusal(dictionary, data, &type, &size);
    if (words)
        tap_ok(why && strstr(why, words), "%s: %s", dictionary, words);
    else
        tap_ok(!why && size == data && type.bytes > 0, "%s: %zu bytes", dictionary, data);
    free(why);
}

int main(void)
{
    check_distances();
    check_arrays();
    check_values();
    check_file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24, NULL);
    check_file("{'descr': '<c16', 'fortran_order': False, 'shape': (2,), }", 32, NULL);
    check_file("{'descr': '|b1', 'fortran_order': False, 'shape': (), }", 1, NULL);
    check_file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 23, "not as many bytes");
    check_file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 24, "order of Fortran");
    check_file("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }", 24, "no numbers");
    check_file("{'descr': '<f1', 'fortran_order': False, 'shape': (2,), }", 2, "no numbers");
    check_file("{'descr': '<b2', 'fortran_order': False, 'shape': (2,), }", 4, "no numbers");
    check_file("{'descr': '", 4, "not that of an array");
    check_file("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999, 9), }", 4, "not that of an array");
    check_file("{'descr': '<f4', 'fortran_order': False, 'shape': (2", 4, "not that of an array");
    return tap_done();
}
