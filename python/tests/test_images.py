# SPDX-License-Identifier: Apache-2.0
"""Images and rects."""

import numpy
import pytest

import yoke

CUDA = """
extern "C" __global__ void blend(cudaTextureObject_t from, cudaSurfaceObject_t to, float step)
{ int x = threadIdx.x, y = blockIdx.x;
  surf2Dwrite(tex2D<float>(from, x + step, y + 0.5f), to, x * (int)sizeof(float), y); }
"""
OPENCL = """
kernel void blend(read_only image2d_t from, sampler_t s, write_only image2d_t to, float step)
{ int x = get_local_id(0), y = get_group_id(0);
  write_imagef(to, (int2)(x, y), read_imagef(from, s, (float2)(x + step, y + 0.5f))); }
"""


@pytest.fixture
def images(device):
    if not device.supports("images"):
        pytest.skip("no images")


def texels(stream, image, dtype="f4"):
    out = numpy.empty(image.shape if image.channels == 1 else (*image.shape, image.channels), dtype)
    stream.read_image(out, image)
    stream.wait()
    return out


def test_sampled_and_written(device, stream, images):
    blend = device.build(cuda=CUDA, opencl=OPENCL)["blend"]
    values = numpy.arange(12, dtype="f4").reshape(3, 4)
    source = device.image((3, 4), filter="linear")
    target = yoke.Image(device, (3, 4), numpy.float32)
    assert source.nbytes == 48 and source.shape == (3, 4) and source.filter == "linear" and "3 x 4" in repr(source)
    stream.write_image(source, values)
    blend[3, 4](stream, source, target.surface, 1.0)
    between = (values + values[:, [1, 2, 3, 3]]) / 2  # clamped at the edge
    assert numpy.allclose(texels(stream, target), between, atol=1 / 64)
    nearest = source.view(filter="nearest", address="border")
    source.close()
    assert nearest.address == "border" and nearest.filter == "nearest" and repr(source) == "<yoke.Image closed>"
    blend[3, 4](stream, nearest, target.surface, 1.5)
    assert texels(stream, target).tolist() == numpy.c_[values[:, 1:], numpy.zeros(3)].tolist()
    with pytest.raises(yoke.KernelArgumentError):
        blend[3, 4](stream, device.buffer(64), target.surface, 1.0)
    with pytest.raises(yoke.Error):
        blend[3, 4](stream, source, target.surface, 1.0)


def test_parts(device, stream, images):
    image = device.image((4, 5), "uint8", 4)
    whole = numpy.arange(80, dtype="u1").reshape(4, 5, 4)
    stream.write_image(image, whole)
    part = numpy.full((2, 3, 4), 255, "u1")
    stream.write_image(image, part, offset=(1, 2), shape=(2, 3))
    whole[1:3, 2:5] = 255
    assert (texels(stream, image, "u1") == whole).all()
    row = numpy.empty((1, 5, 4), "u1")
    stream.read_image(row, image, offset=(3, 0))
    buffer = device.buffer(84)
    stream.copy_from_image(buffer, image, 4)
    stream.fill(buffer, b"\7", 4, 20)  # the first row
    stream.copy_to_image(image, buffer, 4, shape=(1, 5))
    whole[0] = 7
    assert (texels(stream, image, "u1") == whole).all() and (row == whole[3:]).all()


def test_three_dimensions(device, stream, images):
    image = device.image((2, 3, 4))
    values = numpy.arange(24, dtype="f4").reshape(2, 3, 4)
    stream.write_image(image, values)
    out = numpy.empty((1, 2, 3), "f4")
    stream.read_image(out, image, offset=(1, 1, 1), shape=(1, 2, 3))
    stream.wait()
    assert (out == values[1:, 1:, 1:]).all()


def test_refused_images(device, stream, images):
    for wrong, why in (((4,), "2 or 3"), ((0, 4), "2 or 3"), ((1, 2, 3, 4), "2 or 3"), ((-1, 4), "negative")):
        with pytest.raises(ValueError, match=why):
            device.image(wrong)
    for words in ({"format": "rgb"}, {"format": ""}, {"address": "wrap"}, {"filter": "cubic"}, {"channels": 3},
                  {"address": "repeat"}, {"format": "int32", "filter": "linear"}):
        with pytest.raises(ValueError):
            device.image((4, 4), **words)
    with pytest.raises(yoke.RangeError):
        device.image((1 << 30, 4))
    with pytest.raises(TypeError):
        yoke.Image(device)
    with pytest.raises(TypeError):
        yoke.Surface(None)
    image = device.image((4, 4))
    for call in (lambda: stream.write_image(image, bytes(63)), lambda: stream.read_image(bytearray(65), image),
                 lambda: stream.read_image(bytearray(64), image, offset=(1, 1)),
                 lambda: stream.read_image(bytearray(64), image, offset=(4, 4)),
                 lambda: stream.write_image(image, bytes(64), shape=(2, 0)),
                 lambda: stream.copy_to_image(image, device.buffer(60)),
                 lambda: stream.copy_from_image(device.buffer(64), image, 4)):
        with pytest.raises(yoke.RangeError):
            call()
    for call in (lambda: stream.write_image(image, bytes(64), offset=(1,)), lambda: stream.write_image(image, bytes(64), shape=3),
                 lambda: stream.write_image(None, bytes(64)), lambda: stream.read_image(bytes(64), image)):
        with pytest.raises((ValueError, TypeError, BufferError)):
            call()
    image.close()
    for call in (lambda: stream.write_image(image, bytes(64)), image.view, lambda: stream.copy_to_image(image, device.buffer(64))):
        with pytest.raises(yoke.InvalidArgumentError):
            call()


def test_rects(device, stream):
    table = numpy.arange(48, dtype="u1").reshape(6, 8)
    buffer, other = device.buffer(48), device.buffer(12)
    stream.write(buffer, table)
    stream.copy_rect(other, buffer, (3, 4), source_offset=8 + 2, source_pitch=8)
    out = numpy.zeros((6, 8), "u1")
    stream.read_rect(out, other, (3, 4), target_offset=2, target_pitch=8)
    stream.wait()
    assert (out[:3, 2:6] == table[1:4, 2:6]).all() and out.sum() == out[:3, 2:6].sum()
    stream.fill_rect(buffer, (2, 4), b"\1\2", offset=4, pitch=8)
    stream.write_rect(buffer, table, (1, 2, 8), buffer_offset=16, source_pitch=(48, 8))
    stream.read(out, buffer)
    stream.wait()
    table[:2, 4:] = [1, 2, 1, 2]
    table[2:4] = numpy.arange(16).reshape(2, 8)
    assert (out == table).all()


def test_refused_rects(device, stream):
    buffer = device.buffer(48)
    for call in (lambda: stream.write_rect(buffer, bytes(47), (6, 8)),
                 lambda: stream.read_rect(bytearray(40), buffer, (5, 8), target_offset=1),
                 lambda: stream.write_rect(buffer, bytes(64), (6, 8), buffer_offset=1),
                 lambda: stream.write_rect(buffer, bytes(48), (2, 8), source_pitch=41),
                 lambda: stream.copy_rect(buffer, buffer, (7, 8)), lambda: stream.fill_rect(buffer, (2, 32))):
        with pytest.raises((yoke.RangeError, yoke.InvalidArgumentError)):
            call()
    for shape in ((8,), (0, 8), (1, 2, 3, 4), (-1, 8), 5, (2.5, 8)):
        with pytest.raises((ValueError, TypeError)):
            stream.fill_rect(buffer, shape)
    for pitch in ((1, 2, 3), -1, "x"):
        with pytest.raises((ValueError, TypeError)):
            stream.fill_rect(buffer, (2, 8), pitch=pitch)
    with pytest.raises(yoke.InvalidArgumentError):
        stream.fill_rect(buffer, (2, 8), pitch=4)
    with pytest.raises((BufferError, TypeError)):
        stream.read_rect(bytes(48), buffer, (6, 8))
