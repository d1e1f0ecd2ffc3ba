# SPDX-License-Identifier: Apache-2.0
# Elements at positions, and those whose flag is set.
from .c_yoke cimport *
from .array cimport Array

cdef Array gather(Array array, Array positions, int32_t along)
cdef Array compress(Array array, Array flags)
