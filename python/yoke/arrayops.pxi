# SPDX-License-Identifier: Apache-2.0
# Operations on arrays: expressions, reductions, scans, order.

cdef int map_arrays(Stream stream, expression, dict values, const char *where) except -1:
    cdef yoke_var vars[MOST_VARS]
    cdef size_t count = 0
    cdef yoke_status status
    cdef yoke_stream *queue = stream.ptr
    names, arrays = [], []
    cdef bytes text = fill_expression(vars, &count, expression, values, names, arrays)
    cdef const char *line = text

    order_streams(stream, arrays)
    with nogil:
        status = yoke_map_at(where, queue, line, vars, count)
    check(status)
    order_back(stream, arrays)
    return 0


cdef enum:
    MOST_VARS = 32


@cython.final
cdef class Function:
    """A function that an expression calls; whoever passes one keeps it."""

    cdef bytes declaration, text


cdef bytes fill_expression(yoke_var *vars, size_t *count, expression, dict values, list names, list arrays):
    """The text of an expression, and its variables. `names` keeps what these point to, `arrays` gets the Arrays among them."""
    if not isinstance(expression, str):
        raise TypeError(f"an expression is a str, not {type(expression).__name__}")
    count[0] = fill_vars(vars, values, names, arrays)
    return c_text(expression, "an expression")


cdef dict in_double(expression, dict variables):
    """The variables of a user's expression. Python's floats among them, and constants, are double beside arrays of double, and
    beside integers of 32 and 64 bits with no narrower floating point, where the device has it."""
    arrays = [each for each in variables.values() if isinstance(each, Array)]
    dtypes = {(<Array>each).a.dtype for each in arrays}
    wide = F64 in dtypes or C128 in dtypes
    if not wide and (not dtypes or not I32 <= max(dtypes) < F16 or not has_double((<Array>arrays[0]).stream)):
        return variables
    values = {name: (F64, value) if type(value) is float else value for name, value in variables.items()}
    if not wide and isinstance(expression, str):
        name = "double_"  # to C, beside a double constants are double, too; this one is only there to be one
        while name in expression or name in values:
            name += "_"
        values[name] = (F64, 0.0)
    return values


cdef Py_ssize_t fill_vars(yoke_var *vars, dict values, list names, list arrays) except -1:
    """The variables of an expression."""
    cdef Py_ssize_t count = 0
    for name, value in values.items():
        if count == MOST_VARS:
            raise ValueError(f"an expression has at most {MOST_VARS} variables")
        names.append(c_text(name, "the name of a variable"))
        fill_var(&vars[count], PyBytes_AsString(names[-1]), name, value, arrays)
        count += 1
    return count


cdef int fill_var(yoke_var *var, const char *label, name, value, list arrays) except -1:
    if isinstance(value, Array):
        var[0] = yoke_var_array(label, (<Array>value).a)
        arrays.append(value)
    elif isinstance(value, tuple):  # (dtype's number, value)
        var[0] = yoke_var_scalar(label, number_of(value[0], value[1]))
    elif isinstance(value, Function):
        var[0] = yoke_var_function(PyBytes_AsString((<Function>value).declaration), PyBytes_AsString((<Function>value).text))
    elif isinstance(value, bool):
        var[0] = yoke_var_scalar(label, number_of(BOOL, value))
    elif isinstance(value, int):
        var[0] = yoke_var_scalar(label, number_of(I32, value) if -2**31 <= value < 2**31 else integer_number(value))
    elif isinstance(value, float) and not hasattr(value, "dtype"):
        var[0] = yoke_var_scalar(label, number_of(F32, value))
    elif isinstance(value, complex) and not hasattr(value, "dtype"):
        var[0] = yoke_var_scalar(label, number_of(C64, value))
    elif getattr(value, "shape", None) == ():
        var[0] = yoke_var_scalar(label, number_of(dtype_number(value.dtype), value))
    else:
        raise TypeError(f"{name}: an expression takes Arrays and numbers, not {type(value).__name__}; asarray makes Arrays")
    return 0


def map(expression, /, *, stream=None, **variables):
    """Evaluate an expression for each element, in one launch: map("y = a * x + y", a=2.0, x=x, y=y). The arrays that are assigned
    are the outputs; all have one shape, to which the others are broadcast. A Python float, and a constant of the expression, counts
    as float32, but as float64 beside arrays of float64, and of int32, uint32, int64 or uint64 where none is of floats and the
    device has float64; an int as int32, or the wider type that has it (OverflowError: none has), a complex as complex64; NumPy
    scalars have their own dtype.
    InvalidArgumentError shows a mistake in the expression with a caret."""
    if stream is None:
        streams = [(<Array>value).stream for value in variables.values() if isinstance(value, Array)]
        stream = streams[0] if streams else default_stream()
    map_arrays(stream, expression, in_double(expression, variables), here())


cdef list arrays_in(dict variables):
    arrays = [value for value in variables.values() if isinstance(value, Array)]
    if not arrays:
        raise TypeError("an expression without arrays has no shape")
    return arrays


cdef int32_t value_dtype(dtype, expression, dict variables) except -1:
    """Of an expression's values: the one that is asked for, else the expression's own."""
    cdef yoke_var vars[MOST_VARS]
    cdef size_t count = 0
    cdef int32_t number = 0
    if dtype is not None:
        return dtype_number(dtype)
    names, arrays = [], []
    cdef bytes text = fill_expression(vars, &count, expression, in_double(expression, variables), names, arrays)
    check(yoke_expression_get_dtype(text, vars, count, &number))
    return number


def evaluate(expression, /, dtype=None, *, stream=None, **variables):
    """The array of an expression's values: evaluate("a * x + y", a=2.0, x=x, y=y). dtype: None means the expression's own: "x > 0"
    is bool, and "x * 0.5" of int64 float64, where the device has it."""
    cdef Array result
    if not isinstance(expression, str):
        raise TypeError(f"an expression is a str, not {type(expression).__name__}")
    arrays = arrays_in(variables)
    stream = (<Array>arrays[0]).stream if stream is None else stream
    result = new_array(stream, value_dtype(dtype, expression, variables), broadcast_shape([each.shape for each in arrays]))
    head, separator, tail = expression.rpartition(";")
    name = "yops_result"
    while name in expression or name in variables:
        name += "_"
    map_arrays(stream, f"{head}{separator} {name} = {tail}", in_double(expression, {name: result, **variables}), here())
    return result


# ---- Reductions, scans, order ----

cdef dict reductions = {"sum": 1, "prod": 2, "min": 3, "max": 4, "any": 5, "all": 6, "argmin": 7, "argmax": 8, "mean": 9,
                        "var": 10, "norm": 11}


cdef int32_t operation_of(name) except -1:
    number = reductions.get(name)
    if number is None:
        raise ValueError(f"no such reduction: {shown(name)}; there are {', '.join(reductions)}")
    return number


cdef int32_t reduced_dtype(str name, int32_t dtype, Stream stream) except -1:
    if name in ("any", "all"):
        return BOOL
    if name in ("argmin", "argmax"):
        return I64
    if name in ("sum", "prod") and dtype < F16:
        return U64 if dtype in (3, 5, 7, 9) else I64
    if name in ("mean", "var", "norm") and dtype < F16:
        return fractions_of(dtype, stream)
    return (F32 if dtype == C64 else F64) if name == "norm" and dtype >= C64 else dtype


cdef size_t reduced_axes(axis, shape, int32_t operation, int32_t *out) except? <size_t>-1:
    """The axes of a reduction, ascending: None are all."""
    chosen = range(len(shape)) if axis is None else axis if hasattr(axis, "__iter__") else (axis,)
    chosen = sorted([axis_of(each, len(shape)) for each in chosen])
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"an axis is named twice: {shown(axis)}")
    for i, each in enumerate(chosen):
        if shape[each] == 0 and operation in (3, 4, 7, 8):
            raise ValueError(f"a min, max, argmin or argmax of no elements: axis {each} of shape {shape}")
        out[i] = each
    return len(chosen)


cdef Array reduced_array(Stream stream, int32_t dtype, shape, const int32_t *axes, size_t count, keepdims):
    """For the result of a reduction."""
    along = {axes[i] for i in range(count)}
    return new_array(stream, dtype, [1 if i in along else extent for i, extent in enumerate(shape) if keepdims or i not in along])


def reduce(name, Array array not None, axis=None, *, keepdims=False, dtype=None, Array out=None):
    """A reduction by its name, along axis: None for all, an int, or a tuple. dtype: of the result; sums to float64 are added as
    such. out: an array for the result."""
    cdef int32_t axes[8]
    cdef int32_t operation = operation_of(name)
    cdef size_t count = reduced_axes(axis, array.shape, operation, axes)
    cdef yoke_array source = array.a
    cdef int32_t number = reduced_dtype(name, source.dtype, array.stream) if dtype is None else dtype_number(dtype)
    cdef Array result = out
    cdef yoke_status status
    cdef const char *where = here()

    if out is None:
        result = reduced_array(array.stream, number, array.shape, axes, count, keepdims)
    elif dtype is not None and number != out.a.dtype:
        raise TypeError(f"dtype is {dtype_names[number]}, and out is of {dtype_names[out.a.dtype]}")
    if count == 0 and source.dimensions:  # of each element alone: to the library no axes are all
        axes[0], count = source.dimensions, 1
        source = yoke_array_expand(source, source.dimensions)
    order_streams(array.stream, [result])
    with nogil:
        status = yoke_reduce_at(where, array.stream.ptr, operation, &result.a, &source, axes if count else NULL, count)
    check(status)
    order_back(array.stream, [result])
    return result


cdef Array variance(Array array, axis, keepdims, dtype, Array out, ddof, bint root):
    """The variance, divided by n - ddof, or its square root."""
    cdef Array result = reduce("var", array, axis, keepdims=keepdims, dtype=dtype, out=out)
    text = "c = "
    text += "sqrt(c * k)" if root and ddof else "sqrt(c)" if root else "c * k"
    if not root and not ddof:
        return result
    values = {"c": result}
    if ddof:
        n = array.size // result.size if result.size else 0
        values["k"] = (result.a.dtype, n / (n - ddof) if n > ddof else math.nan)
    map_arrays(result.stream, text, values, here())
    return result


def map_reduce(name, expression, /, axis=None, *, keepdims=False, dtype=None, stream=None, **variables):
    """As reduce, of the values of an expression, which are not stored: map_reduce("sum", "(x - y) * (x - y)", axis=1, x=x, y=y).
    The arrays are broadcast to each other. dtype: of the values, as in evaluate. InvalidArgumentError shows a mistake in the
    expression with a caret."""
    cdef yoke_var vars[MOST_VARS]
    cdef int32_t axes[8]
    cdef int32_t operation = operation_of(name)
    cdef size_t var_count = 0, count
    cdef Array result
    cdef Stream order
    cdef yoke_status status
    cdef const char *where = here()
    names, arrays = [], []
    cdef bytes text = fill_expression(vars, &var_count, expression, in_double(expression, variables), names, arrays)
    cdef const char *line = text

    operands = arrays_in(variables)
    shape = broadcast_shape([each.shape for each in operands])
    count = reduced_axes(axis, shape, operation, axes)
    if count == 0 and shape:  # to the library no axes are all
        return reduce(name, evaluate(expression, dtype, stream=stream, **variables), axis, keepdims=keepdims)
    order = (<Array>operands[0]).stream if stream is None else stream
    number = reduced_dtype(name, value_dtype(dtype, expression, variables), order)
    result = reduced_array(order, number, shape, axes, count, keepdims)
    order_streams(order, arrays)
    with nogil:
        status = yoke_map_reduce_at(where, order.ptr, operation, &result.a, line, vars, var_count, axes if count else NULL, count)
    check(status)
    order_back(order, arrays)
    return result


def scan(name, Array array not None, axis=None, *, exclusive=False):
    """"sum", "prod", "min" or "max" of all elements up to each, along axis; None: of the flattened array. exclusive: of those
    before each, so that the first is the value for no elements."""
    cdef int32_t mode = 1 if exclusive else 0
    if name not in ("sum", "prod", "min", "max"):
        raise ValueError(f"a scan is of sum, prod, min or max, not of {shown(name)}")
    cdef Array source = array.reshape(-1) if axis is None else array
    cdef int32_t along = axis_of(0 if axis is None else axis, source.a.dimensions)
    cdef int32_t operation = operation_of(name)
    cdef Array result = new_array(source.stream, reduced_dtype(name, source.a.dtype, source.stream), source.shape)
    cdef const char *where = here()
    cdef yoke_status status

    with nogil:
        status = yoke_scan_at(where, source.stream.ptr, operation, mode, &result.a, &source.a, along)
    check(status)
    return result


cdef Array accumulate(str name, Array array, axis, dtype, Array out):
    """A scan in a dtype, and into an array that is there."""
    cdef Array result = scan(name, array if dtype is None else array.astype(dtype), axis)
    if dtype is not None and result.a.dtype != dtype_number(dtype):
        result = result.astype(dtype)
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"out has the shape {out.shape}, and the result {result.shape}")
    if dtype is not None and out.a.dtype != result.a.dtype:
        raise TypeError(f"dtype is {dtype_names[result.a.dtype]}, and out is of {dtype_names[out.a.dtype]}")
    assign(out, result, here())
    return out


def cumsum(array, axis=None, dtype=None, out=None):
    """The sums of all elements up to each, along an axis; None: of the flattened array. dtype: that it is added in."""
    return accumulate("sum", array_from(array), axis, dtype, out)


def cumprod(array, axis=None, dtype=None, out=None):
    """The products of all elements up to each, as cumsum."""
    return accumulate("prod", array_from(array), axis, dtype, out)


cdef Array with_last(Array array, int32_t axis):
    """The view whose last axis is this one; twice gives the array itself."""
    cdef int32_t order[8]
    for i in range(array.a.dimensions):
        order[i] = i
    order[axis], order[array.a.dimensions - 1] = array.a.dimensions - 1, axis
    return array.view(yoke_array_transpose(array.a, order))


cdef int sort_along(Array array, axis, descending) except -1:
    """Sort in place along an axis: along another than the last one, a copy is sorted whose last it is."""
    cdef int32_t along = axis_of(axis, array.a.dimensions)
    if along == array.a.dimensions - 1:
        sort_in_place(array, descending=descending)
        return 0
    view = with_last(array, along)
    sorted_ = view.copy()
    sort_in_place(sorted_, descending=descending)
    return assign(view, sorted_, here())


def sort(array, axis=-1, *, descending=False):
    """A sorted copy, along an axis; None: of the flattened array. Stable, NaN last."""
    given = array_from(array)
    result = given.reshape(-1).copy() if axis is None else given.copy()
    sort_along(result, -1 if axis is None else axis, descending)
    return result


def sort_in_place(Array keys not None, Array values=None, *, descending=False):
    """Sort along the last axis, stable; NaN last. values: an array of the same shape that moves with the keys."""
    cdef const char *where = here()
    cdef int32_t order = 1 if descending else 0
    cdef yoke_array *moved = NULL if values is None else &values.a
    cdef yoke_status status

    if values is not None:
        order_streams(keys.stream, [values])
    with nogil:
        status = yoke_sort_at(where, keys.stream.ptr, order, &keys.a, moved)
    check(status)
    if values is not None:
        order_back(keys.stream, [values])


def argsort(array, axis=-1, *, descending=False):
    """The indices, int64, that would sort along an axis; None: the flattened array."""
    cdef Array keys = array_from(array)
    keys = keys.reshape(-1) if axis is None else keys
    cdef int32_t along = axis_of(-1 if axis is None else axis, keys.a.dimensions)
    if along != keys.a.dimensions - 1:
        return with_last(argsort(with_last(keys, along), descending=descending), along)
    cdef Array result = new_array(keys.stream, I64, keys.shape)
    cdef const char *where = here()
    cdef int32_t order = 1 if descending else 0
    cdef yoke_status status

    with nogil:
        status = yoke_argsort_at(where, keys.stream.ptr, order, &result.a, &keys.a)
    check(status)
    return result


def take(array, indices, axis=None, *, mode="raise"):
    """Elements along an axis, or of the flattened array where it is None, by integer indices of any shape, an Array or what asarray
    takes. mode: "raise", where negative ones count from the end and IndexError tells of one out of range, at once for indices in
    the host's memory; those on the device fail the stream when their turn comes, so that who waits is told. "clip" takes the
    nearest end instead, and "wrap" counts on around the axis: both cost nothing."""
    cdef Array source = array_from(array, stream=stream_of([indices]))
    cdef Array positions
    cdef int32_t along

    source = source.reshape(-1) if axis is None else source
    along = axis_of(0 if axis is None else axis, source.a.dimensions)
    positions = from_the_start(source, indices, along, False, mode)
    shape = source.shape
    return gather(source, positions.reshape(-1), along).reshape((*shape[:along], *positions.shape, *shape[along + 1:]))


cdef Array gather(Array array, Array positions, int32_t along):
    """The elements at positions of one dimension along an axis; 0 for one that is not there."""
    cdef Array result
    cdef const char *where = here()
    cdef yoke_status status

    shape = list(array.shape)
    shape[along] = positions.size
    result = new_array(array.stream, array.a.dtype, shape)
    order_streams(array.stream, [positions])
    with nogil:
        status = yoke_gather_at(where, array.stream.ptr, &result.a, &array.a, &positions.a, along)
    check(status)
    order_back(array.stream, [positions])
    return result


cdef Array compress(Array array, Array flags):
    """The elements whose flag is set; waits for their number."""
    cdef Array result = new_array(array.stream, array.a.dtype, array.shape)
    cdef Array count = new_array(array.stream, I64, ())
    cdef const char *where = here()
    cdef yoke_status status

    order_streams(array.stream, [flags])
    with nogil:
        status = yoke_select_at(where, array.stream.ptr, &result.a, &count.a, &array.a, &flags.a)
    check(status)
    order_back(array.stream, [flags])
    return result[:count.item()]


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
