/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for CLBlast whose every call fails, with the code that YOKE_VENDOR_DOUBLE gives it ("CLBlastSgemm=-11"), or else with
 * CLBlastUnexpectedError. It has the library's name, so that a test which opens it first has no other in the process.
 */
#include "vendor.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define YOPS_CLBLAST_SYMBOL(result, name, parameters) VENDOR_API result name parameters;
#include "../../../ops/library/symbols.def"

#define YOPS_CLBLAST_SYMBOL(result, name, parameters)                        \
    result name parameters                                                   \
    {                                                                        \
        return vendor_order(#name, (int)YOPS_CLBlastUnexpectedError);        \
    }
#include "../../../ops/library/symbols.def"
