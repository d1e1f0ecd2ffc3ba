# SPDX-License-Identifier: Apache-2.0
# Operators of arrays, by their signs.
from .c_yoke cimport *
from .stream cimport Stream

cdef dict numpy_signs
cdef object operand_array(str sign, value, Stream stream)
cdef object compare(str sign, left, right)
cdef object quotient_and_remainder(left, right)
cdef bint has_kind_of(int32_t target, int32_t dtype)
