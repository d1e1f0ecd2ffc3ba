# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Products of matrices and vectors, by NumPy's rules for shapes.

from libc.string cimport memset

from .c_python cimport PyBytes_AsString
from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport c_text, check, here, shown
from .dtype cimport any_number, F16, F64, plain_number, promote
from .array cimport above, Array
from .layout cimport new_array, order_back, order_streams
from .expression cimport fill_vars, MOST_VARS
from .create cimport stream_of
from .reduction cimport reduced_dtype
from .operators cimport operand_array

from .expression import broadcast_shape
from .create import array_from


cdef tuple product_shape(tuple a, tuple b):
    if not a or not b:
        raise ValueError("a product of matrices takes arrays of one dimension or more")
    left = a if len(a) > 1 else (1, *a)
    right = b if len(b) > 1 else (*b, 1)
    if left[-1] != right[-2]:
        raise ValueError(f"shapes {a} and {b} do not fit: {left[-1]} columns meet {right[-2]} rows")
    shape = broadcast_shape([left[:-2], right[:-2]])
    return (*shape, *([left[-2]] if len(a) > 1 else []), *([right[-1]] if len(b) > 1 else []))


cdef object product(left, right):
    """left @ right, for an Array on at least one side."""
    stream = (<Array>(left if isinstance(left, Array) else right)).stream
    left, right = operand_array("@", left, stream), operand_array("@", right, stream)
    return NotImplemented if left is NotImplemented or right is NotImplemented else matmul(left, right)


def matmul(a, b, /, out=None, *, alpha=1, beta=0, epilogue=None, tf32=False, exact=False, **variables):
    """a @ b: (…, m, k) times (…, k, n) gives (…, m, n); an array of one dimension is a vector, and what is in front a batch.

    out: the array for the result, which is also read where beta is not 0: out = alpha * (a @ b) + beta * out. epilogue: an
    expression of `value`, that result, and of the variables: matmul(x, w, epilogue="max(value + bias, 0)", bias=bias). tf32: float
    products may be rounded where the device is faster so; exact: the same bits on every device, without a vendor's library.
    """
    cdef yoke_var vars[MOST_VARS]
    cdef yoke_matmul_options options
    cdef Array left, right, result
    cdef bytes text
    cdef const char *where = here()
    cdef yoke_status status
    names, arrays, made = [], [], []

    stream = (<Array>(a if isinstance(a, Array) else b)).stream if isinstance(a, Array) or isinstance(b, Array) else None
    left, right = array_from(a, stream=stream), array_from(b, stream=stream)
    shape = product_shape(left.shape, right.shape)
    if out is None and beta != 0:
        raise ValueError("beta is for an array that exists: give out")
    if left.a.dtype < F16 and right.a.dtype < F16:
        for name, number in (("alpha", alpha), ("beta", beta)):
            plain = plain_number(number)
            if isinstance(plain, float) and not plain.is_integer():
                raise TypeError(f"{name} is {shown(number)}, and products of integers are integers: convert one to floats first")
    result = new_array(left.stream, promote([left.a.dtype, right.a.dtype], left.stream), shape) if out is None else out
    memset(&options, 0, sizeof(options))
    options.size = sizeof(options)
    options.flags = (YOKE_MATMUL_TF32 if tf32 else 0) | (YOKE_MATMUL_EXACT if exact else 0)
    options.alpha = any_number(alpha)
    options.beta = any_number(beta)
    if epilogue is not None:
        options.var_count = fill_vars(vars, variables, names, arrays, made)
        if made:
            raise TypeError("the variables of an epilogue are arrays and real numbers")
        text = c_text(<str?>epilogue, "an expression")
        options.epilogue = PyBytes_AsString(text)
        options.vars = vars
    elif variables:
        raise TypeError(f"variables without an epilogue: {', '.join(variables)}")
    order_streams(result.stream, [left, right, *arrays])
    with nogil:
        status = yoke_matmul_with_at(where, result.stream.ptr, &result.a, &left.a, &right.a, &options)
    check(status)
    order_back(result.stream, [left, right, *arrays])
    return result


def dot(a, b):
    """NumPy's product of two arrays: the sum of a * b of two of one dimension, else over the last axis of `a` and the last but one
    of `b`, which has at most two; a number is multiplied."""
    stream = stream_of([a, b])
    cdef Array left = array_from(a, stream=stream), right = array_from(b, stream=stream)

    if not left.a.dimensions or not right.a.dimensions:
        return left * b if isinstance(b, (int, float, complex)) else a * right  # Python's numbers have a kind, and no width
    if right.a.dimensions > 2:
        raise ValueError(f"dot takes two dimensions of b at most, not the shape {right.shape}: a @ b is the product of batches")
    if left.a.dimensions == 1 == right.a.dimensions and left.shape == right.shape:
        return dot_of_vectors(left, right)
    return matmul(left, right)


cdef Array dot_of_vectors(Array a, Array b):
    cdef Array result
    cdef const char *where = here()
    cdef yoke_status status

    dtype = promote([a.a.dtype, b.a.dtype], a.stream)
    if dtype == F64 and a.a.dtype != b.a.dtype:  # the library multiplies an integer and a float as floats
        a, b = array_from(a, "float64"), array_from(b, "float64")
    result = new_array(a.stream, reduced_dtype("sum", dtype, a.stream), ())
    order_streams(a.stream, [b])
    with nogil:
        status = yoke_dot_at(where, a.stream.ptr, &result.a, &a.a, &b.a)
    check(status)
    order_back(a.stream, [b])
    return result


above.product = product
