/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiled names of C++ kernels, as "_ZN2ns5scaleEPff" for ns::scale(float *, float), by the Itanium C++ ABI, which CUDA's
 * compilers follow. Only functions that are not templates have a plain name.
 */
#ifndef YK_CXX_NAME_H
#define YK_CXX_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* The name as C++ source spells it, "ns::scale", without parameters; false when the compiled name has another form or does not fit.
 * *out_is_template: its template arguments are left out. */
bool yk_cxx_name_read(const char *compiled, char *target, size_t size, bool *out_is_template);

/* The last part of the compiled name, as "scale"; its length is 0 when the name is not a C++ name. */
const char *yk_cxx_last_part(const char *compiled, size_t *out_length);

/* Whether `wanted`, as "scale" or "ns::scale", is the plain name of the compiled name, or the end of it after "::". */
bool yk_cxx_is_plain_name(const char *compiled, const char *wanted);

#endif
