# SPDX-License-Identifier: Apache-2.0
# Products.
cdef object product(left, right)
