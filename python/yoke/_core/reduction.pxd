# SPDX-License-Identifier: Apache-2.0
# Reductions, and elements at positions.
from .c_yoke cimport *
from .stream cimport Stream
from .array cimport Array

cdef int32_t operation_of(name) except -1
cdef int32_t reduced_dtype(str name, int32_t dtype, Stream stream) except -1
cdef Array gather(Array array, Array positions, int32_t along)
cdef Array compress(Array array, Array flags)
cdef int tell_later(Stream stream, str condition, dict values, kind, str text) except -1
