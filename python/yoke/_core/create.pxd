# SPDX-License-Identifier: Apache-2.0
# Arrays from objects that are not Arrays yet.
from .c_yoke cimport *
from .array cimport Array

cdef Array filled(shape, value, int32_t dtype, stream, const char *where)
cdef object stream_of(values)
cdef object stream_for(stream, device)
