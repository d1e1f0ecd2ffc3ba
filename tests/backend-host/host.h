/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backend for the tests alone, which proves that a backend is a folder and a line: one device, whose memory is the host's and
 * whose operations finish before the call that submits them returns. It has a table of kernels for a compiler.
 */
#ifndef HOST_BACKEND_H
#define HOST_BACKEND_H

#include "backend.h"

#define YK_SLOT(result, name, parameters) YK_DEFINED_HERE result yk_host_##name parameters;
#include "backend.def"

#endif
