# SPDX-License-Identifier: Apache-2.0
# Products of matrices and vectors, by NumPy's rules for shapes.

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
    names, arrays = [], []

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
        options.var_count = fill_vars(vars, variables, names, arrays)
        text = c_text(<str?>epilogue, "an expression")
        options.epilogue = PyBytes_AsString(text)
        options.vars = vars
    elif variables:
        raise TypeError(f"variables without an epilogue: {', '.join(variables)}")
    order_streams(result.stream, [left, right, *arrays])
    with nogil:
        status = yoke_matmul_at(where, result.stream.ptr, &result.a, &left.a, &right.a, &options)
    check(status)
    order_back(result.stream, [left, right, *arrays])
    return result
