# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""CuPy's kernels: ElementwiseKernel and ReductionKernel, whose texts become kernels in one text for CUDA and OpenCL, and RawKernel
and RawModule over a Source.

A text is statements of C, as both languages have them. What CUDA C++ has beside and programs often write is given to OpenCL by
macros (sqrtf, abs of floats), and T(x) becomes (T)(x). The functions that a text calls take numbers of all types, as in C++: their
calls are renamed in the text, and not by macros, which would rename them in what it includes too."""

import ast as _ast
import itertools as _itertools
import math as _math
import re as _re

import numpy as _numpy

from . import _core
from ._core import Array as _Array

_C_TYPES = {"bool": "bool", "int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short",
            "int32": "int", "uint32": "unsigned int", "int64": "YK_INT64", "uint64": "unsigned YK_INT64", "float32": "float",
            "float64": "double"}
_C_WORDS = {"float": "float32", "double": "float64", "int": "int32", "long": "int64", "short": "int16"}

_HEAD = """#include <yoke/kernel.h>
#ifdef __OPENCL_VERSION__
#define YK_INT64 long
#define __device__ static
#define __host__
#define __forceinline__ inline
#ifdef cl_khr_fp64
typedef double yk_wide;
#else
typedef float yk_wide;
#endif
#define YK_OVERLOAD(type) static type __attribute__((overloadable))
YK_OVERLOAD(float) yk_abs(float x) { return fabs(x); }
YK_OVERLOAD(int) yk_abs(int x) { return x < 0 ? -x : x; }
YK_OVERLOAD(long) yk_abs(long x) { return x < 0 ? -x : x; }
#ifdef cl_khr_fp64
YK_OVERLOAD(double) yk_abs(double x) { return fabs(x); }
#endif
#undef abs
#define abs yk_abs
#define sqrtf(x) sqrt((float)(x))
#define rsqrtf(x) rsqrt((float)(x))
#define expf(x) exp((float)(x))
#define logf(x) log((float)(x))
#define sinf(x) sin((float)(x))
#define cosf(x) cos((float)(x))
#define tanhf(x) tanh((float)(x))
#define fabsf(x) fabs((float)(x))
#define floorf(x) floor((float)(x))
#define powf(x, y) pow((float)(x), (float)(y))
#define fmaxf(x, y) fmax((float)(x), (float)(y))
#define fminf(x, y) fmin((float)(x), (float)(y))
#else
#define YK_INT64 long long
template <class T> struct yk_floating { typedef double type; };
template <> struct yk_floating<float> { typedef float type; };
#endif
"""


# What C++'s standard headers have for each combination of types, and neither OpenCL C nor NVIDIA's compiler without them: floats
# give float, and all others double. max and min of floats leave a NaN out, as CUDA's; OpenCL's own leave open what there is.
_OF_ONE = set("""acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp10 exp2 expm1 fabs floor lgamma log log10 log1p
    log2 rint round rsqrt sin sinh sqrt tan tanh tgamma trunc""".split())
_OF_TWO = {"atan2", "copysign", "fdim", "fmax", "fmin", "fmod", "hypot", "nextafter", "pow", "remainder"}
_CALL = _re.compile(r'"(?:\\.|[^"\\\n])*"|(?<!::)(?<!->)(?<!\.)\b(' + "|".join(sorted({"max", "min"} | _OF_ONE | _OF_TWO))
                    + r")(?=\s*\()")  # but texts in quotes
_RANKS = ("int", "uint", "long", "ulong", "float", "double")  # of two types the later one is the type of a sum


def _overload(name, *types):
    """OpenCL's function for arguments of these types."""
    names = "xy"[:len(types)]
    if name in ("max", "min"):
        result = max(types, key=_RANKS.index)
        x, y = [f"({result}){each}" for each in names]
        value = f"f{name}({x}, {y})" if result in ("float", "double") else f"{x} {'<>'[name == 'max']} {y} ? {x} : {y}"
    elif name == "pow" and types == ("float", "int"):
        result, value = "float", "pown(x, y)"
    else:
        result = "float" if set(types) == {"float"} else "yk_wide"
        value = f"{name}({', '.join([f'({result}){each}' for each in names])})"
    parameters = ", ".join([f"{kind} {each}" for kind, each in zip(types, names)])
    return f"YK_OVERLOAD({result}) yk_{name}({parameters}) {{ return {value}; }}"


def _template(name):
    """CUDA's function of all types."""
    if name in _OF_ONE:
        return (f"template <class A> __device__ inline auto yk_{name}(A x) "
                f"{{ return {name}((typename yk_floating<A>::type)x); }}")
    sum_type = "x + y" if name in ("max", "min") else "typename yk_floating<A>::type() + typename yk_floating<B>::type()"
    text = (f"template <class A, class B> __device__ inline auto yk_{name}(A x, B y) "
            f"{{ typedef decltype({sum_type}) C; return {name}((C)x, (C)y); }}")
    return text + ("\n__device__ inline float yk_pow(float x, int y) { return pow(x, y); }" if name == "pow" else "")


def _renamed(text):
    """The text, with yk_ before the names of these functions, also where it defines one itself."""
    return _CALL.sub(lambda found: f"yk_{found[1]}" if found[1] else found[0], text)


def _overloads(text):
    """Those of the functions that a text calls and does not define."""
    own = {*_re.findall(r"\b(\w+)\s*\([^()]*\)\s*\{", text), *_re.findall(r"#\s*define\s+(\w+)", text)}
    called = sorted({*_CALL.findall(text)} - own - {""})
    single, double = [], []
    for name in called:
        for types in _itertools.product(_RANKS, repeat=1 if name in _OF_ONE else 2):
            (double if "double" in types else single).append(_overload(name, *types))
    return "\n".join(["#ifdef __OPENCL_VERSION__", *single, "#ifdef cl_khr_fp64", *double, "#endif", "#else",
                      *map(_template, called), "#endif"])


class _Parameter:
    """One of "T x" or "raw float32 x"."""

    def __init__(self, text, kernel):
        words = text.split()
        self.raw = words[:1] == ["raw"]
        words = words[self.raw:]
        if len(words) != 2 or not all(each.isidentifier() for each in words):
            raise ValueError(f"{kernel}: a parameter is a type and a name, as 'T x' or 'raw float32 x', not {text.strip()!r}")
        self.type, self.name = _C_WORDS.get(words[0], words[0]), words[1]
        if self.name in ("i", "n", "_ind") or self.name.startswith("yk_"):
            raise ValueError(f"{kernel}: {self.name} is what the kernel itself calls the index or the size: take another name")

    @property
    def is_template(self):
        return self.type not in _C_TYPES


def _parameters(text, kernel):
    if not isinstance(text, str):
        raise TypeError(f"{kernel}: parameters are a text, as 'T x, T y', not {_core.shown(text)}")
    return [_Parameter(each, kernel) for each in text.split(",") if each.strip()]


def _dtype_of(value, what):
    name = str(value.dtype)
    if name not in _C_TYPES:
        raise TypeError(f"{what} is {name}, and kernels of this kind are of bools, ints of 8 to 64 bits, float32 and float64")
    return name


def _is_contiguous(array):
    """Whether the elements lie in C's order, from a byte on where the device takes a view."""
    if array._offset % array.device.info.view_alignment:
        return False
    width = array.nbytes // max(1, array.size)
    for extent, stride in zip(array.shape[::-1], array.strides[::-1]):
        if extent != 1 and stride != width:
            return False
        width *= extent
    return True


def _refuse(kernel, **options):
    for name, (value, usual) in options.items():
        if value != usual:
            raise TypeError(f"{kernel}: {name}={_core.shown(value)} is not there")


class ElementwiseKernel:
    """A function of arrays that computes each element by a text: ElementwiseKernel('T x, T y', 'T z', 'z = x * y', 'product').
    As CuPy's: types of one letter follow the arguments, raw parameters are indexed by the text, `i` is the position, and inputs are
    broadcast."""

    def __init__(self, in_params, out_params, operation, name="kernel", reduce_dims=True, preamble="", no_return=False,
                 return_tuple=False, *, loop_prep="", after_loop="", options=()):
        _refuse(name, loop_prep=(loop_prep, ""), after_loop=(after_loop, ""), options=(tuple(options), ()))
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"the name of a kernel is one of C's, not {_core.shown(name)}")
        if not isinstance(operation, str) or not isinstance(preamble, str):
            raise TypeError(f"{name}: operation and preamble are texts of C")
        self.name, self.operation, self.preamble = name, operation, preamble
        self.in_params, self.out_params = _parameters(in_params, name), _parameters(out_params, name)
        self.reduce_dims, self.no_return, self.return_tuple = reduce_dims, no_return, return_tuple  # reduce_dims changes no result
        self._kernels = {}
        names = [each.name for each in (*self.in_params, *self.out_params)]
        if len(names) != len(set(names)) or not self.out_params:
            raise ValueError(f"{name}: parameters have different names, and one at least is an output")

    def __call__(self, *args, size=None, block_size=128):
        return self.launch(args, {}, size, block_size)

    def launch(self, args, types, size=None, block_size=128):
        """As a call, where some types are known."""
        ins, outs = args[:len(self.in_params)], args[len(self.in_params):]
        if len(ins) != len(self.in_params) or len(outs) not in (0, len(self.out_params)):
            count = len(self.in_params)
            raise TypeError(f"{self.name} takes {count} arguments, or {count + len(self.out_params)} with the outputs, not "
                            f"{len(args)}")
        types = self._types(ins, outs, types)
        shape = self._shape(ins, outs, size)
        stream = next((each.stream for each in args if isinstance(each, _Array)), None) or _core.default_stream()
        outs = outs or [None] * len(self.out_params)
        passed = [self._input(*each, types, shape) for each in zip(self.in_params, ins)]
        targets = [self._output(*each, types, shape, stream) for each in zip(self.out_params, outs)]
        count = _math.prod(shape)
        if count >= 2**32:
            raise ValueError(f"{self.name}: {count} elements are more than a launch has, 2^32")
        if count:
            kernel = self._kernel(stream.device, types, [isinstance(each, _Array) for each in passed])
            kernel[(-(-count // block_size),), (block_size,)](stream, *passed, *targets, count)
        results = [self._into(*each) for each in zip(outs, targets)]
        return None if self.no_return else results[0] if len(results) == 1 and not self.return_tuple else tuple(results)

    def _types(self, ins, outs, known):
        types = dict(known)
        pairs = list(zip((*self.in_params, *self.out_params), (*ins, *outs)))
        for parameter, value in pairs:
            if isinstance(value, _numpy.ndarray) or not isinstance(value, (_Array, _numpy.generic, bool, int, float)):
                raise TypeError(f"{self.name}: {parameter.name} is a {type(value).__name__}: arrays of the device are taken, as of "
                                "cupy.asarray, and numbers")
            if isinstance(value, _Array):
                found = _dtype_of(value, f"{self.name}: {parameter.name}")
                wanted = types.setdefault(parameter.type, found) if parameter.is_template else parameter.type
                if found != wanted:
                    raise TypeError(f"{self.name}: {parameter.name} is {found}, and its type {parameter.type} is {wanted}: say "
                                    f"{parameter.name}.astype({wanted!r})")
            elif parameter.raw or parameter in self.out_params:
                raise TypeError(f"{self.name}: {parameter.name} is an array, not {_core.shown(value)}")
        for parameter, value in pairs:
            if parameter.is_template and parameter.type not in types:
                types[parameter.type] = _dtype_of(_numpy.asarray(value), f"{self.name}: {parameter.name}")
        for each in self.out_params:
            if each.is_template and each.type not in types:
                raise TypeError(f"{self.name}: no argument has the type {each.type} of the output {each.name}: pass an array "
                                "for it")
        return types

    def _shape(self, ins, outs, size):
        pairs = [*zip(self.in_params, ins), *zip(self.out_params, outs)]
        shapes = [tuple(value.shape) for each, value in pairs if isinstance(value, _Array) and not each.raw]
        if size is not None and shapes:
            raise ValueError(f"{self.name}: size is for kernels whose arrays are all raw")
        if not shapes and (size is None and any(isinstance(value, _Array) for _, value in pairs)):
            raise ValueError(f"{self.name}: all arrays are raw, so that size=… has to say for how many elements")
        shape = (size,) if size is not None else tuple(_core.broadcast_shape(shapes)) if shapes else ()
        for each, value in zip(self.out_params, outs):
            if not each.raw and tuple(value.shape) != shape:
                raise ValueError(f"{self.name}: the output {each.name} has the shape {tuple(value.shape)}, and the result {shape}")
        return shape

    def _type(self, parameter, types):
        return types[parameter.type] if parameter.is_template else parameter.type

    def _input(self, parameter, value, types, shape):
        if isinstance(value, _Array):
            value = value if parameter.raw or tuple(value.shape) == shape else value.broadcast_to(shape)
            return value if _is_contiguous(value) else value.copy(order="C")
        kind = self._type(parameter, types)
        number = _numpy.dtype(kind).type(value)
        if kind.startswith(("int", "uint", "bool")) and number != value:
            raise TypeError(f"{self.name}: {parameter.name} is {kind}, which {_core.shown(value)} does not fit")
        return _numpy.uint8(number) if kind == "bool" else number

    def _output(self, parameter, value, types, shape, stream):
        if value is None and parameter.raw:
            raise TypeError(f"{self.name}: the output {parameter.name} is raw: pass an array for it")
        if value is None:
            return _core.empty(shape, self._type(parameter, types), stream=stream)
        if _is_contiguous(value):
            return value
        if parameter.raw:
            raise ValueError(f"{self.name}: the raw output {parameter.name} is not contiguous")
        return value.copy(order="C")  # an operation may read what it writes

    def _into(self, given, made):
        if given is not None and given is not made:
            given[...] = made
        return made if given is None else given

    def _kernel(self, device, types, arrays):
        key = (device, tuple(sorted(types.items())), tuple(arrays))
        if key not in self._kernels:
            program = device.build(_core.Source(self.text(types, arrays), name=self.name))
            self._kernels[key] = program[f"{self.name}_kernel"]  # a language may have a function of that name, as CUDA has norm
        return self._kernels[key]

    def text(self, types, arrays):
        """The whole kernel, in one text."""
        names = "|".join([*types, "float", "double", "int"])
        body, preamble = [_re.sub(rf"\b({names})\s*\((?=[^)*])", r"(\1)(", each) for each in (self.operation, self.preamble)]
        overloads = _overloads(f"{preamble}\n{body}")
        body, preamble = _renamed(body), _renamed(preamble)
        body = _re.sub(r"\b_ind\s*\.\s*size\s*\(\s*\)", "yk_n", body)
        signature, before, after = [], [], []
        for parameter, is_array in zip((*self.in_params, *self.out_params), (*arrays, *[True] * len(self.out_params))):
            kind, name, out = _C_TYPES[self._type(parameter, types)], parameter.name, parameter in self.out_params
            body = _re.sub(rf"\b{name}\s*\.\s*size\s*\(\s*\)", "yk_n", body) if not parameter.raw else body
            const = "" if out else "const "
            if parameter.raw:
                signature.append(f"YOKE_GLOBAL {const}{kind} *{name}")
            elif is_array:
                signature.append(f"YOKE_GLOBAL {const}{kind} *yk_{name}")
                before.append(f"{const}{kind} {name} = yk_{name}[i];")
                after += [f"yk_{name}[i] = {name};"] if out else []
            else:
                signature.append(f"{'unsigned char' if kind == 'bool' else kind} yk_{name}")
                before.append(f"const {kind} {name} = yk_{name};")
        return "\n".join([
            _HEAD + overloads, *[f"typedef {_C_TYPES[dtype]} {name};" for name, dtype in types.items()], preamble,
            f"YOKE_KERNEL void {self.name}_kernel({', '.join(signature)}, unsigned int yk_n)", "{",
            "    const YK_INT64 i = (YK_INT64)yoke_global_x();", "    if (i < (YK_INT64)yk_n) {",
            *[f"        {each}" for each in before], "        {", "#line 1", body + ";", "        }",
            *[f"        {each}" for each in after], "    }", "}", ""])


_IDENTITIES = {"INFINITY": _math.inf, "inf": _math.inf, "NAN": _math.nan, "true": True, "false": False}


def _identity(text, kernel):
    """The number that a text of C is."""
    if isinstance(text, (bool, int, float)):
        return text
    plain = str(text).strip()
    sign = -1 if plain.startswith("-") else 1
    plain = plain.lstrip("+-").strip()
    if plain in _IDENTITIES:
        return sign * _IDENTITIES[plain]
    try:
        return sign * _ast.literal_eval(_re.sub(r"(?<=[\d.])[fFlLuU]+$", "", plain))
    except (ValueError, SyntaxError):
        raise ValueError(f"{kernel}: the identity is a number, as '0' or '-INFINITY', not {text!r}") from None


class ReductionKernel:
    """A reduction by texts: ReductionKernel('T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0', 'norm'). What map_expr gives for
    each element is combined by reduce_expr of a and b, from the identity on, and post_map_expr makes the output of a."""

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name="reduce_kernel",
                 reduce_type=None, reduce_dims=True, preamble="", options=()):
        _refuse(name, options=(tuple(options), ()))
        self.name, self.reduce_dims = name, reduce_dims  # reduce_dims changes no result
        self.in_params, self.out_params = _parameters(in_params, name), _parameters(out_params, name)
        if len(self.out_params) != 1 or self.out_params[0].raw:
            raise ValueError(f"{name}: a reduction has one output, which is not raw")
        self.identity, self.reduce_expr = _identity(identity, name), str(reduce_expr).strip().rstrip(";")
        self.reduce_type = None if reduce_type is None else _C_WORDS.get(reduce_type, reduce_type)
        self.map = ElementwiseKernel(in_params, "yk_R mapped", f"mapped = (yk_R)({map_expr})", name, preamble=preamble)
        self.post_text, self.post, self.preamble = post_map_expr, {}, preamble

    def __call__(self, *args, out=None, axis=None, keepdims=False):
        ins, given = args[:len(self.in_params)], args[len(self.in_params):]
        if len(given) > 1 or given and out is not None:
            raise TypeError(f"{self.name} takes {len(self.in_params)} arguments and one output, not {len(args)}")
        out = given[0] if given else out
        types = {}
        if out is not None and self.out_params[0].is_template:
            types[self.out_params[0].type] = _dtype_of(out, f"{self.name}: out")
        for parameter, value in zip(self.in_params, ins):
            if parameter.is_template and isinstance(value, _Array):
                types.setdefault(parameter.type, _dtype_of(value, f"{self.name}: {parameter.name}"))
        result = self.out_params[0]
        kind = result.type if not result.is_template else types.get(result.type)
        if kind is None:
            raise TypeError(f"{self.name}: no argument has the type {result.type} of the output {result.name}: pass out")
        between = kind if self.reduce_type is None else types.get(self.reduce_type, self.reduce_type)
        if between not in _C_TYPES:
            raise TypeError(f"{self.name}: the reduce_type {between!r} is no type of a kernel's")
        mapped = self.map.launch(ins, {**types, "yk_R": between})
        found = self._combined(mapped, axis, keepdims)
        if _re.sub(r"[\s;]", "", self.post_text) == f"{result.name}=a":
            found = found.astype(kind, copy=False)
        else:
            found = self._post(mapped.size // max(1, found.size)).launch([found], {**types, "yk_R": between, "yk_O": kind})
        if out is None:
            return found
        if tuple(out.shape) != tuple(found.shape):
            raise ValueError(f"{self.name}: out has the shape {tuple(out.shape)}, and the result {tuple(found.shape)}")
        out[...] = found
        return out

    def _combined(self, mapped, axis, keepdims):
        plain = self.reduce_expr.replace(" ", "")
        known = {"a+b": ("sum", 0), "b+a": ("sum", 0), "a*b": ("prod", 1), "b*a": ("prod", 1)}.get(plain)
        if known and known[1] == self.identity and str(mapped.dtype) != "bool":
            return _core.reduce(known[0], mapped, axis, keepdims=keepdims, dtype=mapped.dtype)
        return _core.reduce(self.reduce_expr, mapped, axis, keepdims=keepdims, initial=self.identity)

    def _post(self, count):
        """The kernel of post_map_expr; how many elements one of the results has is a number in it."""
        text = _re.sub(r"\b_in_ind\s*\.\s*size\s*\(\s*\)\s*/\s*_out_ind\s*\.\s*size\s*\(\s*\)", f"({count})", self.post_text)
        if text not in self.post:
            self.post[text] = ElementwiseKernel("yk_R a", f"yk_O {self.out_params[0].name}", text, self.name + "_post",
                                                preamble=self.preamble)
        return self.post[text]


class RawModule:
    """Kernels of a text: CUDA C++ on CUDA, or one text for both languages, which includes <yoke/kernel.h>."""

    def __init__(self, code=None, *, path=None, options=(), backend="nvrtc", name_expressions=()):
        _refuse("RawModule", path=(path, None), backend=(backend, "nvrtc"))
        if not isinstance(code, str):
            raise TypeError(f"RawModule: code is a text, not {_core.shown(code)}")
        self.code, self.options, self.name_expressions, self._programs = code, tuple(options), tuple(name_expressions), {}

    def program(self, device):
        """The text, compiled for a device."""
        if device not in self._programs:
            one = "yoke/kernel.h" in self.code
            if not one and device.backend != "cuda":
                raise _core.UnsupportedError(
                    "the text of a RawKernel is CUDA C++, and the device is OpenCL's: #include <yoke/kernel.h>, whose words both "
                    "languages have, or write the kernel in Python (yoke.kernel)")
            if self.options and device.backend != "cuda":
                raise TypeError(f"options={self.options!r} are of NVIDIA's compiler, and the device is OpenCL's")
            text = {"text": self.code} if one else {"cuda": self.code}
            self._programs[device] = device.build(_core.Source(**text, cuda_options=self.options,
                                                               name_expressions=self.name_expressions))
        return self._programs[device]

    def get_function(self, name):
        """A kernel by its name."""
        return RawKernel(self, name)


class RawKernel:
    """A kernel of a text: RawKernel(code, name)(grid, block, args)."""

    def __init__(self, code, name, options=(), backend="nvrtc", *, enable_cooperative_groups=False):
        _refuse("RawKernel", enable_cooperative_groups=(enable_cooperative_groups, False))
        self.module = code if isinstance(code, RawModule) else RawModule(code, options=options, backend=backend)
        self.name, self._kernels = name, {}

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        own = _core.default_stream() if stream is None else getattr(stream, "stream", stream)
        for each in args:
            if isinstance(each, _numpy.ndarray):
                raise TypeError(f"{self.name}: an argument is NumPy's array: cupy.asarray copies it to the device")
        if own.device not in self._kernels:
            self._kernels[own.device] = self.module.program(own.device)[self.name]
        shape = (tuple(grid), tuple(block))
        self._kernels[own.device][(*shape, shared_mem) if shared_mem else shape](own, *args)


def fuse(*args, **kwargs):
    """@fuse() or @fuse(kernel_name=…): the function as it is, whose operations are enqueued one by one. The results are the same;
    yoke.evaluate makes one kernel of an expression, or of a lambda."""
    if len(args) == 1 and callable(args[0]) and not kwargs:
        return args[0]
    unknown = set(kwargs) - {"kernel_name"}
    if args or unknown:
        raise TypeError(f"fuse takes a function, or kernel_name=…, not {', '.join([*map(repr, args), *sorted(unknown)])}")
    return lambda function: function
