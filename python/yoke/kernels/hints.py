# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""What to write instead of what kernels do not have: of Python's functions, NumPy's, methods, and Numba's names."""

LOOP = "write a loop over range(len(x)), or compute it outside"
MEMORY = "a kernel makes no arrays but yoke.local(shape, dtype), of the thread's own, and yoke.shared(shape, dtype)"
ELEMENTS = "loop over the elements"

BUILTINS = {
    "print": "print is a statement of its own",
    "input": "a kernel reads arrays alone", "open": "a kernel reads arrays alone",
    "sum": "write a loop, or call yoke.reduce outside", "sorted": "call yoke.sort outside",
    "enumerate": "write for i in range(n)", "zip": "write for i in range(n)", "map": "write a loop", "filter": "write a loop",
    "range": "it stands in for i in range(n)", "iter": "write for i in range(n)", "next": "write for i in range(n)",
    "list": "use an array of yoke.local(shape, dtype)", "dict": "use an array", "set": "use an array", "tuple": "write (a, b)",
    "bytes": "use an array of uint8", "bytearray": "use an array of uint8", "memoryview": "pass the array",
    "str": "kernels have no strings", "format": "kernels have no strings", "repr": "kernels have no strings",
    "isinstance": "types are known before the launch", "type": "types are known before the launch",
    "any": "write a loop", "all": "write a loop", "reversed": "write range(n - 1, -1, -1)", "divmod": "write a // b and a % b",
    "getattr": "write x.name", "setattr": "write x[i].name = value", "hasattr": "types are known before the launch",
    "super": "kernels have no classes", "slice": "write a loop", "object": "kernels have no classes",
    "eval": "the text is made before the launch", "exec": "the text is made before the launch",
}
MATH = {
    **dict.fromkeys(("fsum", "prod", "dist", "sumprod"), LOOP),
    **dict.fromkeys(("factorial", "gcd", "lcm", "comb", "perm", "isqrt"), "write a @yoke.function with the loop"),
    "modf": "write math.trunc(x) and x - math.trunc(x)", "remainder": "write x - y * round(x / y)",
    "isclose": "write abs(a - b) <= limit", "fma": "write a * b + c, which compilers fuse", "exp10": "write 10.0 ** x",
}
NUMPY = {
    **dict.fromkeys(("zeros", "ones", "empty", "full", "array", "asarray", "arange", "linspace", "zeros_like", "ones_like",
                     "empty_like", "full_like", "copy", "eye", "identity"), MEMORY),
    **dict.fromkeys(("sum", "prod", "mean", "std", "var", "min", "max", "amin", "amax", "argmin", "argmax", "any", "all", "cumsum",
                     "median", "nansum", "count_nonzero", "dot", "matmul", "inner", "outer", "vdot", "cross", "norm"), LOOP),
    **dict.fromkeys(("sort", "argsort", "unique", "searchsorted", "concatenate", "stack", "reshape", "transpose", "roll"),
                    "call it outside, and pass the array"),
    "where": "write a if c else b", "clip": "write min(max(x, low), high)", "sign": "write (x > 0) - (x < 0)",
    "mod": "write a % b", "remainder": "write a % b", "floor_divide": "write a // b", "divide": "write a / b",
    "true_divide": "write a / b", "add": "write a + b", "subtract": "write a - b", "multiply": "write a * b",
    "negative": "write -x", "square": "write x * x", "reciprocal": "write 1 / x", "logical_and": "write a and b",
    "logical_or": "write a or b", "logical_not": "write not a", "bitwise_and": "write a & b", "bitwise_or": "write a | b",
    "bitwise_xor": "write a ^ b", "left_shift": "write a << n", "right_shift": "write a >> n", "real": "write z.real",
    "imag": "write z.imag", "angle": "write math.atan2(z.imag, z.real)", "isclose": "write abs(a - b) <= limit",
    "round": "write round(x)", "around": "write round(x)", "fix": "write numpy.trunc(x)", "shape": "write x.shape",
    "size": "write x.size", "ndim": "write x.ndim", "iinfo": "write its max or min as a number outside the kernel",
    "finfo": "write its max, min or eps as a number outside the kernel",
}
OF_NUMBERS = {
    "astype": "write numpy.int32(x[i]) of an element", "item": "write x[i]", "format": 'write print("x", x)',
}
METHODS = {
    **dict.fromkeys(("append", "extend", "insert", "pop", "remove"), "an array does not grow: count in an element with "
                    "yoke.atomic.add, and write to x[place]"),
    **dict.fromkeys(("sum", "prod", "mean", "std", "var", "min", "max", "argmin", "argmax", "any", "all", "dot", "cumsum"), LOOP),
    **dict.fromkeys(("fill", "copy", "tolist", "flatten", "ravel", "reshape", "transpose", "sort"), ELEMENTS),
    **OF_NUMBERS,
}
NUMBA = {
    "syncthreads": "yoke.barrier()", "threadIdx": "yoke.thread", "blockIdx": "yoke.block", "blockDim": "yoke.block_size",
    "gridDim": "yoke.grid_size", "jit": "@yoke.kernel", "shfl_sync": "yoke.shuffle", "shfl_xor_sync": "yoke.shuffle_xor",
    "shfl_down_sync": "yoke.shuffle_down", "shfl_up_sync": "yoke.shuffle_up",
}


def of_method(word, of_array):
    """The same of a method; of_array: of an array, and not of a number."""
    if of_array:
        return METHODS.get(word, "an array in a kernel has elements, shape and size")
    return OF_NUMBERS.get(word, "write operators and functions of numbers, as abs(x) and math.sqrt(x)")


def instead(module, word):
    """What to write instead of a function of this module; "": nothing is known."""
    if module == "math":
        return MATH.get(word, "")
    if module == "random" or module.startswith("numpy.random"):
        return "take yoke.random_words(seed, sequence, block)"
    if module == "time":
        return "measure outside, with events of the stream"
    return NUMPY.get(word, "") if module.split(".")[0] in ("numpy", "yoke") else ""
