# SPDX-License-Identifier: Apache-2.0
"""Methods of Array that NumPy's arrays have and that functions of other modules do; and those that need nothing but others."""

from ._core import Array, dot, searchsorted
from . import _positions


def _take(self, indices, axis=None, out=None, mode="raise"):
    """Elements along an axis, or of the flattened array, by integer indices of any shape, as yoke.take. out: an Array of the
    result's shape and dtype that takes it."""
    source = self.reshape(1) if not self.ndim and isinstance(axis, int) and axis in (0, -1) else self
    result = _positions.take(source, indices, axis, mode=mode)
    if out is None:
        return result
    if not isinstance(out, Array) or out.dtype != result.dtype:
        raise TypeError(f"out is an Array of {result.dtype}, not {out.dtype if isinstance(out, Array) else type(out).__name__}")
    if out.shape != result.shape:
        raise ValueError(f"out has the shape {out.shape}, and the result {result.shape}")
    out[...] = result
    return out


def _put(self, indices, values, mode="raise"):
    """Put values at positions of the flattened array, as yoke.put."""
    _positions.put(self, indices, values, mode)


def _nonzero(self):
    """For each axis the positions of the elements that are not 0; waits for their number."""
    return _positions.nonzero(self)


def _compress(self, condition, axis=None):
    """The elements along an axis, or of the flattened array, where a condition of one dimension holds."""
    return _positions.compress(condition, self, axis)


def _repeat(self, repeats, axis=None):
    """Each element, or slice along an axis, several times, as yoke.repeat."""
    from ._shapes import repeat

    return repeat(self, repeats, axis)


def _squeeze(self, axis=None):
    """A view without the axes of one element; axis: an int or a tuple, only these."""
    from ._shapes import chosen_axes

    if not self.ndim and isinstance(axis, int) and axis in (0, -1):
        return self  # as in NumPy, for arrays without axes
    chosen = [i for i, extent in enumerate(self.shape) if extent == 1] if axis is None else chosen_axes(axis, self.ndim)
    for each in chosen:
        if self.shape[each] != 1:
            raise ValueError(f"axis {each} has {self.shape[each]} elements, and only an axis of one can be squeezed")
    return self[(*[0 if i in chosen else slice(None) for i in range(self.ndim)], ...)]


def _swapaxes(self, axis1, axis2):
    """A view with two axes exchanged."""
    from ._shapes import axis_from_the_front

    axes = list(range(self.ndim))
    one, other = axis_from_the_front(axis1, self.ndim), axis_from_the_front(axis2, self.ndim)
    axes[one], axes[other] = other, one
    return self.transpose(axes)


def _matrices(self, axis1, axis2):
    """A view whose last two axes are these."""
    from ._shapes import axis_from_the_front

    if self.ndim < 2:
        raise ValueError(f"an array of shape {self.shape} has no diagonal: two axes are wanted")
    one, other = axis_from_the_front(axis1, self.ndim), axis_from_the_front(axis2, self.ndim)
    if one == other:
        raise ValueError(f"axis {one} is named twice")
    return self.transpose([*[i for i in range(self.ndim) if i not in (one, other)], one, other])


def _diagonal(self, offset=0, axis1=0, axis2=1):
    """The diagonal of the matrices along two axes, or the one so far above it, along a last axis of its own."""
    from .linalg import diagonal

    return diagonal(_matrices(self, axis1, axis2), offset=offset)


def _trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sums of the diagonals."""
    return _diagonal(self, offset, axis1, axis2).sum(-1, dtype, out)


def _flatten(self, order="C"):
    """A copy with the elements along one axis."""
    from ._layout import reshaped

    return reshaped(self, (-1,), order, True)


def _dot(self, other, /, out=None):
    """The product as yoke.dot, by NumPy's rules for shapes."""
    return dot(self, other, out)


def _searchsorted(self, v, /, side="left", sorter=None):
    """Where values belong in this ascending array of one dimension, as yoke.searchsorted."""
    from ._statistics import places

    return places(self, v, side, sorter)


def _conjugate(self):
    """The complex conjugate; the array itself where it is not complex."""
    return self.conj()


def _transposed(self):
    """The transpose, a view."""
    return self.transpose()


def _matrix_transposed(self):
    """The transposes of the matrices along the last two axes, views."""
    return self.transpose((*range(self.ndim - 2), -1, -2))


Array.T, Array.mT = property(_transposed), property(_matrix_transposed)
_HELPERS = ("_matrices", "_transposed", "_matrix_transposed")
for _name, _method in list(globals().items()):
    if getattr(_method, "__module__", "") == __name__ and _name not in _HELPERS:
        _method.__name__ = _name[1:]
        _method.__qualname__, _method.__module__ = f"Array.{_name[1:]}", "yoke"
        setattr(Array, _name[1:], _method)
