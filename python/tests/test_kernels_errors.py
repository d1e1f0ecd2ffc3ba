# SPDX-License-Identifier: Apache-2.0
"""Wrong kernels: each gives a KernelError that names the line and says what to write."""

import linecache
import math
import re

import numpy
import pytest

import yoke

HEAD = """
def plain(v): return v

@yoke.function
def one(v): return v + 1

@yoke.function
def two(v, w: "int32"): return v, w

@yoke.function
def endless(v): return endless(v)

@yoke.function
def ping(v): return pong(v)

@yoke.function
def pong(v): return ping(v)

@yoke.function
def nothing(v): v[0] = 1

@yoke.function
def half(v):
    if v > 0:
        return 1

@yoke.function
def mixed(v):
    if v > 0:
        return 1
    return True

@yoke.function
def typed(v: yoke.Array["int32"]) -> "int32": return v[0]

@yoke.function
def waits(): yoke.barrier()

@yoke.function
def shares(): s = yoke.shared(4, "float32")

@yoke.function
def half_none(v):
    if v > 0:
        return 1
    return

@yoke.function
def gives(v): return v

@yoke.function
def gives_tuple(v): return v, 1

@yoke.function
def rounds(v) -> "int32": return v

@yoke.function
def array(v) -> yoke.Array["int32"]: return v

@yoke.function
def several(v):
    if v > 0:
        return 1, 2
    return 1, 2, 3

@yoke.kernel
def other(v): v[0] = 1

outside, word, listed, some, late = numpy.zeros(3), "text", [1], numpy.float16(1), lambda v: v

@yoke.kernel
def wrong(x: yoke.Array["float32"], n: yoke.Array["int32"], m: yoke.Array["float32"], a: "float32"):
    i = yoke.grid(1)
    x[i], n[i], m[i, i] = a, 1, a
"""

# The statements, of which the last or the one with `# <-` is wrong, and a part of the message.
WRONG = [
    ("x[i] = {1, 2}", "a set is not part of kernels"),
    ("x[i] = [1, 2]", "a list is not part of kernels: use a tuple"),
    ("x[i] = {1: 2}", "a dict is not part of kernels"),
    ("x[i] = sum([v for v in x])", "sum is not part of kernels: write a loop"),
    ("b = [v for v in x]", "a comprehension is not part of kernels"),
    ("b = (v for v in x)", "a generator is not part of kernels"),
    ("f = lambda v: v", "a lambda is not part of kernels: write a @yoke.function"),
    ("x[i] = (b := 2)", ":= is not part of kernels"),
    ("b = f'{i}'", "a string is not part of kernels"),
    ("b = 'text'", "a string is not part of kernels"),
    ("b = None", "None is not part of kernels"),
    ("b = ...", "... is not part of kernels"),
    ("x[i] = 2j", "an element is float32, and this is a number of type complex"),
    ("try:\n    x[i] = 1\nexcept Exception:\n    pass", "try is not part of kernels"),
    ("raise ValueError", "raise is not part of kernels: write a code"),
    ("assert i > 0, i", "the message of an assertion is a string in a kernel, without values"),
    ("assert x", "a number is wanted in a condition, and this is an array"),
    ("with x:\n    pass", "with is not part of kernels"),
    ("def inner(): pass", "a function inside a kernel"),
    ("class Inner: pass", "a class is not part of kernels"),
    ("import os", "import stands outside the kernel"),
    ("global plain", "a kernel cannot assign names outside it"),
    ("del i", "del is not part of kernels"),
    ("match i:\n    case 1: pass", "match is not part of kernels: write if"),
    ("yield i", "yield is not part of kernels"),
    ("return i", "a kernel returns nothing"),
    ("for v in x:\n    pass", "a kernel loops over range(…): write for i in range(len(x))"),
    ("for v in (1, 2):\n    pass", "a kernel loops over range"),
    ("for j, k in range(3):\n    pass", "the variable of a loop is a name"),
    ("for k in range(3):\n    pass\nelse:\n    pass", "else of a loop is not part of kernels"),
    ("while i:\n    pass\nelse:\n    pass", "else of a loop is not part of kernels"),
    ("for k in range():\n    pass", "range takes 1 to 3 arguments, not 0"),
    ("for k in range(0, 9, 0):\n    pass", "the step of range is not 0"),
    ("for k in range(a):\n    pass", "range takes integers, and this is a number of type float32: write int"),
    ("for k in enumerate(x):\n    pass", "a kernel loops over range"),
    ("b = i\nb = x[i]", "b is int64 since line"),
    ("b = True\nb = 1", "b is bool since line"),
    ("b = n[i]\nb += i", "b is int32 since line"),
    ("b = 1\nb += x[0]\nb = n[0]", "b is float32 since line"),
    ("a = n[0]", "a is float32 since line"),
    ("b, c = 1", "a tuple is wanted to assign 2 names"),
    ("b, c = 1, 2, 3", "2 names and 3 values"),
    ("b, *c = 1, 2, 3", "* in an assignment"),
    ("b = undefined", "undefined is not defined"),
    ("x[i] = math.sqroot(a)", "math has no sqroot: is it sqrt?"),
    ("x[i] = nubmer(a)", "nubmer is not defined"),
    ("x[i] = later\nlater = 1", "later has no value yet"),
    ("x[i] = plain(a)", "plain is a function of Python: decorate it with @yoke.function"),
    ("other(x)", "other is a kernel, which kernels cannot call"),
    ("x[i] = one()", "one takes 1 argument: v is missing"),
    ("x[i] = one(1, 2)", "one takes 1 argument, not 2"),
    ("x[i] = one(w=1)", "one has no parameter w"),
    ("x[i] = one(1, v=1)", "one gets v twice"),
    ("x[i] = one(*x)", "* in a call"),
    ("x[i] = endless(1)", "endless calls itself"),
    ("x[i] = ping(1)", "ping calls itself"),
    ("b = nothing(x)", "nothing() without a value"),
    ("x[i] = half(a)", "half ends here without a value"),
    ("x[i] = mixed(a)", "gives int64, and this one bool"),
    ("b, c = two(1, a)", "w of two is int32, and this is a number of type float32: write int"),
    ("x[i] = typed(x)", "v of typed is yoke.Array['int32'], and this is Array[float32]"),
    ("x[i] = typed(a)", "v of typed is an array"),
    ("x[i] = outside[0]", "the array outside is outside the kernel: pass it"),
    ("b = word", "a str is not part of kernels"),
    ("b = listed", "a list is not part of kernels"),
    ("b = some", "kernels have no numbers of float16: only arrays"),
    ("b = print(i)", "print is not part of kernels: print is a statement of its own"),
    ("print(x)", "print takes numbers and strings in a kernel, and this is an array"),
    ("print(i, file=x)", "print takes sep= and end= by name in a kernel"),
    ("print(f'{a:.2f}')", "a format in an f-string is not part of kernels: write {x}"),
    ("x[i] = min(a)", "takes 2 or more arguments, not 1"),
    ("x[i] = math.sqrt()", "math.sqrt takes 1 argument, not 0"),
    ("x[i] = math.atan2(a)", "math.atan2 takes 2 arguments, not 1"),
    ("x[i] = round(a, 2)", "round to digits"),
    ("x[i] = len(a)", "len takes an array or a tuple"),
    ("x[i] = abs(x)", "a number is wanted as an argument of abs, and this is an array"),
    ("x[i] = math.gcd(i, 2)", "math.gcd cannot be called in a kernel"),
    ("x[i] = x", "an element is float32, and this is an array"),
    ("n[i] = a", "which would be rounded: write int"),
    ("n[i] = i / 2", "which would be rounded: write int"),
    ("n[i] = 2 ** 40", "1099511627776 does not fit in int32"),
    ("x[i] = 1e300", "does not fit in float32"),
    ("x[a] = 1", "an index is an integer, and this is a number of type float32"),
    ("x[i, i] = 1", "the array has 1 dimension and the index 2: write it as x[i]"),
    ("m[i] = 1", "the array has 2 dimensions and the index 1: write it as x[i, j]"),
    ("m[i][i] = 1", "the array has 2 dimensions and the index 1"),
    ("x[0:2] = 1", "a slice is not part of kernels"),
    ("x[i].real = 1", "a kernel assigns names and elements of arrays"),
    ("b = x.T", "an array has no T in a kernel"),
    ("b = x.sum()", "x.sum() is not part of kernels: write a loop over range(len(x)), or compute it outside"),
    ("b = x.view()", "x.view() is not part of kernels: an array in a kernel has elements, shape and size"),
    ("b = x + 1", "a number is wanted left of an operator, and this is an array"),
    ("b = m @ m", "@ is not part of kernels"),
    ("b = a @ a", "@ is not part of kernels"),
    ("b = a & 1", "& takes integers"),
    ("b = ~a", "~ takes an integer"),
    ("b = ~(i > 0)", "~ takes an integer, and this is a number of type bool: write not"),
    ("b = i ** -1", "an integer to a negative power is a float"),
    ("b = i ** i", "make the exponent unsigned"),
    ("b = i // 0", "division by zero"),
    ("b = 1 // 0", "division"),
    ("b = i and 2", "`and` and `or` give one of their operands"),
    ("b = i in x", "`in` is not part of kernels"),
    ("b = i is 1", "`is` is not part of kernels"),
    ("b = 0 < one(i) < 2", "a call in the middle of a chained comparison"),
    ("b = two(1, 2)[0] if i else 1", "a call that gives a tuple is assigned in a statement of its own"),
    ("b = i > 0 and two(1, 2)[0] > 1", "a call that gives a tuple is assigned in a statement of its own"),
    ("\u00e4 = 1", "letters of ASCII alone"),
    ("b = 1 if i else True", "both must be bool, or neither"),
    ("b = (1, 2)[i]", "a tuple's index is a constant"),
    ("b = (1, 2)[2]", "the index 2 is outside a tuple of 2"),
    ("b = (1, 2)\nb[0] = 1", "a tuple cannot be changed"),
    ("i", "computes a value and drops it"),
    ("one(a) + 1", "computes a value and drops it"),
    ("math.sqrt(a)", "the value of math.sqrt is dropped"),
    ("b = yoke.grid(4)", "yoke.grid takes 1, 2 or 3"),
    ("b = yoke.thread.w", "yoke.thread has x, y and z, and not w"),
    ("b = yoke.barrier()", "yoke.barrier() is a statement of its own"),
    ("yoke.barrier(1)", "yoke.barrier takes no arguments"),
    ("s = yoke.shared(i, 'float32')", "the shape of yoke.shared is a constant"),
    ("s = yoke.shared(4, 'float33')", "is not a dtype of kernels"),
    ("s = yoke.shared(4)", "yoke.shared takes a shape and a dtype"),
    ("if i:\n    s = yoke.local(4, 'float32')", "stands at the outermost level"),
    ("s = yoke.shared(4, 'float32')\ns[5] = 1", "the index 5 is outside axis 0, which has 4 elements"),
    ("x[i] = yoke.local(4, 'float32')[0]", "is assigned to a name of its own"),
    ("s = 1\ns = yoke.local(4, 'float32')", "s has a value already"),
    ("yoke.atomic.add(x, i)", "yoke.atomic.add takes 3 arguments"),
    ("yoke.atomic.add(a, i, 1)", "an array is wanted here"),
    ("yoke.atomic.min(x, i, a)", "yoke.atomic.min takes elements of int32 or uint32"),
    ("yoke.atomic.add(n, i, a)", "the elements are int32, and this is a number of type float32: write int"),
    ("x = 1", "x is an array, and would be a number of type int"),
    ("b: 'float33' = 1", "is not a dtype of kernels"),
    ("b: 'float32'", "a declaration has a value"),
    ("b = numpy.uint64(1) + i", "uint64 + int64: no integer type has all values of both: convert one, as numpy.int64(x)"),
    ("b = numpy.uint64(1) < i", "uint64 < int64: no type has all values of both"),
    ("b = min(numpy.uint64(1), i)", "the arguments of min have no common type: convert one"),
    ("b = numpy.uint64(1) if i else i", "uint64 and int64 have no common type: convert one"),
    ("b = i ** 2 ** 40", "the exponent 1099511627776 is too large"),
    ("b = numpy.uint8(3) & -1", "-1 does not fit in uint8"),
    ("b = n[i] if i else 2 ** 40", "1099511627776 does not fit in int32"),
    ("x[i] = math.sqrt(x=a)", "math.sqrt takes no arguments by name in a kernel"),
    ("x[i] = math.pi(a)", "math.pi is no function"),
    ("x[i] = (1, 2)(a)", "(1, 2) is no function"),
    ("b = len(x, n)", "len takes 1 argument, not 2"),
    ("s = yoke.local(4, 'int32')\nyoke.atomic.add(s, 0, 1)", "an array of yoke.local is the thread's own"),
    ("b = yoke.shuffle(numpy.int8(1), 2)", "shuffles take numbers of 4 or 8 bytes, and this is int8"),
    ("b = yoke.random_words(a, 1, 2)", "random numbers are chosen by integers, and this is a number of type float32"),
    ("b = yoke.philox(1, 2)", "yoke.philox takes a counter of four integers and a key of two"),
    ("b = yoke.philox((1, 2, 3, x), (4, 5))", "an integer is wanted here, and this is an array"),
    ("b = yoke.thread[0]", "yoke.thread[…] is not part of kernels"),
    ("waits()", "yoke.barrier() stands in a kernel, where all threads of the block come"),
    ("shares()", "yoke.shared stands in a kernel: pass the array to the function"),
    ("b = c = one(i)", "a call's value is assigned to one name"),
    ("b = x\nb = n", "b cannot become another array: take a name for each array"),
    ("(x).y = 1", "x.y is neither"),
    ("b = (1, 2)\nb += 1", "a number is wanted left of"),
    ("b = (1, 2)\nb[0] += 1", "a tuple cannot be changed: make a new one"),
    ("n[one(i)] += 1", "a call in this index would run twice: assign it first"),
    ("for x in range(3):\n    pass", "x is an array: take another name"),
    ("half_none(a)", "a return before gives a value, and this one none"),
    ("b = gives(x)", "a function returns numbers, and this is an array"),
    ("b = gives_tuple(x)", "a function returns a tuple of numbers, and no arrays"),
    ("b = rounds(a)", "rounds returns int32, and this is a number of type float32: write int"),
    ("b = array(a)", "a function returns numbers, and no array"),
    ("b = several(a)", "a return in line"),
    ("b = one((x, 1))", "v of one gets a tuple with an array in it: pass the array by itself"),
    ("b = one(plain)", "v of one takes a number or an array"),
    ("b = yoke.barrier(1)", "yoke.barrier"),
    ("x[i] = 1.5 if i else True", "both must be bool, or neither"),
    ("b = x[i] > 1\nb = x[i]", "b is bool since line"),
    ("b = numpy.float32", "is not a value in a kernel"),
    ("b = not x", "a number is wanted in a condition"),
    ("x[i] = round()", "round takes 1 argument, not 0"),
    ("flags = yoke.local(2, 'bool')\nflags[0] = i", "an element is bool, and this is a number of type int64: compare it"),
    ("x[(i, i)] = 1", "the array has 1 dimension and the index 2"),
    ("x[i] = two(x[0], v=1)", "two gets v twice"),
    ("x[i] = numpy.array(1)", "numpy.array cannot be called in a kernel"),
    ("b, (c, d) = i, (i, x)\nd = 1", "d is an array, and would be"),
    ("[b][0] = 1", "a list is not part of kernels"),
    ("x[i] = a.real", "has no real in a kernel"),
    ("x[numpy.float32] = 1", "an index is an integer, and this is"),
    # What NumPy's and Numba's users write.
    ("b = numpy.zeros(3, numpy.float32)", "numpy.zeros cannot be called in a kernel: a kernel makes no arrays but yoke.local"),
    ("b = yoke.zeros(3)", "yoke.zeros cannot be called in a kernel: a kernel makes no arrays but yoke.local"),
    ("x[i] = numpy.sum(x)", "numpy.sum cannot be called in a kernel: write a loop"),
    ("x[i] = x.max()", "x.max() is not part of kernels: write a loop"),
    ("x[i] = numpy.where(a > 0, a, 0)", "numpy.where cannot be called in a kernel: write a if c else b"),
    ("x[i] = numpy.clip(a, 0, 1)", "write min(max(x, low), high)"),
    ("x[i] = numpy.random.rand()", "numpy.random.rand cannot be called in a kernel: take yoke.random_words"),
    ("b = x.astype(numpy.int32)", "write numpy.int32(x[i]) of an element"),
    ("b = x[i].item()", "x[i].item() is not part of kernels: write x[i]"),
    ("x.append(a)", "an array does not grow: count in an element with yoke.atomic.add"),
    ("listed.append(i)", "listed.append() changes or reads an object of Python"),
    ("x[i] = late(a)", "a lambda is not part of kernels: write a @yoke.function"),
    ("x[i] = (lambda v: v)(a)", "a lambda is not part of kernels: write a @yoke.function"),
    ("yoke.barrier", "this names a function and does not call it: write yoke.barrier()"),
    ("yoke.syncthreads()", "yoke has no syncthreads: write yoke.barrier()"),
    ("b = yoke.threadIdx.x", "yoke has no threadIdx: write yoke.thread"),
    ("for j, v in enumerate(x):\n    x[j] = v", "write for i in range(len(x)), and take the elements inside"),
    ("for v in (1.0, 2.0):\n    x[i] = v", "a kernel loops over range(…): write a statement for each value"),
    ("for j in numpy.arange(3, 9):\n    x[j] = 1", "a kernel loops over range(…): write range(3, 9)"),
    ("b = range(3)", "range is not part of kernels: it stands in for i in range(n)"),
    ("print('%d' % i)", "print composes no strings in a kernel: write print(\"x\", x)"),
    ("print('{}'.format(i))", "write print(\"x\", x)"),
    ("x[i] = a == None", "None is not part of kernels: take a number that stands for nothing"),
    ("x[...] = 0", "... is not part of kernels: loop over the elements"),
    ("b = numpy.int32(1e10)", "10000000000 does not fit in int32"),
    ("b = min(n[i], 3000000000)", "3000000000 does not fit in int32"),
    ("x[i] = math.factorial(3)", "math.factorial cannot be called in a kernel: write a @yoke.function with the loop"),
    ("x[i] = numpy.nonsense(a)", "numpy has no nonsense\n"),
    ("x[i] = numpy.sqr(a)", "numpy has no sqr: is it sqrt?"),
    ("x[i] = x[i].max()", "x[i].max() is not part of kernels: write operators and functions of numbers"),
    ("x[i] = a.sum()", "a.sum() is not part of kernels: write operators and functions of numbers"),
    ("x[i] = x[i].astype(numpy.int32)", "write numpy.int32(x[i]) of an element"),
    ("x[i] = dir(a)", "dir cannot be called in a kernel: call it outside, and pass what it gives"),
]
count = 0


def made(source):
    """The module of a source that is in no file."""
    global count
    count += 1
    name = f"<wrong kernel {count}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    namespace = {"yoke": yoke, "math": math, "numpy": numpy, "__name__": "wrong"}
    exec(compile(source, name, "exec"), namespace)
    return namespace


def arguments():
    return [yoke.In(numpy.zeros(shape, dtype)) for shape, dtype in ((4, "float32"), (4, "int32"), ((4, 4), "float32"))] + [1.0]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("case", WRONG, ids=[each[0].replace("\n", "; ") for each in WRONG])
def test_wrong(case):
    body, message = case
    with pytest.raises(yoke.KernelError) as failure:
        made(HEAD + "".join(f"    {line}\n" for line in body.split("\n")))["wrong"].text(*arguments())
    assert message in str(failure.value)
    assert failure.value.line > 0 and re.search(r"<wrong kernel \d+>:\d+\n    .*\n    +\^+$", str(failure.value))


def test_there_are_enough():
    assert len(WRONG) >= 80


def test_place_and_caret():
    source = 'import yoke\n@yoke.kernel\ndef wrong(x: yoke.Array["float32"]):\n    x[0] = 1 + sorted(x)\n'
    with pytest.raises(yoke.KernelError) as failure:
        made(source)
    assert str(failure.value).endswith("    x[0] = 1 + sorted(x)\n               ^^^^^^^^^") and failure.value.line == 4


def test_both_lines_of_a_changed_type():
    source = 'import yoke\n@yoke.kernel\ndef wrong(x: yoke.Array["float32"]):\n    b = x[0]\n    if b > 1:\n        b = x.size\n'
    with pytest.raises(yoke.KernelError, match=r"b is float32 since line 4, and would be int64 here"):
        made(source)


@pytest.mark.parametrize("head, message", [
    ("def wrong(*x): pass", "a fixed number of parameters"),
    ("def wrong(x, *, y): pass", "are plain"),
    ("def wrong(x=1): pass", "have no defaults"),
    ("async def wrong(x): pass", "without async"),
    ('def wrong(x: "list"): pass', "an annotation is yoke.Array"),
    ('def wrong(x: "no_such"): pass', "the annotation 'no_such' has no meaning here"),
    ('def wrong(x: "float16"): pass', "kernels have no numbers of float16: only arrays"),
    ('def wrong(x: yoke.Array["int8", "int8"]): pass', "an array has one dtype"),
    ('def wrong(x: yoke.Array["complex32"]): pass', "the annotation 'complex32' has no meaning here"),
])
def test_wrong_heads(head, message):
    with pytest.raises(yoke.KernelError, match=message):
        made(f"import yoke\n@yoke.kernel\n{head}\n")


def test_what_annotations_do_not_tell():
    names = made('import yoke\n@yoke.kernel(math="fast")\ndef wrong(x: yoke.Array["int32"], y: yoke.Array):\n    x[0] = 1\n'
                 '@yoke.kernel\ndef unused(x: yoke.Array["int32"]):\n    pass\n')
    for name, text in (("wrong", "the type of y is not known before a launch"), ("unused", "no index tells the dimensions of x")):
        with pytest.raises(yoke.KernelError, match=text):
            names[name].text()


def test_no_source():
    namespace = {"yoke": yoke}
    with pytest.raises(yoke.KernelError, match="the source is not there"):
        exec("@yoke.kernel\ndef wrong(x): pass", namespace)


def test_a_mistake_in_a_function_names_its_line():
    source = "import yoke\n@yoke.function\ndef inner(v):\n    return v.real\n@yoke.kernel\ndef wrong(x):\n    x[0] = inner(x)\n"
    with pytest.raises(yoke.KernelError, match="inner: an array has no real") as failure:
        made(source)["wrong"].text(arguments()[0])
    assert failure.value.line == 4
