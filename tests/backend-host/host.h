/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backend for the tests alone, which proves that a new backend is a folder and one line: one device, whose memory is the host's
 * and whose operations finish before the call that submits them returns. A table of kernels replaces the compiler.
 */
#ifndef HOST_BACKEND_H
#define HOST_BACKEND_H

#include "backend.h"

#define YK_SLOT(result, name, parameters) YK_DEFINED_HERE result yk_host_##name parameters;
#include "backend.def"

#endif
