# SPDX-License-Identifier: Apache-2.0
"""A program that uses most of the package, for the type checker; test_types.py runs mypy over it."""

import asyncio

import yoke
from yoke import float32  # for annotations that are strings


@yoke.function
def twice(x: float) -> float:
    return 2 * x


@yoke.kernel
def doubled(x: yoke.Array) -> None:
    i = yoke.grid(1)
    x[i] = twice(3.0)


@yoke.kernel
def scaled(x: yoke.Array[yoke.float32], n: yoke.Array[yoke.int32], a: float32) -> None:
    i = yoke.grid(1)
    if i < x.size:
        x[i] = a * x[i] + twice(a) + n[i]


@yoke.kernel
def rotated(z: yoke.Array[yoke.complex64], by: yoke.complex64) -> None:
    i = yoke.grid(1)
    if i < z.size:
        z[i] = z[i].conjugate() * by + abs(by) * 1j


@yoke.kernel
def negated(x: yoke.Array["float32"], a: "float32") -> None:
    x[yoke.grid(1)] *= -a


def launched(stream: yoke.Stream, a: yoke.Array) -> str:
    doubled[a.size](stream, a)
    return doubled.text(a)


def sums(stream: yoke.Stream, a: yoke.Array) -> tuple[float, yoke.Array]:
    with stream:
        b: yoke.Array = (2 * a + 1) @ a.T
        values, positions = yoke.topk(b, 2)
        only: yoke.Array = yoke.unique(positions)
        kept, counts = yoke.unique(values, return_counts=True)
        spectrum = yoke.fft.rfft(yoke.random.normal((4, 8), seed=1))
        smooth = yoke.ndimage.gaussian_filter(b, 1.5, mode="nearest")
    bins, edges = yoke.histogram(b, 4, (0.0, 1.0))
    return float(b.sum()), yoke.matmul(smooth, smooth, epilogue="value + c", c=1.0)


def report(number: int, text: str) -> None:
    print(number, text)


def native(handle: int, word: str) -> None:
    print(hex(handle), word)


async def main() -> None:
    with yoke.Device() as device, device.stream(priority=1) as stream:
        program: yoke.Program = device.build(cuda="", opencl="")
        kernel: yoke.Kernel = program["saxpy"]
        buffer: yoke.Buffer = device.buffer(64)
        stream.write(buffer, b"x" * 64)
        kernel[16](stream, buffer, yoke.In(b"1234"), 2.0)
        kernel[(1, 2), 64, 0](stream, buffer)
        stream.call(report, 1, "text")
        with stream.record() as graph:
            stream.fill(buffer)
        graph.launch(stream)
        graph.set_args(0, kernel, buffer, 2.0)
        graph.set_call(0, report, 2, "more")
        image = device.image((4, 4), "uint8", filter="linear")
        stream.write_image(image, b"x" * 16, offset=(0, 0), shape=(4, 4))
        kernel[16](stream, image.view(address="border"), image.surface)
        stream.copy_rect(buffer, buffer[8:], (2, 4), target_pitch=8)
        with stream.native() as handle:
            number: int = handle
        stream.native_call(native, "word")
        device.limit_memory(1 << 30)
        with yoke.Trace("run.json") as trace:
            first: int = yoke.wait_any([stream.event()], timeout=1.0)
        print(trace, trace.events[0]["name"], number, first)
        event: yoke.Event = stream.event()
        await event
        await stream
        try:
            event.wait(timeout=1.0)
        except yoke.BuildError as error:
            print(error.log, error.status)
    names: list[str] = [each.selector for each in yoke.devices()]
    print(names, yoke.info(), yoke.__version__)


if __name__ == "__main__":
    asyncio.run(main())
