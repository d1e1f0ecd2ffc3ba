# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Random numbers: one function for each kind of numbers, over an array that exists. The module yoke.random makes the arrays.

import operator

from libc.string cimport memset

from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport check, here, shown
from .dtype cimport any_number, axis_of
from .array cimport Array
from .layout cimport new_array


cdef uint64_t as_position(value, str name) except? <uint64_t>-1:
    number = operator.index(value)
    if not 0 <= number < 1 << 64:
        raise ValueError(f"{name} is {shown(number)}, not a number from 0 to 2**64 - 1")
    return number


def fill_random(kind, Array out not None, a, b, seed, offset, sequence, interval):
    """Random numbers of a kind, for yoke.random: "uniform", "normal", "exponential", "integers", "permutation"."""
    cdef yoke_random_options options
    cdef uint64_t key = as_position(seed, "seed")
    cdef uint64_t first = as_position(offset, "offset")
    cdef double low = 0, high = 0
    cdef yoke_number least, most
    cdef yoke_stream *queue = out.stream.ptr
    cdef const char *where = here()
    cdef yoke_status status

    memset(&options, 0, sizeof(options))
    options.size, options.sequence, options.interval = sizeof(options), sequence, interval
    if kind == "integers":
        if b == 1 << 64 and not interval:  # which no number holds; the last integer does
            b, options.interval = b - 1, 2
        least, most = any_number(a), any_number(b)
        with nogil:
            status = yoke_random_integers_at(where, queue, &out.a, least, most, key, first, &options)
    elif kind == "permutation":
        with nogil:
            status = yoke_random_permutation_at(where, queue, &out.a, key, first, &options)
    else:
        low, high = a, b
        if kind == "uniform":
            with nogil:
                status = yoke_random_uniform_at(where, queue, &out.a, low, high, key, first, &options)
        elif kind == "normal":
            with nogil:
                status = yoke_random_normal_at(where, queue, &out.a, low, high, key, first, &options)
        elif kind == "exponential":
            with nogil:
                status = yoke_random_exponential_at(where, queue, &out.a, low, key, first, &options)
        else:
            raise ValueError(f"no such kind of random numbers: {shown(kind)}")
    check(status)
    return out


def shuffled(Array array not None, axis, seed, offset, sequence):
    """A copy with the elements along an axis in random order, for yoke.random."""
    cdef yoke_random_options options
    cdef Array result = new_array(array.stream, array.a.dtype, array.shape)
    cdef int32_t along = axis_of(axis, array.a.dimensions)
    cdef uint64_t key = as_position(seed, "seed")
    cdef uint64_t first = as_position(offset, "offset")
    cdef const char *where = here()
    cdef yoke_status status

    memset(&options, 0, sizeof(options))
    options.size, options.sequence = sizeof(options), sequence
    with nogil:
        status = yoke_random_shuffle_at(where, array.stream.ptr, &result.a, &array.a, along, key, first, &options)
    check(status)
    return result
