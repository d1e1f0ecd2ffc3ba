# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Expressions: their variables, and the one launch that evaluates them for each element.

import itertools

cimport cython

from .c_python cimport PyBytes_AsString
from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport c_text, check, here, shown
from .dtype cimport BOOL, C128, C64, dtype_number, F16, F32, F64, has_double, I32, in_dtype, integer_number, kind_of, number_of
from .stream cimport Stream
from .array cimport above, Array
from .layout cimport new_array, order_back, order_streams

from .stream import default_stream


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
    made = []
    if not isinstance(expression, str):
        raise TypeError(f"an expression is a str, not {type(expression).__name__}")
    count[0] = fill_vars(vars, values, names, arrays, made)
    return c_text("".join(made) + expression, "an expression")


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


cdef Py_ssize_t fill_vars(yoke_var *vars, dict values, list names, list arrays, list made) except -1:
    """The variables of an expression. The library's scalars are real: a complex one is two, and `made` gets the assignment that
    makes one of them, to stand before the expression."""
    cdef Py_ssize_t count = 0
    cdef object number  # the stable ABI has no struct of a complex number
    for name, value in values.items():
        parts = ((name, value),)
        dtype = complex_dtype(value)
        if dtype:
            number = value[1] if isinstance(value, tuple) else value
            if isinstance(number, str):
                raise TypeError(f"a number is wanted, not {shown(number)}")
            number = complex(number)
            half = F64 if dtype == C128 else F32
            parts = (("yops_re_" + name, (half, number.real)), ("yops_im_" + name, (half, number.imag)))
            made.append(f"{name} = complex(yops_re_{name}, yops_im_{name}); ")
        for label, part in parts:
            if count == MOST_VARS:
                raise ValueError(f"an expression has at most {MOST_VARS} variables; a complex number counts as two")
            names.append(c_text(label, "the name of a variable"))
            fill_var(&vars[count], PyBytes_AsString(names[-1]), name, part, arrays)
            count += 1
    return count


cdef int32_t complex_dtype(value) except -1:
    """The dtype of a complex number; 0: the value is none."""
    if isinstance(value, Array):
        return 0
    if isinstance(value, tuple):  # (dtype's number, value)
        return value[0] if kind_of(value[0]) == 3 else 0
    dtype = getattr(value, "dtype", None)
    if dtype is not None and getattr(value, "shape", None) == ():
        return dtype_number(dtype) if getattr(dtype, "kind", "") == "c" else 0
    return C64 if isinstance(value, complex) else 0


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
    elif getattr(value, "shape", None) == ():
        var[0] = yoke_var_scalar(label, number_of(dtype_number(value.dtype), value))
    else:
        raise TypeError(f"{name}: an expression takes Arrays and numbers, not {type(value).__name__}; asarray makes Arrays")
    return 0


cdef int assign_value(Array target, value, const char *where) except -1:
    cdef yoke_status status
    cdef yoke_number number
    if kind_of(target.a.dtype) == 3:
        map_arrays(target.stream, "x = value", {"x": target, "value": (target.a.dtype, value)}, where)
        return 0
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


above.assign_value = assign_value
