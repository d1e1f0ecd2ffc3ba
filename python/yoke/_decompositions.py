# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""What factors of square matrices give: det, slogdet, solve, inv by LU with partial pivoting, and cholesky. A step takes one
column: a block for each matrix finds the pivot, exchanges rows and divides the column, and then all threads update what is right of
it. This is two launches for each column, and reads the matrix from memory each time: for matrices of up to some thousand rows, and
for batches. A matrix without a factor is LinAlgError, for which the functions that divide wait."""

import math as _math
from collections import namedtuple as _namedtuple
from typing import Any

from . import _core
from ._core import array_from as _array_from
from ._core import result_dtype as _result_dtype

_REAL = {"float32": "float32", "float64": "float64", "complex64": "float32", "complex128": "float64"}
_WIDTH = 64  # threads of a block, which shares what they find

_TEXT = """#include <yoke/kernel.h>
#define WIDTH %d

/* REAL is float or double; NUMBER the same, or two of them, a complex number. One letter would be a template's in headers. */
#ifdef IS_COMPLEX
YOKE_FUNCTION REAL size_of(NUMBER a) { return hypot(a.x, a.y); }
YOKE_FUNCTION REAL real_of(NUMBER a) { return a.x; }
YOKE_FUNCTION int is_zero(NUMBER a) { return a.x == 0 && a.y == 0; }
YOKE_FUNCTION NUMBER of_real(REAL x) { NUMBER r; r.x = x; r.y = 0; return r; }
YOKE_FUNCTION NUMBER conjugate(NUMBER a) { a.y = -a.y; return a; }
YOKE_FUNCTION NUMBER less_product(NUMBER a, NUMBER b, NUMBER c) /* a - b * c */
{
    a.x -= b.x * c.x - b.y * c.y;
    a.y -= b.x * c.y + b.y * c.x;
    return a;
}
YOKE_FUNCTION NUMBER quotient(NUMBER a, NUMBER b) /* by the larger part of b, so that no square overflows */
{
    NUMBER r;
    if (fabs(b.x) >= fabs(b.y)) {
        const REAL ratio = b.y / b.x, size = b.x + b.y * ratio;
        r.x = (a.x + a.y * ratio) / size;
        r.y = (a.y - a.x * ratio) / size;
    } else {
        const REAL ratio = b.x / b.y, size = b.x * ratio + b.y;
        r.x = (a.x * ratio + a.y) / size;
        r.y = (a.y * ratio - a.x) / size;
    }
    return r;
}
#else
YOKE_FUNCTION REAL size_of(NUMBER a) { return fabs(a); }
YOKE_FUNCTION REAL real_of(NUMBER a) { return a; }
YOKE_FUNCTION int is_zero(NUMBER a) { return a == 0; }
YOKE_FUNCTION NUMBER of_real(REAL x) { return x; }
YOKE_FUNCTION NUMBER conjugate(NUMBER a) { return a; }
YOKE_FUNCTION NUMBER less_product(NUMBER a, NUMBER b, NUMBER c) { return a - b * c; }
YOKE_FUNCTION NUMBER quotient(NUMBER a, NUMBER b) { return a / b; }
#endif

YOKE_KERNEL void pivot(YOKE_GLOBAL NUMBER *all, YOKE_GLOBAL int *orders, YOKE_GLOBAL REAL *signs, int n, int k)
{
    YOKE_SHARED REAL sizes[WIDTH];
    YOKE_SHARED int rows[WIDTH];
    const int t = (int)yoke_thread_x();
    YOKE_GLOBAL NUMBER *a = all + (size_t)yoke_block_x() * n * n;
    REAL best = -1;
    int at = k;

    for (int i = k + t; i < n; i += WIDTH) {
        const REAL value = size_of(a[(size_t)i * n + k]);
        if (value > best) {
            best = value;
            at = i;
        }
    }
    sizes[t] = best;
    rows[t] = at;
    yoke_barrier();
    for (int other = WIDTH / 2; other > 0; other /= 2) {
        if (t < other && (sizes[t + other] > sizes[t] || (sizes[t + other] == sizes[t] && rows[t + other] < rows[t]))) {
            sizes[t] = sizes[t + other];
            rows[t] = rows[t + other];
        }
        yoke_barrier();
    }
    at = rows[0];
    for (int j = t; j < n && at != k; j += WIDTH) {
        const NUMBER value = a[(size_t)k * n + j];
        a[(size_t)k * n + j] = a[(size_t)at * n + j];
        a[(size_t)at * n + j] = value;
    }
    if (t == 0 && at != k) {
        YOKE_GLOBAL int *order = orders + (size_t)yoke_block_x() * n;
        const int row = order[k];
        order[k] = order[at];
        order[at] = row;
        signs[yoke_block_x()] = -signs[yoke_block_x()];
    }
    yoke_barrier_global();
    const NUMBER top = a[(size_t)k * n + k];
    for (int i = k + 1 + t; i < n && !is_zero(top); i += WIDTH) /* below a pivot of 0 all is 0 */
        a[(size_t)i * n + k] = quotient(a[(size_t)i * n + k], top);
}

/* The root of the diagonal's element, and the column below it. */
YOKE_KERNEL void root(YOKE_GLOBAL NUMBER *all, YOKE_GLOBAL int *failed, int n, int k)
{
    YOKE_GLOBAL NUMBER *a = all + (size_t)yoke_block_x() * n * n;
    const REAL top = real_of(a[(size_t)k * n + k]), side = sqrt(top);

    yoke_barrier_global(); /* all have read it */
    if (!(top > 0) && yoke_thread_x() == 0)
        failed[yoke_block_x()] = 1;
    for (int i = k + (int)yoke_thread_x(); i < n; i += WIDTH)
        a[(size_t)i * n + k] = i == k ? of_real(side) : quotient(a[(size_t)i * n + k], of_real(side));
}

/* a[i][j] -= a[i][k] * a[k][j] right of and below k; with `lower`, of a Hermitian matrix whose lower part alone is kept. */
YOKE_KERNEL void update(YOKE_GLOBAL NUMBER *all, int n, int k, int lower, unsigned int count)
{
    const unsigned int at = yoke_global_x(), rest = (unsigned int)(n - k - 1);
    if (at >= count)
        return;
    const size_t j = k + 1 + at %% rest, i = k + 1 + at / rest %% rest;
    YOKE_GLOBAL NUMBER *a = all + (size_t)(at / rest / rest) * n * n;
    if (!lower)
        a[i * n + j] = less_product(a[i * n + j], a[i * n + k], a[k * n + j]);
    else if (j <= i)
        a[i * n + j] = less_product(a[i * n + j], a[i * n + k], conjugate(a[j * n + k]));
}

/* Take row k out of the rows below it, with a diagonal of 1, or (upwards) above it, with the diagonal that there is. */
YOKE_KERNEL void take_out(YOKE_GLOBAL const NUMBER *all, YOKE_GLOBAL NUMBER *values, int n, int columns, int k, int upwards,
                          unsigned int count)
{
    const unsigned int at = yoke_global_x(), rest = (unsigned int)(upwards ? k : n - k - 1);
    if (at >= count)
        return;
    const size_t c = at %% (unsigned int)columns, i = at / (unsigned int)columns %% rest + (upwards ? 0 : k + 1);
    const size_t matrix = at / (unsigned int)columns / rest;
    YOKE_GLOBAL const NUMBER *a = all + matrix * n * n;
    YOKE_GLOBAL NUMBER *b = values + matrix * n * columns;
    const NUMBER row = b[(size_t)k * columns + c];
    b[i * columns + c] = less_product(b[i * columns + c], a[i * n + k], upwards ? quotient(row, a[(size_t)k * n + k]) : row);
}
""" % _WIDTH

_programs: dict[Any, Any] = {}


def _program(array):
    key = (array.device, str(array.dtype))
    if key not in _programs:
        real = "double" if key[1] in ("float64", "complex128") else "float"
        defines = {"REAL": real, "NUMBER": real}
        if key[1].startswith("complex"):
            defines = {"REAL": real, "NUMBER": real + "2", "IS_COMPLEX": 1}
        _programs[key] = array.device.build(_core.Source(_TEXT, name="linear algebra", defines=defines))
    return _programs[key]


def _error(text):
    try:
        from numpy.linalg import LinAlgError
    except ImportError:
        return ValueError(text)
    return LinAlgError(text)


def _floats(x, name):
    """An array of float32, float64 or complex numbers; integers as in a division."""
    array = _array_from(x)
    kind = str(array.dtype)
    if kind.startswith(("int", "uint", "bool")):
        return array.astype(_result_dtype((array, 1.0)))
    if kind not in _REAL:
        raise TypeError(f"{name} is of floats of 32 or 64 bits, complex numbers and integers, not of {kind}: x.astype(\"float32\")")
    return array


def _square(x, name):
    array = _floats(x, name)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        raise ValueError(f"{name}: matrices of shape {tuple(array.shape)} are not square")
    return array


def _blocks(count):
    if count >= 2**32:
        raise ValueError(f"linear algebra: {count} elements at once are more than a launch has, 2^32")
    return (-(-count // _WIDTH),), (_WIDTH,)


def _lu(array):
    """Factors in the place of a copy: L below the diagonal of 1, U above; the order of rows; the sign of that order."""
    n = array.shape[-1]
    a = array.copy(order="C").reshape((_math.prod(array.shape[:-2]), n, n))
    order = _core.asarray(_core.arange(n, dtype="int32", stream=a.stream).broadcast_to((a.shape[0], n)).copy(order="C"))
    sign = _core.ones(a.shape[0], _REAL[str(a.dtype)], stream=a.stream)
    if not a.size:
        return a, order, sign
    program = _program(a)
    pivot, update = program["pivot"][(a.shape[0],), (_WIDTH,)], program["update"]
    for k in range(n):
        pivot(a.stream, a, order, sign, n, k)
        count = a.shape[0] * (n - k - 1)**2
        if count:
            update[_blocks(count)](a.stream, a, n, k, 0, count)
    return a, order, sign


def _diagonal(a):
    from .linalg import diagonal

    return diagonal(a)


def det(x, /):
    """The determinants of the matrices, by LU."""
    array = _square(x, "det")
    a, _, sign = _lu(array)
    values = _diagonal(a)
    found = values.prod(-1) * sign
    if array.shape[-1] > 2:  # what overflows or vanishes on its way is made of logarithms, as in NumPy
        other = _sign(values).prod(-1) * sign * _core.apply("exp", _core.apply("log", abs(values)).sum(-1))
        found = _core.where((abs(found) > 0) & (abs(found) < float("inf")), found, other)
    return found.reshape(array.shape[:-2])


def _sign(values):
    from ._elementwise import sign

    return sign(values)


SlogdetResult = _namedtuple("SlogdetResult", ["sign", "logabsdet"])


def slogdet(x, /):
    """The signs of the determinants, and the logarithms of their sizes, which neither overflow nor vanish."""
    array = _square(x, "slogdet")
    a, _, sign = _lu(array)
    values = _diagonal(a)
    logs = _core.apply("log", abs(values)).sum(-1)
    return SlogdetResult((_sign(values).prod(-1) * sign).reshape(array.shape[:-2]), logs.reshape(array.shape[:-2]))


def solve(x1, x2, /):
    """The solutions x of x1 @ x = x2, by LU: x2 is one vector, if it has one dimension, or matrices. Waits; a matrix without an
    inverse is LinAlgError."""
    matrices = _square(x1, "solve")
    values = _floats(x2 if isinstance(x2, _core.Array) else _array_from(x2, stream=matrices.stream), "solve")
    dtype = _result_dtype((matrices, values))
    matrices, values = matrices.astype(dtype, copy=False), values.astype(dtype, copy=False)
    vector = values.ndim == 1
    values = values[:, None] if vector else values
    n = matrices.shape[-1]
    if values.ndim < 2 or values.shape[-2] != n:
        raise ValueError(f"solve: the matrices have {n} rows, and the right side the shape {tuple(values.shape)}")
    batch = tuple(_core.broadcast_shape([matrices.shape[:-2], values.shape[:-2]]))
    result = _solved(matrices.broadcast_to((*batch, n, n)), values.broadcast_to((*batch, *values.shape[-2:])))
    return result[..., 0] if vector else result


def _solved(matrices, values):
    from . import take_along_axis

    a, order, _ = _lu(matrices)
    batch, n, columns = a.shape[0], a.shape[-1], values.shape[-1]
    b = values.copy(order="C").reshape((batch, n, columns))
    if not b.size:
        return b.reshape(values.shape)
    pivots = _diagonal(a)
    if (pivots == 0).any().item():
        raise _error("a matrix is singular: it has no inverse, and a pivot is 0")
    b = take_along_axis(b, order[:, :, None].broadcast_to(b.shape), 1)
    take_out = _program(a)["take_out"]
    for upwards, steps in ((0, range(n)), (1, range(n - 1, -1, -1))):
        for k in steps:
            count = batch * columns * (k if upwards else n - k - 1)
            if count:
                take_out[_blocks(count)](a.stream, a, b, n, columns, k, upwards, count)
    return (b / pivots[:, :, None]).reshape(values.shape)


def inv(x, /):
    """The inverses of the matrices, by LU. Waits; a matrix without one is LinAlgError."""
    from ._shapes import eye

    array = _square(x, "inv")
    return _solved(array, eye(array.shape[-1], dtype=array.dtype, stream=array.stream).broadcast_to(array.shape))


def cholesky(x, /, *, upper=False):
    """The lower triangular factors L of positive definite matrices, x = L @ conj(L).mT, or with upper their conjugate transposes;
    of x the lower triangle, or with upper the upper one, is read. Waits; a matrix that is not positive definite is LinAlgError."""
    from ._shapes import tril

    array = _square(x, "cholesky")
    n = array.shape[-1]
    a = (array.mT.conj() if upper else array).copy(order="C").reshape((_math.prod(array.shape[:-2]), n, n))
    if a.size:
        failed = _core.zeros(a.shape[0], "int32", stream=a.stream)
        program = _program(a)
        root, update = program["root"][(a.shape[0],), (_WIDTH,)], program["update"]
        for k in range(n):
            root(a.stream, a, failed, n, k)
            count = a.shape[0] * (n - k - 1)**2
            if count:
                update[_blocks(count)](a.stream, a, n, k, 1, count)
        if failed.any().item():
            raise _error("a matrix is not positive definite")
    result = tril(a).reshape(array.shape)
    return result.mT.conj() if upper else result
