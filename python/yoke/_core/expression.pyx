# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# What operations on arrays stand on: new arrays, the order between streams, copies, whether operands overlap; and expressions, with
# their variables and the one launch that evaluates them for each element.

import itertools
import math

cimport cython
from libc.string cimport memcmp

from .c_python cimport PyBytes_AsString
from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport c_text, check, fail, here, shown
from .dtype cimport (
    axis_of, BOOL, C64, dtype_number, F32, F64, has_double, I32, in_dtype, integer_number, is_integer_or_bool, number_of, part_of,
    shape_of,
)
from .stream cimport ordered_buffer, refuse_recorded, refuse_wait, Stream
from .array cimport above, Array

from .stream import default_stream


cdef Array new_array(Stream stream, int32_t dtype, shape):
    cdef Array result = Array.__new__(Array)
    cdef int64_t extents[8]
    cdef int32_t dimensions = shape_of(shape, extents)
    cdef size_t size = yoke_dtype_get_size(dtype)

    for i in range(dimensions):
        if extents[i] < 0:
            raise ValueError(f"a shape has a negative extent: {shown(shape)}")
        size *= extents[i]
    result.stream = stream
    result.buffer = ordered_buffer(stream, max(1, size))
    result.buffer.users = 1
    result.a = yoke_array_nd(result.buffer.ptr, dtype, dimensions, extents)
    if result.a.dtype == 0:
        fail(YOKE_E_INVALID_ARGUMENT)
    return result


cdef bint are_alike(Array a, Array b):
    """Whether two arrays have one shape and dtype."""
    return (a.a.dtype == b.a.dtype and a.a.dimensions == b.a.dimensions
            and memcmp(a.a.shape, b.a.shape, a.a.dimensions * sizeof(int64_t)) == 0)


cdef int order_streams(Stream stream, list arrays) except -1:
    """Work in `stream` on arrays of other streams comes behind what these have now."""
    for each in arrays:
        if (<Array>each).stream is not stream:
            stream.wait_for((<Array>each).stream.event())
    return 0


cdef int order_back(Stream stream, list arrays) except -1:
    """And what the others do from now on comes behind that work."""
    for each in arrays:
        if (<Array>each).stream is not stream:
            (<Array>each).stream.wait_for(stream.event())
    return 0


cdef int assign(Array target, Array source, const char *where) except -1:
    cdef yoke_status status
    cdef yoke_stream *stream = target.stream.ptr
    order_streams(target.stream, [source])
    with nogil:
        status = yoke_assign_at(where, stream, &target.a, &source.a)
    check(status)
    order_back(target.stream, [source])
    return 0


cdef list empty_lists(tuple shape):
    """The nested lists of an array without elements."""
    return [empty_lists(shape[1:]) for _ in range(shape[0])] if shape[0] else []


cdef int read_array(Array source, out) except -1:
    """Read the elements in row-major order into host memory, and wait. Where the wait is refused, because the stream is recorded or
    this thread would wait for itself, nothing is enqueued that would write the memory later."""
    cdef unsigned before = source.stream.recordings
    refuse_wait(source.stream)
    if source.size == 0:
        source.stream.wait()
        return 0
    if not yoke_array_is_contiguous(&source.a):
        source = source.copy()
    source.stream.read(out, source.memory(), source.a.offset)
    return refuse_recorded(source.stream, before)


cdef Array part_of_complex(Array array, int number):
    """The real (0) or imaginary (1) parts, which are every other number of the memory."""
    cdef yoke_array a = array.a
    a.dtype = part_of(a.dtype)
    a.offset += number * yoke_dtype_get_size(a.dtype)
    for i in range(a.dimensions):
        a.strides[i] *= 2
    return array.view(a)


cdef Array with_last(Array array, int32_t axis):
    """The view whose last axis is this one; twice gives the array itself."""
    cdef int32_t order[8]
    for i in range(array.a.dimensions):
        order[i] = i
    order[axis], order[array.a.dimensions - 1] = array.a.dimensions - 1, axis
    return array.view(yoke_array_transpose(array.a, order))


cdef bint is_sequence(value) except -1:
    """Whether a value is neither an Array nor a single value, but can be converted to an Array."""
    return not isinstance(value, (Array, str, bytes)) and getattr(value, "shape", None) != () and hasattr(value, "__len__")


cdef Array trimmed(Array values, Py_ssize_t dimensions):
    """The values without leading axes of one element, where they have more dimensions than that."""
    cdef Py_ssize_t more = 0
    while values.a.dimensions - more > dimensions and values.shape[more] == 1:
        more += 1
    return values.reshape(values.shape[more:]) if more else values


cdef tuple span_of(Array array):
    """The first and the last element's place, in bytes."""
    reach = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides)]
    return (array.a.offset + sum([each for each in reach if each < 0]), array.a.offset + sum([each for each in reach if each > 0]))


cdef bint spans_meet(Array a, Array b):
    """Whether the bytes from the first element to the last of two arrays have some in common."""
    if a.a.buffer != b.a.buffer:
        return False
    low, high = span_of(a)
    first, last = span_of(b)
    return high + <Py_ssize_t>yoke_dtype_get_size(a.a.dtype) > first and last + <Py_ssize_t>yoke_dtype_get_size(b.a.dtype) > low


cdef Array away(Array target, Array source):
    """The source, or a copy where it meets the target: for operations that read also other elements than the one they write."""
    return source.copy() if spans_meet(target, source) else source


cdef Array apart(Array target, Array source):
    """The source, or a copy where it overlaps the target and an operation could read what it has written."""
    if source is target or not spans_meet(target, source):
        return source
    layouts = [(each.dtype, each.shape, each.strides) for each in (source, target)]
    if source.a.offset == target.a.offset and layouts[0] == layouts[1]:
        return source
    size, source_size = yoke_dtype_get_size(target.a.dtype), yoke_dtype_get_size(source.a.dtype)
    step = math.gcd(*target.strides, *source.strides)
    if step and size <= (span_of(source)[0] - span_of(target)[0]) % step <= step - source_size:  # between the other's elements
        return source
    return source.copy()


above.new_array = new_array
above.part_of_complex = part_of_complex
above.assign = assign
above.read_array = read_array
above.empty_lists = empty_lists


# ---- Expressions ----

@cython.final
cdef class Function:
    """A function that an expression calls; whoever passes one keeps it."""


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


cdef bytes fill_expression(yoke_var *vars, size_t *count, expression, dict values, list names, list arrays):
    """The text of an expression, and its variables. `names` keeps what these point to, `arrays` gets the Arrays among them."""
    if not isinstance(expression, str):
        raise TypeError(f"an expression is a str, not {type(expression).__name__}")
    count[0] = fill_vars(vars, values, names, arrays)
    return c_text(expression, "an expression")


cdef Function called_function(str declaration, str text):
    cdef Function called = Function.__new__(Function)
    called.declaration, called.text = declaration.encode(), text.encode()
    return called


cdef tuple from_function(expression, dict variables):
    """A Python function where an expression may stand: the expression that calls it, and the variables with what it is there."""
    cdef Function called
    if not callable(expression):
        return expression, variables
    from ..kernels.lambdas import translated

    values = in_double("", variables)
    wide = values is not variables or any((<Array>each).a.dtype == F64 for each in variables.values() if isinstance(each, Array))
    text, declaration, function = translated(expression, variables, wide)
    called = called_function(declaration, function)
    return text, {**variables, "function": called} if "function" not in variables else {**variables, "function_": called}


cdef tuple assigned(function, dict variables):
    """The assignment of a function's values to the array `out`."""
    target = variables.get("out")
    if not isinstance(target, Array):
        raise TypeError("map of a function takes out, the array that gets its values; evaluate makes a new one")
    text, variables = from_function(function, {name: each for name, each in variables.items() if name != "out"})
    for each in variables.values():
        if isinstance(each, Function) and (<Function>each).declaration.startswith(b"float") and is_integer_or_bool(
                (<Array>target).a.dtype):
            raise TypeError(f"the function gives floats, and out is of {target.dtype}: round them with int(…) or round(…)")
    return f"out = {text}", {"out": target, **variables}


cdef dict in_double(expression, dict variables):
    """The variables of a user's expression. Python's floats among them, and constants, are double beside arrays of double, and
    beside integers of 32 and 64 bits with no narrower floating point, where the device has it."""
    arrays = [each for each in variables.values() if isinstance(each, Array)]
    dtypes = {(<Array>each).a.dtype for each in arrays}
    wide = any([part_of(each) == F64 for each in dtypes])
    if not wide:
        long = any([yoke_dtype_get_size(each) >= 4 for each in dtypes]) and all([is_integer_or_bool(each) for each in dtypes])
        if not long or not has_double((<Array>arrays[0]).stream):
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


cdef int assign_value(Array target, value, const char *where) except -1:
    cdef yoke_status status
    cdef yoke_number number
    number = number_of(target.a.dtype, in_dtype(target.a.dtype, value)[1])
    with nogil:
        status = yoke_assign_value_at(where, target.stream.ptr, &target.a, number)
    check(status)
    return 0


def broadcast_shape(shapes):
    """The shape that arrays of these shapes are broadcast to, by NumPy's rules."""
    result = []
    for extents in itertools.zip_longest(*[reversed(shape) for shape in shapes], fillvalue=1):
        wide = {extent for extent in extents if extent != 1}
        if len(wide) > 1:
            raise ValueError(f"shapes {' and '.join(str(tuple(each)) for each in shapes)} do not broadcast to each other")
        result.append(wide.pop() if wide else 1)
    return tuple(reversed(result))


def map(expression, /, *, stream=None, **variables):
    """Evaluate an expression for each element, in one launch: map("y = a * x + y", a=2.0, x=x, y=y). The arrays that are assigned
    are the outputs; all have one shape, to which the others are broadcast. A Python float, and a constant of the expression, counts
    as float32, but as float64 beside arrays of float64, and of int32, uint32, int64 or uint64 where none is of floats and the
    device has float64; an int as int32, or the wider type that has it (OverflowError: none has), a complex as complex64; NumPy
    scalars have their own dtype.
    InvalidArgumentError shows a mistake in the expression with a caret. In its place a function may stand, and out is the array
    that gets its values: map(lambda a, x, y: a * x + y, out=y, a=2.0, x=x, y=y)."""
    if callable(expression):
        expression, variables = assigned(expression, variables)
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
    """The dtype of an expression's values: the caller's, or else the expression's own."""
    cdef yoke_var vars[MOST_VARS]
    cdef size_t count = 0
    cdef int32_t number = 0
    if dtype is not None:
        return dtype_number(dtype)
    names, arrays = [], []
    cdef bytes text = fill_expression(vars, &count, expression, in_double(expression, variables), names, arrays)
    check(yoke_expression_get_dtype(text, vars, count, &number))
    return number


cdef list row_axes(axis, shape):
    """The axes of rows, ascending: None are all."""
    chosen = range(len(shape)) if axis is None else axis if hasattr(axis, "__iter__") else (axis,)
    chosen = sorted([axis_of(each, len(shape)) for each in chosen])
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"an axis is named twice: {shown(axis)}")
    if shape and not chosen:
        raise ValueError("axis names no axis: rows lie along one, or more")
    return chosen


cdef str with_result(str expression, str name):
    """The expression whose value is assigned to this name."""
    head, separator, tail = expression.rstrip("; \n").rpartition(";")
    return f"{head}{separator} {name} = {tail}"


cdef str free_name(str name, str expression, dict variables):
    while name in expression or name in variables:
        name += "_"
    return name


cdef Array evaluate_rows(expression, dtype, axis, keepdims, Stream stream, dict variables):
    """The value of an expression that reduces rows."""
    cdef yoke_var vars[MOST_VARS]
    cdef int32_t axes[8]
    cdef size_t count = 0, axis_count
    cdef int32_t number = 0, varies = 0
    cdef Array result
    cdef const char *where = here()
    cdef yoke_status status
    cdef bytes text
    cdef const char *line
    if not isinstance(expression, str):
        raise TypeError("with axis, evaluate takes an expression as a str: functions of Python do not reduce rows")
    values = in_double(expression, variables)
    names, arrays = [], []
    text = fill_expression(vars, &count, expression, values, names, arrays)
    shape = broadcast_shape([each.shape for each in arrays_in(variables)])
    chosen = row_axes(axis, shape)
    axis_count = len(chosen)
    for i, each in enumerate(chosen):
        axes[i] = each
    check(yoke_rows_get_dtype(text, vars, count, axes, axis_count, &number, &varies))
    if dtype is not None:
        number = dtype_number(dtype)
    if not varies:
        shape = [1 if i in chosen else extent for i, extent in enumerate(shape) if keepdims or i not in chosen]
    stream = (<Array>arrays[0]).stream if stream is None else stream
    result = new_array(stream, number, shape)
    name = free_name("yops_result", expression, variables)
    names, arrays, count = [], [], 0
    text = fill_expression(vars, &count, with_result(expression, name), {name: result, **values}, names, arrays)
    line = text
    order_streams(stream, arrays)
    with nogil:
        status = yoke_map_rows_at(where, stream.ptr, line, vars, count, axes, axis_count)
    check(status)
    order_back(stream, arrays)
    return result


cdef bint reads_out(str expression):
    """Whether an expression has the word: re is imported where it matters."""
    import re

    return re.search(r"\bout\b", expression) is not None


def evaluate(expression, /, dtype=None, *, axis=..., keepdims=False, stream=None, **variables):
    """The array of an expression's values: evaluate("a * x + y", a=2.0, x=x, y=y), or of a function's, which is translated:
    evaluate(lambda x, y: (x - y) ** 2, x=x, y=y). dtype: None means the expression's own: "x > 0"
    is bool, and "x * 0.5" of int64 float64, where the device has it.

    With axis, an int, a tuple, or None for all, an expression also reduces along it, at any place, and goes on with the result, in
    one launch: evaluate("e = exp(x - max(x)); e / sum(e)", axis=-1, x=x). There are sum, mean, prod, min, max, any and all. A value
    that is the same all along the axis, as "sum(x * x)", gives one element for each row: the result is without the axis, unless
    keepdims."""
    cdef Array result
    if "out" in variables and isinstance(expression, str) and not reads_out(expression):
        raise TypeError("evaluate gives a new array, and the expression has no out: yoke.map('out = …', out=…) writes into one")
    if axis is not ...:
        return evaluate_rows(expression, dtype, axis, keepdims, stream, variables)
    if keepdims is not False:
        raise TypeError("keepdims goes with axis")
    expression, variables = from_function(expression, variables)
    if not isinstance(expression, str):
        raise TypeError(f"an expression is a str, not {type(expression).__name__}")
    arrays = arrays_in(variables)
    stream = (<Array>arrays[0]).stream if stream is None else stream
    result = new_array(stream, value_dtype(dtype, expression, variables), broadcast_shape([each.shape for each in arrays]))
    name = free_name("yops_result", expression, variables)
    map_arrays(stream, with_result(expression, name), in_double(expression, {name: result, **variables}), here())
    return result


above.assign_value = assign_value
