# SPDX-License-Identifier: Apache-2.0
# Operators of arrays, by their signs.
from .stream cimport Stream

cdef dict numpy_signs
cdef object operand_array(str sign, value, Stream stream)
cdef object compare(str sign, left, right)
cdef object quotient_and_remainder(left, right)
