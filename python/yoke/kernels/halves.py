# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""float16 and bfloat16 in kernels: elements of arrays alone. They are read as float32, and written rounded to the nearest value,
ties to even, as by Yoke's operations; no driver needs to have them.
"""

from .types import F32, Scalar, name_of, strong

F16, BF16 = Scalar("float16", "f", 2, "unsigned short"), Scalar("bfloat16", "f", 2, "unsigned short")
HALVES = {"float16": F16, "bfloat16": BF16}
TEXTS = {
    F16: """YOKE_FUNCTION float yk_of_float16(unsigned int word)
{
    const unsigned int sign = (word & 0x8000u) << 16, exponent = word >> 10 & 31u, fraction = word & 1023u;
    const float small = (float)fraction * 5.9604644775390625e-8f;

    if (exponent == 0)
        return sign ? -small : small;
    return yoke_uint_as_float(sign | (exponent == 31u ? 255u : exponent + 112u) << 23 | fraction << 13);
}
YOKE_FUNCTION unsigned short yk_to_float16(float x)
{
    const unsigned int bits = yoke_float_as_uint(x), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;

    if (size > 0x7f800000u)
        return (unsigned short)(sign | 0x7e00u);
    if (size >= 0x477ff000u) /* from 65520 on */
        return (unsigned short)(sign | 0x7c00u);
    if (size < 0x38800000u) /* below 2^-14, where the sum's last bit is the half's */
        return (unsigned short)(sign | (yoke_float_as_uint(yoke_uint_as_float(size) + 0.5f) - 0x3f000000u));
    return (unsigned short)(sign | (size - 0x37fff001u + (size >> 13 & 1u)) >> 13);
}
""",
    BF16: """YOKE_FUNCTION float yk_of_bfloat16(unsigned int word)
{
    return yoke_uint_as_float(word << 16);
}
YOKE_FUNCTION unsigned short yk_to_bfloat16(float x)
{
    const unsigned int bits = yoke_float_as_uint(x);

    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (unsigned short)(bits >> 16 | 0x40u);
    return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
""",
}


def half_named(dtype):
    """The type of an element of this dtype; None: it is no half."""
    return HALVES.get(name_of(dtype))


def read(scope, type_, code, pure):
    scope.program.helpers["half", type_.name] = TEXTS[type_]
    return strong(F32, f"yk_of_{type_}({code})", pure)


def written(scope, type_, text):
    """The text of a float32 as a half."""
    scope.program.helpers["half", type_.name] = TEXTS[type_]
    return f"yk_to_{type_}({text})"


class Halves:
    """A NumPy array of halves as kernels have it."""

    def __init__(self, array):
        self.array = array

    def __len__(self):
        return len(self.array)

    def __getattr__(self, name):
        return getattr(self.array, name)

    def __getitem__(self, index):
        import numpy

        return numpy.float32(self.array[index])

    def __setitem__(self, index, value):
        import numpy

        self.array[index] = numpy.float32(value)
