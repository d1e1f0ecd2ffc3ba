# SPDX-License-Identifier: Apache-2.0
"""What kernels in Numba's names take from outside: numbers and NumPy arrays as constants, arrays of the device;
and whole ufuncs."""

import numpy
import pytest

import yoke
from yoke.numba_like import cuda, float32

X = numpy.arange(5, dtype=numpy.float32)


def run(kernel, *inputs, dtype=numpy.float32):
    out = numpy.zeros(5, dtype)
    kernel[1, 8](*inputs, out)
    return out.tolist()


def test_numbers_and_arrays_keep_the_values_of_the_first_launch():
    rate, table = 2, numpy.array([1, 2, 3, 4, 5], numpy.float32)

    @cuda.jit
    def scaled(x, out):
        i = cuda.grid(1)
        if i < len(table):
            out[i] = x[i] * table[i] * rate

    assert run(scaled, X) == [0, 4, 12, 24, 40]
    rate = 3
    table[:] = 1
    assert run(scaled, X) == [0, 4, 12, 24, 40]
    assert run(scaled, X.astype(numpy.int32)) == [0, 3, 6, 9, 12]  # compiled for other types, it is another kernel
    assert run(scaled, X) == [0, 4, 12, 24, 40]
    assert "table_" in scaled.kernel.text(yoke.asarray(X), yoke.asarray(X))
    out = numpy.zeros(5, numpy.float32)
    scaled.simulate[1, 8](X, out)
    assert out.tolist() == [0, 3, 6, 9, 12]  # Python's names of now


def test_numbers_keep_their_values_in_all_variants_of_a_text():
    """Small and large ints are of one type, and have two texts."""
    rate = 2

    @cuda.jit
    def scaled(x, n, out):
        i = cuda.grid(1)
        if i < n and i < out.size:
            out[i] = x[i] * rate

    assert run(scaled, X, 5) == [0, 2, 4, 6, 8]
    rate = 3
    assert run(scaled, X, 1 << 40) == [0, 2, 4, 6, 8]
    assert len(scaled.kernel.variants) == 2 and rate == 3


def test_a_kernel_with_a_signature_takes_what_is_there_where_it_is_written():
    rate, table = 2, numpy.ones(5, numpy.float32)

    @cuda.jit((float32[:], float32[:]))
    def scaled(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i] * table[i] * rate

    table[:] = 7
    assert run(scaled, X) == [0, 2, 4, 6, 8]
    with pytest.raises(yoke.KernelError, match="2 arguments"):
        scaled[1, 8](X)


def test_arrays_of_the_device_are_shared():
    table = cuda.to_device(X)

    @cuda.jit
    def added(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = x[i] + table[i]
            table[i] = 10

    assert run(added, X) == [0, 2, 4, 6, 8]
    assert run(added, X) == [10, 11, 12, 13, 14]
    table.copy_to_device(X + 20)
    assert run(added, X) == [20, 22, 24, 26, 28]


def test_an_array_that_is_defined_below_its_kernel():
    @cuda.jit
    def taken(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = later[i]

    later = X * 2
    out = numpy.zeros(5, numpy.float32)
    taken.forall(5)(out)
    assert out.tolist() == [0, 2, 4, 6, 8]
    assert run(taken) == [0, 2, 4, 6, 8]


def test_constant_arrays():
    table = numpy.arange(10, dtype=numpy.float32).reshape(2, 5)[:, ::-1]

    @cuda.jit
    def taken(out):
        own = cuda.const.array_like(table)
        i = cuda.grid(1)
        if i < own.shape[1]:
            out[i] = own[1, i] + cuda.const.array_like(table)[0, i]

    assert run(taken) == [13, 11, 9, 7, 5]
    assert cuda.const.array_like(table) is table


@cuda.jit(device=True)
def changed(x):
    x[0] = 1
    return 0


def refused(kernel):
    with pytest.raises(yoke.KernelError) as found:
        cuda.jit(kernel)[1, 1](X)
    return str(found.value)


def test_constants_are_not_written():
    def stored(out):
        X[0] = out[0]

    def grown(out):
        X[0] += out[0]

    def passed(out):
        out[0] = changed(X)

    def atomic(out):
        cuda.atomic.add(X, 0, out[0])

    def unnamed(out):
        own = cuda.const.array_like(out)
        out[0] = own[0]

    def twice(out):
        own = cuda.const.array_like(X)
        own = out[0]
        out[0] = own

    for kernel in (stored, grown, passed, atomic):
        assert "a constant in it" in refused(kernel)
    assert "outside a kernel by its name" in refused(unnamed) and "assigned again" in refused(twice)
    assert X.tolist() == [0, 1, 2, 3, 4]


@cuda.jit
def counted(x, out):
    cuda.atomic.add(x, 0, 1)


@cuda.jit
def through(x, out):
    out[0] = changed(x)


@cuda.jit
def named_anew(x, out):
    z = x
    z[0] = 1


@cuda.jit
def field_set(x, out):
    x[0].a = 1


@cuda.jit
def field_read(x, out):
    if cuda.grid(1) < len(x):
        out[0] = x[0].a


@cuda.jit
def constant_named_anew(x, out):
    z = X
    z[0] = x[0]


RECORDS = numpy.dtype([("a", "i4"), ("b", "i4")])


@pytest.mark.parametrize("kernel, dtype", [(counted, "i4"), (through, "i4"), (named_anew, "i4"), (field_set, RECORDS)])
def test_read_only_arrays_are_not_written_in_any_way(kernel, dtype):
    frozen, out = numpy.zeros(3, dtype), numpy.zeros(3, numpy.int32)
    kernel[1, 1](cuda.In(frozen), out)
    kernel[1, 1](out.view(dtype) if dtype == "i4" else frozen.copy(), out)
    frozen.flags.writeable = False
    for _ in range(2):
        with pytest.raises(ValueError, match=f"{kernel.name}: x is a read-only array"):
            kernel[1, 1](frozen, out)


def test_constants_are_not_written_by_another_name():
    with pytest.raises(ValueError, match="X is an array of NumPy outside the kernel, and a constant in it, and the kernel writes"):
        constant_named_anew[1, 1](X + 1, X.copy())
    assert X.tolist() == [0, 1, 2, 3, 4]


def test_records_that_are_only_read():
    frozen, out = numpy.array([(7, 0)], RECORDS), numpy.zeros(1, numpy.int32)
    frozen.flags.writeable = False
    field_read[1, 1](frozen, out)
    assert out.tolist() == [7]
    field_read[1, 1](numpy.zeros(0, RECORDS), out)  # nothing to copy
    with pytest.raises(yoke.KernelArgumentError, match=r"field_read: x is cuda\.Out, and .*: pass cuda\.In\(x\)"):
        field_read[1, 1](cuda.Out(numpy.zeros(1, RECORDS)), out)


def test_out_that_is_only_read():
    """It would be given memory that nothing has set."""
    @cuda.jit
    def first(x, out):
        out[0] = x[0]

    x, out = numpy.full(1, 7, numpy.int32), numpy.zeros(1, numpy.int32)
    with pytest.raises(yoke.KernelArgumentError, match=r"first: x is cuda\.Out, and .*: pass cuda\.In\(x\)"):
        first[1, 1](cuda.Out(x), out)
    first[1, 1](cuda.In(x), cuda.Out(out))
    assert x.tolist() == [7] and out.tolist() == [7]


def test_ufuncs_of_whole_arrays():
    @cuda.jit
    def lines(a, row, out):
        numpy.maximum(a, row, out)
        numpy.add(out, 1, out)

    a = numpy.arange(10, dtype=numpy.float32).reshape(2, 5)
    row = numpy.float32([4, 0, 9, 0, 4])
    out = numpy.zeros((2, 5), numpy.float32)
    lines[1, 1](a, row, out)
    assert out.tolist() == (numpy.maximum(a, row) + 1).tolist()
    lines[1, 1](a, row[:1], out)
    assert out.tolist() == (numpy.maximum(a, 4) + 1).tolist()

    def narrow(out):
        numpy.sqrt(out, 2)

    def computed(out):
        numpy.add(out, out[0] + 1, out)

    assert "an array is wanted" in refused(narrow) and "assign it before" in refused(computed)
