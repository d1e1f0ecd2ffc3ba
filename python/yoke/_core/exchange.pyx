# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Arrays and other libraries: NumPy's functions of Arrays; names that others have; and what an Array shows of itself.

import operator
import sys

from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport here, in_host_function, shown
from .dtype cimport dtype_names
from .array cimport above, Array
from .create cimport filled
from .operators cimport compare, numpy_signs, quotient_and_remainder
from .numerics cimport product

from .errors import Error
from .indexing import scatter_add


# ---- NumPy's functions ----

# NumPy's functions of each element, by the names that these have here; operators are in numpy_signs.
cdef dict numpy_functions = {
    **{name: name for name in ("sqrt exp exp2 log log2 log10 sin cos tan sinh cosh tanh floor ceil trunc rint cbrt expm1 log1p "
                               "minimum maximum fmin fmax").split()},
    "arcsin": "asin", "arccos": "acos", "arctan": "atan",
}


cdef dict numpy_operators = {"negative": operator.neg, "positive": operator.pos, "absolute": abs, "invert": operator.invert}


# NumPy's functions that are methods here, by their names there.
cdef dict numpy_methods = {
    **{name: name for name in ("sum prod mean var std min max any all argmin argmax transpose reshape ravel squeeze copy round "
                               "broadcast_to swapaxes diagonal trace").split()},
    "amin": "min", "amax": "max", "permute_dims": "transpose",
}


cdef tuple numpy_attributes = ("shape", "ndim", "size", "real", "imag")


cdef object refuse_numpy(str name):
    raise TypeError(f"numpy.{name} is for the memory of the host, where an Array is not: pass array.to_numpy(), which copies it")


cdef object numpy_elementwise(ufunc, str method, tuple inputs, dict options):
    """Array.__array_ufunc__: the package's function of each element, the quick way; else that of yoke.numpy."""
    name = ufunc.__name__
    if method == "__call__" and not options:
        if name == "divmod":
            return quotient_and_remainder(inputs[0], inputs[1])
        sign = numpy_signs.get(name)
        if sign:
            return product(inputs[0], inputs[1]) if sign == "@" else compare(sign, inputs[0], inputs[1])
        if name in numpy_operators:
            return numpy_operators[name](inputs[0])
        if name in ("conjugate", "conj"):
            return inputs[0].conj()
        if name in numpy_functions:
            return getattr(sys.modules["yoke"], numpy_functions[name])(*inputs)
        if name in sys.modules["yoke"]._LATER:
            return getattr(sys.modules["yoke"], name)(*inputs)
    if name == "add" and method == "at" and isinstance(inputs[0], Array):
        return scatter_add(*inputs)
    outs = options.get("out", ())
    function = function_of_numpy("numpy", name)
    if function is not None and method != "__call__":
        function = getattr(function, method, None)
    ours = any([isinstance(each, Array) for each in inputs]) and all([each is None or isinstance(each, Array) for each in outs])
    if function is None or not ours:
        refuse_numpy(name if method == "__call__" else f"{name}.{method}")
    if len(outs) == 1:
        options = {**options, "out": outs[0]}
    return function(*inputs, **options)


cdef object function_of_numpy(str place, str name):
    """What yoke.numpy has by a name of one of NumPy's modules, or None."""
    try:
        from .. import numpy as found
    except ImportError:
        return None
    for each in [*place.split(".")[1:], name]:
        found = getattr(found, each, None)
    return found


cdef object numpy_function(function, tuple args, dict kwargs):
    """Array.__array_function__: the function of yoke.numpy by the same name, which has NumPy's parameters; else that of the package,
    the method or the attribute, whose arguments mean the same."""
    name, place = function.__name__, function.__module__
    ours = sys.modules["yoke"]
    same = function_of_numpy(place, name)
    if same is not None:
        return same(*args, **kwargs)
    if place != "numpy":
        refuse_numpy(f"{place.removeprefix('numpy.')}.{name}")
    if name in ours.__all__:
        return getattr(ours, name)(*args, **kwargs)
    if args and isinstance(args[0], Array):
        if name in numpy_methods:
            return getattr(args[0], numpy_methods[name])(*args[1:], **kwargs)
        if name in numpy_attributes and len(args) == 1:
            return getattr(args[0], name)
    if name in ours._LATER:
        return getattr(ours, name)(*args, **kwargs)
    refuse_numpy(name)


# ---- The array API standard ----

def namespace(version):
    """Array.__array_namespace__."""
    package = sys.modules["yoke"]
    known = ("2021.12", "2022.12", "2023.12", package.__array_api_version__)
    if version is not None and version not in known:
        raise ValueError(f"yoke is a namespace of the array API standard {', '.join(known)}, not {shown(version)}")
    return package


# ---- Names that are not there ----

# Methods that arrays of other libraries have, and what to write here.
cdef dict attributes_of_others = {
    "numpy": "to_numpy()", "cpu": "to_numpy()",
    "copy_to_host": "to_numpy()", "set": "a[...] = values", "ptr": "buffer.native",
    "to": "to_device(device), or astype(dtype)",
    "tobytes": "to_numpy().tobytes()", "partition": "sort()", "argpartition": "argsort()", "ptp": "max() - min()",
}


def missing(what, name, there, others):
    """The text for a name that something does not have: what there is instead, and names like it."""
    text = f"{what} has no {name}"
    if name.startswith("__"):  # of protocols: whether it is there is asked often
        return text
    if name in others:
        return f"{text}: {others[name]}"
    import difflib

    near = difflib.get_close_matches(name, [*[each for each in there if not each.startswith("_")], *others])
    return text + (f": is it {' or '.join([f'{each} ({others[each]})' if each in others else each for each in near])}?" if near
                   else "")


cdef object no_attribute(Array array, name):
    """The text for an attribute that an Array does not have."""
    return missing("an Array", name, dir(type(array)), attributes_of_others)


# ---- What an Array shows ----

cdef enum:
    MOST_SHOWN = 100  # elements


cdef str values_at_hand(Array array):
    """The values as lists of a small array, if showing them waits for no work; else "". A debugger may ask, whatever the array's
    state is."""
    if array.size > MOST_SHOWN or array.stream.graph is not None or in_host_function():
        return ""
    try:
        return str(array.tolist()) if array.stream.event().query() else ""
    except (Error, ImportError):
        return ""


cdef object html_of(Array array):
    import html

    rows = [("shape", array.shape), ("dtype", dtype_names[array.a.dtype]), ("device", array.stream.device.info.name),
            ("bytes", f"{array.nbytes:,}")]
    values = values_at_hand(array)
    if values:
        rows.append(("values", values))
    return ("<table>" + "".join([f"<tr><th>{name}</th><td>{html.escape(str(value))}</td></tr>" for name, value in rows]) +
            "</table>")


cdef Array read_only_zeros(Array array):
    """Zeros of the array's shape and dtype that nothing may write."""
    cdef Array result = filled(array.shape, 0, array.a.dtype, array.stream, here())
    result.buffer = result.buffer.view(0, result.buffer.size, read_only=True)
    result.buffer.users = 1
    result.a.buffer = result.buffer.ptr
    return result


above.read_only_zeros = read_only_zeros
above.no_attribute = no_attribute
above.numpy_elementwise = numpy_elementwise
above.numpy_function = numpy_function
above.values_at_hand = values_at_hand
above.html_of = html_of
