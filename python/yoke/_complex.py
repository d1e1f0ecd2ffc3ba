# SPDX-License-Identifier: Apache-2.0
"""Functions of complex numbers as expressions of their real and imaginary parts x and y, for `apply` and the operator **.

Zeros with a sign, infinities and NaN give what C's Annex G and the array API standard say. y - y is NaN where y is not finite.
"""

_PARTS = "x = real(a); y = imag(a); "
_PI_2 = "1.57079632679489662"


def _root(name: str, x: str, y: str) -> str:
    """Statements: the square root of x + iy, whose parts are names NAMEx and NAMEy."""
    return (f"{name}t = sqrt(fabs({x}) * 0.5 + hypot({x}, {y}) * 0.5); "
            f"{name}q = {name}t == 0 ? 0 : fabs({y}) / ({name}t + {name}t); "
            f"{name}x = isinf({y}) ? fabs({y}) : {x} < 0 ? {name}q : {name}t; "
            f"{name}y = isinf({y}) ? {y} : copysign({x} < 0 ? {name}t : {name}q, {y}); ")


def _log(scale: str = "") -> str:
    """The logarithm; near the unit circle, where log(hypot(x, y)) is all rounding, by log1p."""
    return (_PARTS + "h = hypot(x, y); u = fmax(fabs(x), fabs(y)); v = fmin(fabs(x), fabs(y)); "
            "w = h > 0.5 && h < 2 ? log1p((u - 1) * (u + 1) + v * v) * 0.5 : log(h); "
            f"c = complex(w{scale}, atan2(y, x){scale})")


# Of each function the statements that make its parts p and q.
_SINH = ("p = isfinite(y) && (x == 0 || y != 0) ? sinh(x) * cos(y) : x == 0 || y == 0 ? sinh(x) : isinf(x) ? x : y - y; "
         "q = y == 0 ? y : isfinite(y) ? cosh(x) * sin(y) : y - y; ")
_COSH = ("p = isfinite(y) ? cosh(x) * cos(y) : isinf(x) ? fabs(x) : y - y; "
         "q = y == 0 ? copysign(1, x) * y : x == 0 ? (isfinite(y) ? x * sin(y) : x) : isfinite(y) ? sinh(x) * sin(y) : y - y; ")
_TANH = ("t = tan(y); s = sinh(x); k = t * t + 1; d = k * s * s + 1; f = fabs(x) > 20; g = isfinite(y) || isinf(x); "
         "p = isnan(x) || x == 0 ? x : f && g ? copysign(1, x) : isfinite(y) ? k * sqrt(s * s + 1) * s / d : y - y; "
         "e = isfinite(y) ? sin(y) * cos(y) * exp(fabs(x) * -2) * 4 : copysign(0, y); "
         "q = y == 0 ? y : f && g ? e : isfinite(y) ? t / d : y - y; ")
_ASINH = ("m = y + 1; o = 1 - y; z = -x; f = isinf(x) || isinf(y); " + _root("g", "m", "z") + _root("h", "o", "x") +
          "p = f ? copysign(isinf(x) ? fabs(x) : fabs(y), x) : asinh(gx * hy - gy * hx); "
          "q = y == 0 ? y : atan2(y, f ? fabs(x) : gx * hx - gy * hy); ")
_ACOS = ("m = 1 - x; o = x + 1; z = -y; f = isinf(x) || isinf(y); " + _root("g", "m", "z") + _root("h", "o", "y") +
         "p = x == 0 ? " + _PI_2 + " : f ? atan2(fabs(y), x) : atan2(gx, hx) * 2; "
         "q = f ? -copysign(isinf(x) ? fabs(x) : fabs(y), y) : asinh(hx * gy - hy * gx); ")
_ATANH = ("s = fabs(x); m = 1 - s; f = isinf(x) || isinf(y); "
          "p = x == 0 ? x : copysign(f ? 0 : log1p(s * 4 / (m * m + y * y)) * 0.25, x); "
          "q = y == 0 && s < 1 ? y : f ? (y != y ? y : copysign(" + _PI_2 + ", y)) : atan2(y + y, m * (s + 1) - y * y) * 0.5; ")

_TURNED = "x = -imag(a); y = real(a); "  # ia, since sin(a) is -i sinh(ia), and so on
_BACK = "w = -p; c = complex(q, w)"

FUNCTIONS = {
    "sqrt": _PARTS + _root("r", "x", "y") + "c = complex(rx, ry)",
    "exp": (_PARTS + "e = exp(x); l = isinf(x) && x < 0; "
            "p = y == 0 ? e : isfinite(y) ? e * cos(y) : isinf(x) ? e : y - y; "
            "q = y == 0 ? y : isfinite(y) ? e * sin(y) : l ? e : y - y; c = complex(p, q)"),
    "expm1": (_PARTS + "s = sin(y * 0.5); l = isinf(x) && x < 0; "
              "p = y == 0 ? expm1(x) + 0 : isfinite(y) ? (isinf(x) ? (l ? -1 : x * cos(y)) : expm1(x) * cos(y) - s * s * 2) : "
              "isinf(x) ? expm1(x) : y - y; "
              "q = y == 0 ? y : isfinite(y) ? exp(x) * sin(y) : l ? exp(x) : y - y; c = complex(p, q)"),
    "log": _log(),
    "log2": _log(" * 1.44269504088896341"),
    "log10": _log(" * 0.434294481903251828"),
    "log1p": (_PARTS + "o = x + 1; f = fabs(x) < 0.5 && fabs(y) < 0.5; "
              "w = f ? log1p(x * (x + 2) + y * y) * 0.5 : log(hypot(o, y)); c = complex(w, atan2(y, o))"),
    "sinh": _PARTS + _SINH + "c = complex(p, q)",
    "cosh": _PARTS + _COSH + "c = complex(p, q)",
    "tanh": _PARTS + _TANH + "c = complex(p, q)",
    "asinh": _PARTS + _ASINH + "c = complex(p, q)",
    "acosh": _PARTS + _ACOS + "c = complex(fabs(q), copysign(p, y))",
    "atanh": _PARTS + _ATANH + "c = complex(p, q)",
    "sin": _TURNED + _SINH + _BACK,
    "cos": _TURNED + _COSH + "c = complex(p, q)",
    "tan": _TURNED + _TANH + _BACK,
    "asin": _TURNED + _ASINH + _BACK,
    "acos": _PARTS + _ACOS + "c = complex(p, q)",
    "atan": _TURNED + _ATANH + _BACK,
}

# a to the power of b; of 0 it is 1 where b is 0, and 0 where the real part of b is more.
POWER = ("x = real(a); y = imag(a); u = real(b); v = imag(b); r = hypot(x, y); t = atan2(y, x); l = log(r); "
         "m = r == 0 ? (u == 0 && v == 0 ? 1 : u > 0 ? r : u / r) : exp(u * l - v * t); w = r == 0 ? r : v * l + u * t; "
         "c = complex(m * cos(w), m * sin(w))")
