# SPDX-License-Identifier: Apache-2.0
from ._ufunc import ufunc as ufunc

__all__ = ["abs", "absolute", "acos", "acosh", "add", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_count", "bitwise_invert", "bitwise_left_shift",
    "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "cbrt", "ceil", "conj", "conjugate", "copysign", "cos",
    "cosh", "deg2rad", "degrees", "divide", "divmod", "equal", "exp", "exp2", "expm1", "fabs", "float_power", "floor",
    "floor_divide", "fmax", "fmin", "fmod", "frexp", "gcd", "greater", "greater_equal", "heaviside", "hypot", "invert",
    "isfinite", "isinf", "isnan", "lcm", "ldexp", "left_shift", "less", "less_equal", "log", "log10", "log1p", "log2",
    "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "mod", "modf",
    "multiply", "negative", "nextafter", "not_equal", "positive", "pow", "power", "rad2deg", "radians", "reciprocal",
    "remainder", "right_shift", "rint", "sign", "signbit", "sin", "sinh", "sqrt", "square", "subtract", "tan", "tanh",
    "true_divide", "trunc", "ufunc"]

add: ufunc
subtract: ufunc
multiply: ufunc
divide: ufunc
floor_divide: ufunc
remainder: ufunc
divmod: ufunc
fmod: ufunc
power: ufunc
float_power: ufunc
maximum: ufunc
minimum: ufunc
fmax: ufunc
fmin: ufunc
negative: ufunc
positive: ufunc
absolute: ufunc
conjugate: ufunc
sign: ufunc
square: ufunc
true_divide: ufunc
mod: ufunc
pow: ufunc
abs: ufunc
conj: ufunc
reciprocal: ufunc
sqrt: ufunc
exp: ufunc
exp2: ufunc
log: ufunc
log2: ufunc
log10: ufunc
sin: ufunc
cos: ufunc
tan: ufunc
sinh: ufunc
cosh: ufunc
tanh: ufunc
cbrt: ufunc
expm1: ufunc
log1p: ufunc
rint: ufunc
arcsin: ufunc
asin: ufunc
arccos: ufunc
acos: ufunc
arctan: ufunc
atan: ufunc
arcsinh: ufunc
asinh: ufunc
arccosh: ufunc
acosh: ufunc
arctanh: ufunc
atanh: ufunc
floor: ufunc
ceil: ufunc
trunc: ufunc
deg2rad: ufunc
rad2deg: ufunc
radians: ufunc
degrees: ufunc
fabs: ufunc
arctan2: ufunc
atan2: ufunc
hypot: ufunc
copysign: ufunc
nextafter: ufunc
logaddexp: ufunc
logaddexp2: ufunc
heaviside: ufunc
modf: ufunc
frexp: ufunc
ldexp: ufunc
equal: ufunc
not_equal: ufunc
less: ufunc
less_equal: ufunc
greater: ufunc
greater_equal: ufunc
logical_xor: ufunc
logical_and: ufunc
logical_or: ufunc
logical_not: ufunc
isfinite: ufunc
isinf: ufunc
isnan: ufunc
signbit: ufunc
bitwise_and: ufunc
bitwise_or: ufunc
bitwise_xor: ufunc
left_shift: ufunc
right_shift: ufunc
invert: ufunc
bitwise_not: ufunc
bitwise_invert: ufunc
bitwise_left_shift: ufunc
bitwise_right_shift: ufunc
bitwise_count: ufunc
gcd: ufunc
lcm: ufunc
