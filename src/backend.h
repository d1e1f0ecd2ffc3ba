/* SPDX-License-Identifier: Apache-2.0 */
/*
 * THE seam: what a backend is. One const table of functions per backend, whose slots are listed in backend.def. No slot is NULL;
 * what a driver lacks is a function of the backend that fails with YOKE_E_UNSUPPORTED and says why.
 *
 * The core allocates every object, validates every argument and keeps the order of streams; a backend only fills in an object's
 * `native` members and calls its driver. What the core must know of the driver is in device->traits (objects/traits.h). Rules for
 * every slot:
 *
 *  - On failure it sets the thread's record (yk_fail, yk_driver_fail), leaves nothing behind, and returns the negative status.
 *  - It may be called from any thread, several at once, also on one object, except that create and destroy of an object are alone.
 *  - It leaves the caller's current context as it was and calls nothing of the core but base/ and backend_api.h.
 *  - Destroy slots cannot fail: a driver that says it is shutting down has already freed everything.
 */
#ifndef YK_BACKEND_H
#define YK_BACKEND_H

#include <yoke/native.h>

#include "backend_api.h"
#include "objects/line_map.h"

struct yk_backend {
    const char *name; /* "cuda": the first part of selectors and of messages */
#define YK_SLOT(result, name, parameters) result(*name) parameters;
#include "backend.def"
};

/* Every backend, in the order in which an unset environment prefers them. Adding one: its folder, and a line here. */
#define YK_BACKENDS(X) \
    X(cuda)            \
    X(opencl)          \
    YK_TEST_BACKENDS(X)

/* One more entry, for tests/backend-host. */
#ifndef YK_TEST_BACKENDS
#define YK_TEST_BACKENDS(X)
#endif

#define YK_BACKEND_DECLARE(name) extern const yk_backend yk_backend_##name;
YK_BACKENDS(YK_BACKEND_DECLARE)
#undef YK_BACKEND_DECLARE

#endif
