# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Complex numbers in kernels: vectors of two in the text, and functions of ours for what is done with them, with NumPy's formulas.

A text gets the functions that it names, so that whoever writes a value need not ask for them.
"""

import re

from .arithmetic import COMPARISONS, SIGNS
from .types import (
    COMPLEX64, COMPLEXES, Complex, F32, F64, Scalar, Value, WEAK_COMPLEX, common, complex_of, constant, in_type, strong,
)

# C is the type, N its name, T that of a part. The division is Smith's, as NumPy has it.
TEXTS = {
    "": """YOKE_FUNCTION C yk_N(T re, T im)
{
    C made;

    made.x = re;
    made.y = im;
    return made;
}
""",
    "add": """YOKE_FUNCTION C yk_N_add(C a, C b)
{
    return yk_N(a.x + b.x, a.y + b.y);
}
""",
    "sub": """YOKE_FUNCTION C yk_N_sub(C a, C b)
{
    return yk_N(a.x - b.x, a.y - b.y);
}
""",
    "mult": """YOKE_FUNCTION C yk_N_mult(C a, C b)
{
    return yk_N(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
""",
    "square": """YOKE_FUNCTION C yk_N_square(C a)
{
    return yk_N_mult(a, a);
}
""",
    "cube": """YOKE_FUNCTION C yk_N_cube(C a)
{
    return yk_N_mult(a, yk_N_mult(a, a));
}
""",
    "div": """YOKE_FUNCTION C yk_N_div(C a, C b)
{
    const T x = fabs(b.x), y = fabs(b.y);

    if (x >= y) {
        const T ratio = b.y / b.x, scale = (T)1 / (b.x + b.y * ratio);

        return x == 0 ? yk_N(a.x / x, a.y / x) : yk_N((a.x + a.y * ratio) * scale, (a.y - a.x * ratio) * scale);
    } else {
        const T ratio = b.x / b.y, scale = (T)1 / (b.y + b.x * ratio);

        return yk_N((a.x * ratio + a.y) * scale, (a.y * ratio - a.x) * scale);
    }
}
""",
    "neg": """YOKE_FUNCTION C yk_N_neg(C a)
{
    return yk_N(-a.x, -a.y);
}
""",
    "conj": """YOKE_FUNCTION C yk_N_conj(C a)
{
    return yk_N(a.x, -a.y);
}
""",
    "abs": """YOKE_FUNCTION T yk_N_abs(C a)
{
    return hypot(a.x, a.y);
}
""",
    "same": """YOKE_FUNCTION int yk_N_same(C a, C b)
{
    return a.x == b.x && a.y == b.y;
}
""",
    "of": """YOKE_FUNCTION C yk_N_of_M(D a)
{
    return yk_N((T)a.x, (T)a.y);
}
""",
}
POWERS = {2: "square", 3: "cube"}


def functions_for(text):
    """The functions of complex numbers that a text calls, and those that they call."""
    if "yk_complex" not in text:  # a regular expression takes long the first time
        return ""
    missing, result = set(re.findall(r"\byk_complex\w+", text)), {}
    for type_ in reversed(COMPLEXES.values()):
        other = COMPLEXES["complex64" if type_.size == 16 else "complex128"]
        for word, body in reversed(TEXTS.items()):
            name = f"yk_{type_}" + (f"_of_{other}" if word == "of" else f"_{word}" if word else "")
            if name in missing:
                for letter, mean in (("C", type_.c), ("T", type_.part.c), ("D", other.c), ("M", other.name)):
                    body = re.sub(rf"(?<![A-Za-z]){letter}(?![A-Za-z_])", mean, body)
                result[name] = body.replace("yk_N", f"yk_{type_}")
                missing |= set(re.findall(r"\byk_complex\w+", result[name]))
    return "\n".join(reversed(result.values()))


def is_complex(value, other=None):
    return isinstance(value.type, Complex) or other is not None and isinstance(other.type, Complex)


def called(type_, word, *values):
    """The value of a function of complex numbers, of this type of theirs."""
    pure = all(each.pure for each in values)

    def emit(target):
        target = target if isinstance(target, Complex) else COMPLEX64
        return f"yk_{target}_{word}({', '.join(in_type(each, target) for each in values)})"
    return Value(type_, emit, pure=pure) if type_.weak else strong(type_, emit(type_), pure)


def real_of(value, text):
    """A real number of a complex one, whose text in a type text(type) tells."""
    part = value.type.part
    if not part.weak:
        return strong(part, text(value.type), value.pure)
    return Value(part, lambda target: text(complex_of(target if target in (F32, F64) else F32)), pure=value.pure)


def operated(scope, node, name, left, right):
    """left OP right, of which one is complex."""
    if name == "Pow":
        return power(scope, node, left, right)
    if name not in ("Add", "Sub", "Mult", "Div"):
        raise scope.error(node, f"complex numbers have the operators + - * / and ** alone, and not {SIGNS[name]}")
    return called(common(left.type, right.type), name.lower(), left, right)


def power(scope, node, left, right):
    if right.number not in POWERS or isinstance(right.number, bool) or not isinstance(right.type, Scalar):
        raise scope.error(node, "a power of a complex number has the exponent 2 or 3 in a kernel: write a loop of products")
    return called(left.type, POWERS[right.number], left)


def negated(value):
    return called(value.type, "neg", value)


def conjugate(value):
    return called(value.type, "conj", value)


def absolute(value):
    return real_of(value, lambda target: f"yk_{target}_abs({in_type(value, target)})")


def attribute(scope, node, value, name):
    """z.real and z.imag"""
    if name not in ("real", "imag"):
        raise scope.error(node, f"a complex number has real, imag and conjugate() in a kernel, and no {name}")
    if value.number is not None:
        return constant(getattr(value.number, name))
    return real_of(value, lambda target: f"{in_type(value, target)}.{'x' if name == 'real' else 'y'}")


def compared(scope, node, name, left, right):
    """The text of == or !=."""
    if name not in ("Eq", "NotEq"):
        raise scope.error(node, f"complex numbers have no order, and this is {COMPARISONS[name]}: compare abs(z), z.real or z.imag")
    type_ = scope.settled(common(left.type, right.type))
    return f"{'!' * (name == 'NotEq')}yk_{type_}_same({scope.text(node, left, type_)}, {scope.text(node, right, type_)})"


def made(scope, node):
    """complex(re, im), which is weak, as float(x) is."""
    if not 1 <= len(node.args) <= 2:
        raise scope.error(node, f"complex takes 1 or 2 arguments, not {len(node.args)}")
    parts = [scope.number(each, "as an argument of complex") for each in node.args]
    if all(each.number is not None for each in parts):
        return constant(complex(*(each.number for each in parts)))
    real, imag = parts if len(parts) == 2 else (*parts, constant(0))

    def emit(target):
        target = target if isinstance(target, Complex) else COMPLEX64
        return f"yk_{target}({real.emit(target.part)}, {imag.emit(target.part)})"
    return Value(WEAK_COMPLEX, emit, pure=real.pure and imag.pure)


def conjugated(scope, node):
    """numpy.conj(z)"""
    value, = scope.arguments(node, 1, complexes=True)
    return conjugate(value) if is_complex(value) else value


def converter(type_):
    """numpy.complex64(z)"""
    def handle(scope, node):
        value, = scope.arguments(node, 1, complexes=True)
        return strong(type_, scope.text(node, value, type_), value.pure)
    return handle
