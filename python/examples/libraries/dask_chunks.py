# SPDX-License-Identifier: Apache-2.0
# Dask over several devices: the chunks of one array are arrays on all devices that there are, or on two streams of one. Each chunk
# is computed where it is; only the sums of the chunks come together, on the first device.
import dask
import dask.array
import numpy

import yoke

streams = [yoke.Device(info.selector).stream() for info in yoke.devices()]
if len(streams) == 1:
    streams.append(streams[0].device.stream())
values = numpy.random.default_rng(1).integers(-9, 10, (1000, 6)).astype("float32")


@dask.delayed
def sums(chunk, stream):
    """Of a chunk's columns: how many elements, their sum and the sum of their squares."""
    x = yoke.asarray(chunk, stream=stream)
    return len(x), x.sum(0).to_device(streams[0].device), yoke.evaluate("x * x", x=x).sum(0).to_device(streams[0].device)


chunks = numpy.array_split(values, 8)
parts = dask.compute(*[sums(chunk, streams[k % len(streams)]) for k, chunk in enumerate(chunks)], scheduler="threads")
count, total, squares = (sum(each) for each in zip(*parts))
mean = total / count
assert numpy.array_equal(total.to_numpy(), values.sum(0))
numpy.testing.assert_allclose(((squares / count - mean * mean)**0.5).to_numpy(), values.std(0), rtol=1e-4)

# Dask's own arrays, whose chunks are Yoke's.
x = dask.array.from_array(yoke.asarray(values), chunks=(250, 6), asarray=False)
result = (dask.array.exp(x / 9) * 2 + 1).sum(axis=0).compute(scheduler="threads")
assert isinstance(result, yoke.Array)
numpy.testing.assert_allclose(result.to_numpy(), (numpy.exp(values / 9) * 2 + 1).sum(0), rtol=1e-4)

# One array of Dask's, whose chunks are on all devices: each operation runs where its chunk is. What needs several chunks at once says
# that they are apart, and to_device brings together what is left of them.
pieces = [dask.array.from_delayed(dask.delayed(yoke.asarray)(chunk, stream=streams[k % len(streams)]), chunk.shape,
                                  meta=yoke.zeros((0, 6))) for k, chunk in enumerate(chunks)]
y = dask.array.exp(dask.array.concatenate(pieces) / 9) * 2 + 1
if len({stream.device.info.selector for stream in streams}) > 1:
    try:
        y.sum(axis=0).compute(scheduler="threads")
        raise AssertionError("chunks of two devices were added")
    except yoke.InvalidArgumentError as error:
        assert "lies on another device" in str(error) and "array.to_device(device) copies" in str(error)
parts = y.map_blocks(lambda chunk: chunk.sum(0, keepdims=True).to_device(streams[0].device), chunks=((1,) * len(chunks), (6,)),
                     meta=yoke.zeros((0, 6)))
result = parts.sum(axis=0).compute(scheduler="threads")
assert isinstance(result, yoke.Array) and result.device is streams[0].device
numpy.testing.assert_allclose(result.to_numpy(), (numpy.exp(values / 9) * 2 + 1).sum(0), rtol=1e-4)
print(f"{len(chunks)} chunks on {len(streams)} streams of {len({s.device.info.selector for s in streams})} device(s): right")
