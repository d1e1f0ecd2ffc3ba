# SPDX-License-Identifier: Apache-2.0
# Reductions, and failures in a stream where a condition holds.
from .c_yoke cimport *
from .stream cimport Stream

cdef int32_t operation_of(name) except -1
cdef int32_t reduced_dtype(str name, int32_t dtype, Stream stream) except -1
cdef int tell_later(Stream stream, str condition, dict values, kind, str text) except -1
