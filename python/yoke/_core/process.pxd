# SPDX-License-Identifier: Apache-2.0
# The interpreter's end, which communicators share.
# ---- The interpreter's end ----

cdef enum:
    MOST_SECONDS = 10

cdef int set_last_wait(double end) except -1
