# SPDX-License-Identifier: Apache-2.0
# Operations on arrays: expressions, operators, reductions, scans, order.

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


cdef bytes fill_expression(yoke_var *vars, size_t *count, expression, dict values, list names, list arrays):
    """The text of an expression, and its variables. `names` keeps what these point to, `arrays` gets the Arrays among them."""
    made = []
    count[0] = fill_vars(vars, values, names, arrays, made)
    if not isinstance(expression, str):
        raise TypeError(f"an expression is a str, not {type(expression).__name__}")
    return c_text("".join(made) + expression, "an expression")


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
                raise TypeError(f"a number is wanted, not {number!r}")
            number = complex(number)
            half = F64 if dtype == C128 else F32
            parts = ((name + "_re_", (half, number.real)), (name + "_im_", (half, number.imag)))
            made.append(f"{name} = complex({name}_re_, {name}_im_); ")
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


def map(expression, /, stream=None, **variables):
    """Evaluate an expression for each element, in one launch: map("y = a * x + y", a=2.0, x=x, y=y). The arrays that are assigned
    are the outputs; all have one shape, to which the others are broadcast. A Python float counts as float32, an int as int32,
    or the wider type that has it (OverflowError: none has), a complex as complex64; NumPy scalars have their own dtype.
    InvalidArgumentError shows a mistake in the expression with a caret."""
    if stream is None:
        streams = [(<Array>value).stream for value in variables.values() if isinstance(value, Array)]
        stream = streams[0] if streams else default_stream()
    map_arrays(stream, expression, variables, here())


cdef list arrays_in(dict variables):
    arrays = [value for value in variables.values() if isinstance(value, Array)]
    if not arrays:
        raise TypeError("an expression without arrays has no shape")
    return arrays


cdef int32_t value_dtype(dtype, list arrays, dict variables) except -1:
    """Of an expression's values: the one that is asked for, else what operators give for these arrays and numbers."""
    if dtype is not None:
        return dtype_number(dtype)
    number = promote([(<Array>each).a.dtype for each in arrays])
    for value in variables.values():
        if not isinstance(value, Array):
            number = weak(number, value)
    for value in variables.values():
        if type(value) is int:
            in_dtype(number, value)
    return number


def evaluate(expression, /, dtype=None, stream=None, **variables):
    """The array of an expression's values: evaluate("a * x + y", a=2.0, x=x, y=y). dtype: None means what an operator gives for
    these arrays and numbers; it does not look at the expression: evaluate("x / 2.5", "float32", x=integers)."""
    cdef Array result
    if not isinstance(expression, str):
        raise TypeError(f"an expression is a str, not {type(expression).__name__}")
    arrays = arrays_in(variables)
    stream = (<Array>arrays[0]).stream if stream is None else stream
    result = new_array(stream, value_dtype(dtype, arrays, variables), broadcast_shape([each.shape for each in arrays]))
    head, separator, tail = expression.rpartition(";")
    name = "result_"
    while name in expression or name in variables:
        name += "_"
    map_arrays(stream, f"{head}{separator} {name} = {tail}", {name: result, **variables}, here())
    return result


def broadcast_shape(shapes):
    """The shape that arrays of these shapes are broadcast to, by NumPy's rules."""
    result = []
    for extents in itertools.zip_longest(*[reversed(shape) for shape in shapes], fillvalue=1):
        wide = {extent for extent in extents if extent != 1}
        if len(wide) > 1:
            raise ValueError(f"shapes {' and '.join(str(tuple(each)) for each in shapes)} do not broadcast to each other")
        result.append(wide.pop() if wide else 1)
    return tuple(reversed(result))


cdef dict templates = {
    "+": "c = a + b", "-": "c = a - b", "*": "c = a * b", "/": "c = a / b", "<": "c = a < b", "<=": "c = a <= b",
    ">": "c = a > b", ">=": "c = a >= b", "==": "c = a == b", "!=": "c = a != b", "&": "c = a & b", "|": "c = a | b",
    "^": "c = a ^ b", "<<": "c = a << b", ">>": "c = a >> b", "**": "c = pow(a, b)", "min": "c = min(a, b)", "max": "c = max(a, b)",
    # Python's quotient is rounded down, and its remainder has the divisor's sign.
    "//": "q = a / b; r = a % b; c = b != 0 && r != 0 && (r < 0) != (b < 0) ? q - 1 : q",
    "%": "r = a % b; c = b != 0 && r != 0 && (r < 0) != (b < 0) ? r + b : r",
    # a / b may be rounded up to a whole number: 1.0 // 0.1 is 9. Without the remainder the quotient is whole but for its rounding.
    "//f": "r = fmod(a, b); q = (a - r) / b; w = r != 0 && (r < 0) != (b < 0) ? q - 1 : q; "
           "c = b == 0 ? a / b : w - floor(w) > 0.5 ? ceil(w) : floor(w)",
    "%f": "r = fmod(a, b); c = r == 0 ? copysign(r, b) : (r < 0) != (b < 0) ? r + b : r",
}


cdef dict numpy_signs = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//", "remainder": "%", "power": "**",
    "matmul": "@", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!=",
    "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "left_shift": "<<", "right_shift": ">>",
}
cdef tuple comparisons = ("<", "<=", ">", ">=", "==", "!=")


cdef int32_t integer_of(value) except -1:
    """The dtype of an operand, an Array or (dtype's number, value), if it is an integer or bool; else 0."""
    cdef int32_t dtype = (<Array>value).a.dtype if isinstance(value, Array) else value[0]
    return dtype if kind_of(dtype) <= 1 else 0


cdef tuple unsigned_integers = (U8, U16, U32, U64), signed_integers = (I8, I16, I32, I64)


cdef int operate(Stream stream, str text, str sign, int32_t dtype, dict values, const char *where) except -1:
    """The text of an operator, of the operands a and b, whose common dtype is this. To C an unsigned operand as wide as a signed
    one makes both unsigned; here they are integers of the common dtype, which is signed and the wider one, as in NumPy. Compared
    are their values, also where no dtype holds both."""
    cdef int32_t a = integer_of(values["a"]) if "b" in values else 0
    cdef int32_t b = integer_of(values["b"]) if a else 0
    unsigned = unsigned_integers
    mixed = a > BOOL and b > BOOL and (a in unsigned) != (b in unsigned) and max(a, b) > I32
    if a and b and sign != "/" and (mixed or sign in ("<<", ">>") and a != dtype):  # C shifts in the left operand's width
        if sign in comparisons:
            first = a not in unsigned
            less = "true" if compare_beyond(sign, first, True) else "false"
            text = (f"c = a < 0 ? {less} : (uint64)a {sign} (uint64)b" if first else
                    f"c = b < 0 ? {less} : (uint64)a {sign} (uint64)b")
        else:
            name = dtype_names[dtype]
            text = f"a = ({name})a_; b = ({name})b_; {text}"
            values = {{"a": "a_", "b": "b_"}.get(each, each): value for each, value in values.items()}
    return map_arrays(stream, text, values, where)


cdef int32_t operated(str sign, int32_t dtype) except -1:
    """The dtype that operands of this common dtype are computed in: bools are integers where NumPy takes them for such."""
    return I8 if dtype == BOOL and sign in ("//", "%", "<<", ">>") else dtype


cdef object binary(str sign, left, right):
    """left sign right, for an Array on at least one side; NotImplemented for what is no number."""
    cdef Array array = left if isinstance(left, Array) else right
    cdef int32_t dtype
    cdef Array result

    other = right if array is left else left
    if isinstance(other, Array):
        dtype = promote([array.a.dtype, (<Array>other).a.dtype])
        shape = array.shape if array.shape == other.shape else broadcast_shape([array.shape, other.shape])
    else:
        if hasattr(other, "shape") and other.shape != ():
            other = array_from(other, stream=array.stream)
            return binary(sign, array, other) if array is left else binary(sign, other, array)
        try:
            dtype = weak(array.a.dtype, other)
        except TypeError:
            return NotImplemented
        power = text_of_power(dtype, other) if sign == "**" and array is left else None
        if power:
            return unary(power, array if dtype == array.a.dtype else array.astype(dtype_names[dtype]), dtype)
        if sign in comparisons and not fits(dtype, other):
            return full(array.shape, compare_beyond(sign, other > 0, array is left), "bool", array.stream)
        # A quotient of integers is one of floats, in which every int has a place.
        other = (F64, float(other)) if sign == "/" and dtype < F16 else operand_of(dtype, other)
        shape = array.shape
    dtype = common = operated(sign, dtype)
    text = text_of_sign(sign, dtype)
    if sign in comparisons:
        dtype = BOOL
    elif sign == "/" and dtype < F16:
        dtype = F32
    result = new_array(array.stream, dtype, shape)
    operate(array.stream, text, sign, common,
            {"c": result, "a": array if array is left else other, "b": other if array is left else array}, here())
    return result


cdef bint compare_beyond(str sign, bint above, bint array_first):
    """What all elements give, compared with an int that is above, or below, all values of their dtype."""
    if sign in ("==", "!="):
        return sign == "!="
    return (sign[0] == "<") == (above == array_first)


cdef str text_of_sign(str sign, int32_t dtype):
    """The expression of an operator for operands of this dtype."""
    kind = kind_of(dtype)
    if kind == 3 and sign in ("<", "<=", ">", ">=", "//", "%", "min", "max"):
        raise TypeError(f"complex numbers have no order: {sign} is not for {dtype_names[dtype]}")
    if sign == "**" and kind != 2:
        raise TypeError(f"{dtype_names[dtype]} is raised to a power that is one int" +
                        ("" if kind == 3 else ": convert to a float dtype first"))
    if sign in ("&", "|", "^", "<<", ">>") and kind > 1:
        raise TypeError(f"{sign} is for integers and bool, not for {dtype_names[dtype]}")
    if sign == "/" and kind < 2:
        return "c = (float)a / (float)b"
    return templates[sign + "f" if sign in ("//", "%") and kind == 2 else sign]


cdef str text_of_power(int32_t dtype, exponent):
    """The expression of a power by multiplications; None: the driver's function for floats."""
    if type(exponent) is not int and getattr(getattr(exponent, "dtype", None), "kind", "") in ("i", "u") and exponent.shape == ():
        exponent = int(exponent)
    if type(exponent) is not int or kind_of(dtype) == 2 and exponent not in (2, 3):
        return None
    if kind_of(dtype) <= 1:
        in_dtype(dtype, exponent)
    if not 0 <= exponent < 2**63:
        raise ValueError(f"{dtype_names[dtype]} is raised to no power of {exponent}: " +
                         ("write 1 / a ** n" if kind_of(dtype) == 3 else "convert to a float dtype first"))
    text, factors, square = "", [], "a"
    for bit in range(exponent.bit_length()):
        if bit:
            text += f"s{bit} = {square} * {square}; "
            square = f"s{bit}"
        if exponent >> bit & 1:
            factors.append(square)
    return text + "c = " + (" * ".join(factors) or "1")


cdef object unary(str text, Array array, int32_t dtype):
    cdef Array result = new_array(array.stream, dtype, array.shape)
    map_arrays(array.stream, text, {"c": result, "a": array}, here())
    return result


cdef object in_place(str sign, Array array, other):
    """The array keeps its dtype, which has to be of the result's kind at least, as in NumPy."""
    cdef int32_t dtype
    power = text_of_power(array.a.dtype, other) if sign == "**" else None
    if hasattr(other, "shape") and not isinstance(other, Array) and other.shape != ():
        other = array_from(other, stream=array.stream)
    if isinstance(other, Array):
        dtype = promote([array.a.dtype, (<Array>other).a.dtype])
        other = apart(array, other)
    else:
        dtype = weak(array.a.dtype, other)
        other = operand_of(dtype, other)
    dtype = common = operated(sign, dtype)
    text = power or text_of_sign(sign, dtype)
    if sign == "/" and kind_of(dtype) < 2:
        dtype = F32
    if kind_of(dtype) > kind_of(array.a.dtype) or array.a.dtype in unsigned_integers and dtype in signed_integers:
        raise TypeError(f"a result of {dtype_names[dtype]} does not go into an array of {dtype_names[array.a.dtype]}: use astype, "
                        "or the operator without =")
    operate(array.stream, text, sign, common, {"c": array, "a": array} if power else {"c": array, "a": array, "b": other}, here())
    return array


cdef dict functions = {name: f"c = {name}(a)" for name in (
    "sqrt exp exp2 log log2 log10 sin cos tan asin acos atan sinh cosh tanh floor ceil trunc rint cbrt expm1 log1p erf rsqrt"
).split()}


def apply(name, Array array not None):
    """A function of expressions for each element, by its name; integers give float32."""
    if name not in functions:
        raise ValueError(f"no such function: {name!r}; there are {', '.join(functions)}")
    return unary(functions[name], array, array.a.dtype if array.a.dtype >= F16 else F32)


def binary_function(name, a, b):
    """"min" or "max" of two arrays, or of an array and a number."""
    if not isinstance(a, Array) and not isinstance(b, Array):
        raise TypeError("an Array is wanted")
    result = binary(name, a, b)
    if result is NotImplemented:
        other = b if isinstance(a, Array) else a
        raise TypeError(f"an Array, a NumPy array or a number is wanted, not {type(other).__name__}: yoke.asarray makes an Array")
    return result


def where(condition, a, b):
    """a where the condition holds, else b: arrays or numbers, broadcast to each other."""
    cdef Array result
    if not isinstance(condition, Array):
        raise TypeError(f"the condition is an Array, not {type(condition).__name__}")
    cdef Array first = condition
    a, b = [array_from(each, stream=first.stream) if is_sequence(each) else each for each in (a, b)]
    arrays = [each for each in (a, b) if isinstance(each, Array)]
    dtype = promote([(<Array>each).a.dtype for each in arrays]) if arrays else BOOL
    for each in (a, b):
        if not isinstance(each, Array):
            dtype = weak(dtype, each)
    result = new_array(first.stream, dtype, broadcast_shape([each.shape for each in [condition, *arrays]]))
    values = [each if isinstance(each, Array) else in_dtype(dtype, each) for each in (a, b)]
    operate(first.stream, "c = condition ? a : b", "?", dtype,
            {"c": result, "condition": condition, "a": values[0], "b": values[1]}, here())
    return result


# ---- Reductions, scans, order ----

cdef dict reductions = {"sum": 1, "prod": 2, "min": 3, "max": 4, "any": 5, "all": 6, "argmin": 7, "argmax": 8, "mean": 9,
                        "var": 10, "norm": 11}


cdef int32_t operation_of(name) except -1:
    number = reductions.get(name)
    if number is None:
        raise ValueError(f"no such reduction: {name!r}; there are {', '.join(reductions)}")
    return number


cdef int32_t reduced_dtype(str name, int32_t dtype) except -1:
    if name in ("any", "all"):
        return BOOL
    if name in ("argmin", "argmax"):
        return I64
    if name in ("sum", "prod") and dtype < F16:
        return U64 if dtype in (3, 5, 7, 9) else I64
    if name in ("mean", "var", "norm") and dtype < F16:
        return F32
    return (F32 if dtype == C64 else F64) if name == "norm" and dtype >= C64 else dtype


cdef size_t reduced_axes(axis, shape, int32_t operation, int32_t *out) except? <size_t>-1:
    """The axes of a reduction, ascending: None are all."""
    chosen = range(len(shape)) if axis is None else axis if hasattr(axis, "__iter__") else (axis,)
    chosen = sorted([axis_of(each, len(shape)) for each in chosen])
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"an axis is named twice: {axis}")
    for i, each in enumerate(chosen):
        if shape[each] == 0 and operation in (3, 4, 7, 8):
            raise ValueError(f"a min, max, argmin or argmax of no elements: axis {each} of shape {shape}")
        out[i] = each
    return len(chosen)


cdef Array reduced_array(Stream stream, int32_t dtype, shape, const int32_t *axes, size_t count, keepdims):
    """For the result of a reduction."""
    along = {axes[i] for i in range(count)}
    return new_array(stream, dtype, [1 if i in along else extent for i, extent in enumerate(shape) if keepdims or i not in along])


def reduce(name, Array array not None, axis=None, keepdims=False, dtype=None, Array out=None):
    """A reduction by its name, along axis: None for all, an int, or a tuple. dtype: of the result; sums to float64 are added as
    such. out: an array for the result."""
    cdef int32_t axes[8]
    cdef int32_t operation = operation_of(name)
    cdef size_t count = reduced_axes(axis, array.shape, operation, axes)
    cdef yoke_array source = array.a
    cdef int32_t number = reduced_dtype(name, source.dtype) if dtype is None else dtype_number(dtype)
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
    cdef Array result = reduce("var", array, axis, keepdims, dtype, out)
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


def map_reduce(name, expression, /, axis=None, keepdims=False, dtype=None, stream=None, **variables):
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
    cdef bytes text = fill_expression(vars, &var_count, expression, variables, names, arrays)
    cdef const char *line = text

    operands = arrays_in(variables)
    shape = broadcast_shape([each.shape for each in operands])
    count = reduced_axes(axis, shape, operation, axes)
    if count == 0 and shape:  # to the library no axes are all
        return reduce(name, evaluate(expression, dtype, stream, **variables), axis, keepdims)
    order = (<Array>operands[0]).stream if stream is None else stream
    result = reduced_array(order, reduced_dtype(name, value_dtype(dtype, operands, variables)), shape, axes, count, keepdims)
    order_streams(order, arrays)
    with nogil:
        status = yoke_map_reduce_at(where, order.ptr, operation, &result.a, line, vars, var_count, axes if count else NULL, count)
    check(status)
    order_back(order, arrays)
    return result


def scan(name, Array array not None, axis=None, exclusive=False):
    """"sum", "prod", "min" or "max" of all elements up to each, along axis; None: of the flattened array. exclusive: of those
    before each, so that the first is the value for no elements."""
    cdef int32_t mode = 1 if exclusive else 0
    if name not in ("sum", "prod", "min", "max"):
        raise ValueError(f"a scan is of sum, prod, min or max, not of {name!r}")
    cdef Array source = array.reshape(-1) if axis is None else array
    cdef int32_t along = axis_of(0 if axis is None else axis, source.a.dimensions)
    cdef int32_t operation = operation_of(name)
    cdef Array result = new_array(source.stream, reduced_dtype(name, source.a.dtype), source.shape)
    cdef const char *where = here()
    cdef yoke_status status

    with nogil:
        status = yoke_scan_at(where, source.stream.ptr, operation, mode, &result.a, &source.a, along)
    check(status)
    return result


def sort_in_place(Array keys not None, Array values=None, descending=False):
    """Sort along the last axis, stable; NaN last. values: an array of the same shape that moves with the keys."""
    cdef const char *where = here()
    cdef int32_t order = 1 if descending else 0
    cdef yoke_array *moved = NULL if values is None else &values.a
    cdef yoke_status status

    if values is not None:
        order_streams(keys.stream, [values])
    with nogil:
        status = yoke_sort_at(where, keys.stream.ptr, &keys.a, moved, order)
    check(status)
    if values is not None:
        order_back(keys.stream, [values])


def argsort(Array keys not None, descending=False):
    """The indices, int64, that would sort along the last axis."""
    cdef Array result = new_array(keys.stream, I64, keys.shape)
    cdef const char *where = here()
    cdef int32_t order = 1 if descending else 0
    cdef yoke_status status

    with nogil:
        status = yoke_argsort_at(where, keys.stream.ptr, &result.a, &keys.a, order)
    check(status)
    return result


def take(Array array not None, indices, axis=0):
    """Elements along an axis by integer indices of one dimension, an Array or what asarray takes, which may be negative. An index
    out of range gives 0."""
    cdef int32_t along = axis_of(axis, array.a.dimensions)
    cdef Array positions, result
    cdef const char *where = here()
    cdef yoke_status status

    positions = from_the_start(array, indices, along)
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


def dot(Array a not None, Array b not None):
    """The sum of a * b over all elements of two arrays of one dimension."""
    cdef Array result
    cdef const char *where = here()
    cdef yoke_status status

    if a.shape != b.shape or a.a.dimensions != 1:
        raise ValueError(f"dot takes two arrays of one dimension and one length, not of shapes {a.shape} and {b.shape}")
    dtype = promote([a.a.dtype, b.a.dtype])
    result = new_array(a.stream, reduced_dtype("sum", dtype), ())
    order_streams(a.stream, [b])
    with nogil:
        status = yoke_dot_at(where, a.stream.ptr, &result.a, &a.a, &b.a)
    check(status)
    order_back(a.stream, [b])
    return result
