# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""What kernels call: indices, barriers, shared memory, atomics, shuffles. On a device they are translated; `simulate` runs them as
they stand here, for the thread that it runs at this moment."""

import threading

running = threading.local()


def current(word):
    """The simulated thread."""
    thread = getattr(running, "thread", None)
    if thread is None:
        raise RuntimeError(f"yoke.{word} is for kernels: launch the kernel, or run it with kernel.simulate[n](…)")
    return thread


class Index:
    """An index or a size in three dimensions: .x, .y, .z."""

    def __init__(self, word):
        self.word = word

    def __getattr__(self, name):
        if name not in ("x", "y", "z"):
            raise AttributeError(f"yoke.{self.word} has x, y and z, and not {name}")
        return getattr(current(self.word), self.word)["xyz".index(name)]

    def __repr__(self):
        return f"yoke.{self.word}"


thread = Index("thread")  # of the block
block = Index("block")  # of the grid
block_size = Index("block_size")  # in threads
grid_size = Index("grid_size")  # in blocks


def grid(dimensions):
    """The thread's index in the whole launch: an int for 1 dimension, a tuple of them, x first, for 2 and 3."""
    own = current("grid")
    result = tuple(b * size + t for b, size, t in zip(own.block, own.block_size, own.thread))
    return result[0] if dimensions == 1 else result[:dimensions]


def gridsize(dimensions):
    """The number of threads of the whole launch, as grid."""
    own = current("gridsize")
    result = tuple(blocks * size for blocks, size in zip(own.grid_size, own.block_size))
    return result[0] if dimensions == 1 else result[:dimensions]


def barrier():
    """Wait until all threads of the block have come here; what they wrote is visible then."""
    raise RuntimeError("yoke.barrier() is for kernels: launch the kernel, or run it with kernel.simulate[n](…)")


def grid_barrier():
    """Wait until all threads of the launch have come here; what they wrote is visible then. For devices with "cooperative"."""
    raise RuntimeError("yoke.grid_barrier() is for kernels: launch the kernel, or run it with kernel.simulate[grid, block](…)")


def shared(shape, dtype):
    """An array that the threads of a block share; the shape is a constant. At the outermost level of a kernel."""
    return current("shared").shared_array(shape, dtype)


def local(shape, dtype):
    """An array of the thread's own, of zeros; the shape is a constant. At the outermost level of a kernel or function."""
    from .simulate import host_array

    current("local")
    return host_array(shape, dtype)


class atomic:
    """Operations on an element of an array that no other thread comes between; each returns the value before."""

    @staticmethod
    def add(array, index, value):
        """array[index] += value: of int32 and uint32; of float32 in global memory."""
        old = array[index]
        array[index] = old + value
        return old

    @staticmethod
    def min(array, index, value):
        """The smaller of the element and the value: of int32 and uint32."""
        old = array[index]
        array[index] = min(old, value)
        return old

    @staticmethod
    def max(array, index, value):
        """The larger of the element and the value: of int32 and uint32."""
        old = array[index]
        array[index] = max(old, value)
        return old

    @staticmethod
    def exch(array, index, value):
        """array[index] = value: of int32 and uint32."""
        old = array[index]
        array[index] = value
        return old

    @staticmethod
    def cas(array, index, expected, value):
        """array[index] = value where it is `expected`: of int32 and uint32."""
        old = array[index]
        if old == expected:
            array[index] = value
        return old


def philox(counter, key):
    """Philox4x32-10 of <yoke/philox.h>: four random uint32 of a counter of four and a key of two, on every device the same."""
    import numpy

    current("philox")
    (x, y, z, w), (a, b) = ([int(each) & 0xffffffff for each in part] for part in (counter, key))
    for turn in range(10):
        p, q = 0xd2511f53 * x, 0xcd9e8d57 * z
        x, y, z, w = (q >> 32 ^ y ^ a + turn * 0x9e3779b9) & 0xffffffff, q & 0xffffffff, (
            p >> 32 ^ w ^ b + turn * 0xbb67ae85) & 0xffffffff, p & 0xffffffff
    return tuple(map(numpy.uint32, (x, y, z, w)))


def random_words(seed, sequence, block):
    """Four random uint32, as yoke_random_words of <yoke/philox.h> gives them: three uint64 choose them, and there is no state."""
    current("random_words")
    seed, sequence, block = (int(each) for each in (seed, sequence, block))
    return philox((block, block >> 32, sequence, sequence >> 32), (seed, seed >> 32))


def random_float(word):
    """A float32 of [0, 1) with 24 bits of a random uint32."""
    import numpy

    current("random_float")
    return numpy.float32(int(word) >> 8) * numpy.float32(2.0**-24)


def _shuffle(name):
    def word(value, lane):
        raise RuntimeError(f"yoke.{name} is for kernels: launch the kernel, or run it with kernel.simulate[n](…)")

    word.__name__ = word.__qualname__ = name
    return word


shuffle = _shuffle("shuffle")
shuffle_xor = _shuffle("shuffle_xor")
shuffle_down = _shuffle("shuffle_down")
shuffle_up = _shuffle("shuffle_up")
