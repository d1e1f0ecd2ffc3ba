# SPDX-License-Identifier: Apache-2.0
"""Arrays of CuPy, PyTorch, Numba and JAX, each where it is installed and finds a GPU: the same memory both ways, and the order of
the streams both ways without a wait on the host. "driver" does the same by the driver's calls, on the CUDA double too."""

import gc
import threading
import weakref

import numpy
import pytest
from peer_driver import KINDS, Driver, Gate, Interface
from peer_libraries import LIBRARIES, open_library

import yoke

SIZE = 1 << 22
STEPS = 20
VALUES = numpy.arange(12, dtype="f4").reshape(3, 4)
DTYPES = ("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128").split()
PAIRS = [(name, way) for name, library in LIBRARIES.items() for way in library.ways]


@pytest.fixture(scope="session")
def opened(device):
    libraries = {}

    def one(name):
        if device.backend != "cuda":
            pytest.skip("for CUDA")
        if name not in libraries:
            libraries[name] = open_library(name, device)
        return libraries[name]

    return one


@pytest.fixture(params=LIBRARIES)
def library(request, opened):
    return opened(request.param)


@pytest.fixture(params=PAIRS, ids="-".join)
def pair(request, opened):
    name, way = request.param
    return opened(name), way


@pytest.fixture(autouse=True)
def current(stream):
    """The test's stream is where Yoke's arrays are made."""
    with stream:
        yield


@pytest.fixture
def driver(device):
    if device.backend != "cuda":
        pytest.skip("for CUDA")
    return Driver(device)


@pytest.fixture
def gate(device, driver):
    gate = Gate(device, driver)
    yield gate
    gate.open()
    driver.call("cuCtxSynchronize")  # nobody looks at the gate any more


def take(x, way):
    """The library's array as one of Yoke's."""
    return yoke.from_dlpack(x) if way == "dlpack" else yoke.asarray(Interface(x)) if way == "interface" else yoke.asarray(x)


def give(library, array, way):
    """Yoke's array as one of the library's, which may look at no stream."""
    if way in library.deaf:
        array.stream.wait()
    return library.take(array, way)


def address(array):
    return array.__cuda_array_interface__["data"][0]


# ---- The same memory ----

def test_to_yoke(pair):
    library, way = pair
    with library.on("own"):
        x = library.array(VALUES)
        array = take(x, way)
        assert array.shape == (3, 4) and array.dtype == numpy.float32 and address(array) == library.address(x)
        assert (array.to_numpy() == VALUES).all()
        array[1, 2] = 77
        array.stream.wait()
        assert library.numpy(x)[1, 2] == 77
        if library.writes:
            library.fill(x, 5)
            assert (library.numpy(x) == 5).all() and (array.to_numpy() == 5).all()


def test_from_yoke(pair):
    library, way = pair
    with library.on("own"):
        array = yoke.asarray(VALUES)
        x = library.take(array, way)
        assert tuple(x.shape) == (3, 4) and library.address(x) == address(array)
        array[1, 2] = 77
        array.stream.wait()
        values = VALUES.copy()
        values[1, 2] = 77
        assert (library.numpy(x) == values).all()
        if library.writes:
            library.fill(x, 5)
            assert (library.numpy(x) == 5).all() and (array.to_numpy() == 5).all()


def test_dtypes(pair):
    library, way = pair
    with library.on("own"):
        for name in DTYPES:
            if name in library.lacks:
                continue
            values = (numpy.arange(24) % 5).astype(name).reshape(2, 3, 4)
            if name.startswith("complex"):
                values = values * (1 - 2j)
            x = library.array(values)
            array = take(x, way)
            assert array.dtype == values.dtype and (array.to_numpy() == values).all(), name
            back = library.numpy(give(library, yoke.asarray(values), way))
            assert back.dtype == values.dtype and (back == values).all(), name


def test_bfloat16(opened):
    library = opened("torch")
    with library.on("own"):
        x = library.array(VALUES).bfloat16()
        array = yoke.from_dlpack(x)
        assert array.dtype == "bfloat16" and (array.astype("float32").to_numpy() == VALUES).all()
        assert library.torch.equal(library.from_dlpack(array + 1), x + 1)


def test_strides(pair):
    library, way = pair
    if not library.strides:
        pytest.skip("its arrays have no strides")
    with library.on("own"):
        x = library.part(library.array(VALUES))
        array = take(x, way)
        assert array.strides == (4 * array.itemsize, 2 * array.itemsize) and address(array) == library.address(x)
        assert (array.to_numpy() == VALUES[1:, ::2]).all()
        array[:] = 9
        array.stream.wait()
        assert (library.numpy(x) == 9).all()
        for view, values in ((lambda a: a[1:, ::2], VALUES[1:, ::2]), (lambda a: a.T, VALUES.T),
                             (lambda a: a[:, 1:2], VALUES[:, 1:2]), (lambda a: a[2, 3], VALUES[2, 3]),
                             (lambda a: a[:, None].broadcast_to((3, 2, 4)), numpy.repeat(VALUES[:, None], 2, 1))):
            array = view(yoke.asarray(VALUES))
            x = give(library, array, way)
            assert tuple(x.shape) == values.shape and library.address(x) == address(array)
            assert (library.numpy(x) == values).all()


def test_zero_size(pair):
    library, way = pair
    with library.on("own"):
        for shape in ((0,), (0, 3), (2, 0, 3)):
            array = take(library.array(numpy.zeros(shape, "f4")), way)
            assert array.shape == shape and array.dtype == numpy.float32 and array.to_numpy().shape == shape
            assert (array + 1).sum().item() == 0
            x = library.take(yoke.zeros(shape), way)
            assert tuple(x.shape) == shape and library.numpy(x).shape == shape


def test_memory_is_kept(pair):
    """The last name of one side goes, and much is made and filled by that side: what the other side has stays."""
    library, way = pair
    with library.on("own"):
        array = take(library.array(numpy.ones(1 << 16, "f4")), way)
        gc.collect()
        more = [library.array(numpy.full(1 << 16, 2, "f4")) for _ in range(8)]
        assert (array.to_numpy() == 1).all() and len(more) == 8
        x = library.take(yoke.full(1 << 16, 3.0), way)
        gc.collect()
        kept = [yoke.full(1 << 16, 4.0) for _ in range(8)]
        kept[-1].stream.wait()
        assert (library.numpy(x) == 3).all()


def test_memory_is_kept_by_graphs(opened, stream):
    library = opened("driver")
    lent = Interface(library.array(VALUES))
    alive = weakref.ref(lent)
    array = yoke.asarray(lent, stream=stream)
    with stream.record() as graph:
        array.fill(9)
    del lent, array
    stream.wait()
    gc.collect()
    assert alive() is not None
    graph.launch(stream)
    graph = None
    stream.wait()
    stream.fill(stream.device.buffer(64))  # looks for what is no longer used
    gc.collect()
    assert alive() is None


def test_read_only(opened, stream):
    library = opened("driver")
    with library.on("own"):
        x = library.array(VALUES)
        array = yoke.asarray(Interface(x, data=(x.pointer, True)))
        assert (array.to_numpy() == VALUES).all() and ((array + 1).to_numpy() == VALUES + 1).all()
        for write in (lambda: array.fill(1), lambda: array.__setitem__(0, 1), lambda: stream.fill(array.buffer)):
            with pytest.raises(yoke.Error):
                write()
        stream.recover()
        assert (library.numpy(x) == VALUES).all()
        for only_read in (array, array[1:], array.T):  # nor does anyone else write to it
            assert only_read.__cuda_array_interface__["data"][1] is True
            with pytest.raises(BufferError, match="copy=True"):
                only_read.__dlpack__()
            assert (array + 1).__cuda_array_interface__["data"][1] is False
            array.__dlpack__(copy=True)


def test_refused_interfaces(opened):
    library = opened("driver")
    x = library.array(VALUES)
    for changes, error in (({"typestr": ">f4"}, TypeError), ({"typestr": "<f16"}, TypeError), ({"typestr": "<M8[s]"}, TypeError),
                           ({"mask": x}, TypeError), ({"strides": (-16, 4)}, ValueError), ({"strides": (3, 4)}, ValueError),
                           ({"strides": (16,)}, ValueError), ({"strides": (4,) * 11}, ValueError),
                           ({"shape": (-2, -2)}, ValueError), ({"shape": (-1, 0)}, ValueError),
                           ({"data": (x.pointer + 1, False)}, ValueError),
                           ({"shape": (1,) * 9, "strides": None}, ValueError), ({"data": (0, False)}, yoke.Error),
                           ({"shape": (1 << 50,), "strides": None}, yoke.Error)):
        with pytest.raises(error):
            yoke.asarray(Interface(x, **changes))


# ---- The order of the streams ----

def assert_behind(event, gate):
    """The event's work waits for the gate, and nothing on the host does."""
    with pytest.raises(TimeoutError):
        event.wait(0.02)
    assert not gate.late, "something waited on the host for work that was not to be waited for"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["dlpack", "interface", "asarray"])
def test_the_library_leads(library, stream, gate, kind, way):
    if kind not in library.kinds or way in ("dlpack", "interface") and way not in library.ways:
        pytest.skip("it has none")
    if way == "interface" and "interface" in library.deaf:
        pytest.skip("its interface names no stream")
    with library.on(kind) as number:
        x = library.array(numpy.zeros(SIZE, "f4"))
        for closed in (False, True):  # what is compiled, loaded or allocated for the first time may wait for the device
            library.fill(x, 0)
            library.numpy(x)
            if closed:
                gate.close(number)
            for value in range(1, STEPS + 1):
                library.fill(x, value)
            array = take(x, way)
            more = array + 1
            event = stream.event()
            if closed:
                assert_behind(event, gate)
                gate.open()
            assert (more.to_numpy() == STEPS + 1).all()


@pytest.mark.parametrize("kind", KINDS)
def test_yoke_leads(pair, stream, driver, gate, kind):
    library, way = pair
    if kind not in library.kinds:
        pytest.skip("it has none")
    if way in library.deaf and kind != "legacy":
        pytest.skip("it looks at no stream there")
    with library.on(kind) as number:
        array = yoke.zeros(SIZE)
        for closed in (False, True):
            array.fill(0)
            stream.wait()
            if closed:
                stream.native_call(gate.close)
            for value in range(1, STEPS + 1):
                array.fill(value)
            if closed and way in library.waiting:
                gate.open_soon()  # the library's own import waits
            x = library.take(array, way)
            y = library.copied(x)
            if closed and way not in library.waiting:
                assert driver.pending(number)
                assert_behind(stream.event(), gate)
                assert driver.pending(number)
                gate.open()
            assert (library.numpy(y) == STEPS).all() and not gate.late


def test_yokes_stream_as_the_librarys(library, stream, gate):
    """The library works in the stream of Yoke's itself, in a native section."""
    if library.external is None:
        pytest.skip("its streams are hidden")
    way = library.ways[0]
    with library.on("own"):
        array = yoke.zeros(SIZE)
        x = library.take(array, way)
        for closed in (False, True):
            array.fill(1)
            stream.wait()
            if closed:
                stream.native_call(gate.close)
            array += 1
            with stream.native() as handle, library.external(handle):
                y = library.copied(x)
                library.fill(x, 5)
            array += 1
            event = stream.event()
            if closed:
                assert_behind(event, gate)
                gate.open()
            assert (array.to_numpy() == 6).all() and (library.numpy(y) == 2).all()


def test_back_and_forth(pair, stream):
    """Each side reads what the other has written, many times, with no wait between."""
    library, way = pair
    if not library.writes or way in library.deaf:
        pytest.skip("it does not write, or looks at no stream")
    with library.on("own"):
        x = library.array(numpy.zeros(SIZE, "f4"))
        results = []
        for value in range(1, 30):
            library.fill(x, value)
            array = take(x, way)
            array += 0.5
            results.append((value, library.copied(library.take(array, way))))
        for value, y in results[::7]:
            assert (library.numpy(y) == value + 0.5).all()


@pytest.mark.parametrize("taken", [yoke.from_dlpack, yoke.asarray])
def test_jax_is_waited_for(opened, stream, taken):
    library = opened("jax")
    step = library.jax.jit(lambda x: library.jax.lax.fori_loop(0, 2000, lambda i, y: y + 1, x))
    x = library.array(numpy.zeros(SIZE, "f4"))
    step(x).block_until_ready()
    for _ in range(5):
        assert ((taken(step(x)) + 1).to_numpy() == 2001).all()


def test_jax_follows(opened, stream, gate):
    library = opened("jax")
    array = yoke.zeros(SIZE)
    library.numpy(library.from_dlpack(array) + 1)
    stream.native_call(gate.close)
    for value in range(1, STEPS + 1):
        array.fill(value)
    gate.open_soon()
    x = library.from_dlpack(array)
    assert (library.numpy(x + 1) == STEPS + 1).all() and not gate.late


# ---- Where Yoke is on OpenCL ----

@pytest.fixture
def opencl(device):
    if device.backend != "opencl":
        pytest.skip("for OpenCL")


def test_what_leaves_opencl_is_finished(opencl, stream):
    array = yoke.zeros(1 << 16)
    go = threading.Event()
    stream.call(go.wait)
    array.fill(3)
    event = stream.event()
    assert not event.query()
    timer = threading.Timer(0.05, go.set)
    timer.start()
    array.__dlpack__()
    assert go.is_set() and event.query()
    assert array.__dlpack_device__()[0] == 4 and not hasattr(array, "__cuda_array_interface__")
    for number in (1, 2, 12345):
        with pytest.raises(ValueError):
            array.__dlpack__(stream=number)


@pytest.mark.parametrize("name", ["cupy", "torch", "numba", "jax"])
def test_arrays_of_cuda_are_refused_on_opencl(opencl, device, name):
    library = open_library(name, device)
    x = library.array(VALUES)
    if "dlpack" in library.ways:
        with pytest.raises((yoke.Error, TypeError)):
            yoke.from_dlpack(x)
    with pytest.raises((yoke.Error, TypeError)):
        yoke.asarray(Interface(x))
    assert (library.numpy(x) == VALUES).all()
