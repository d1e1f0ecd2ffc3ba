# SPDX-License-Identifier: Apache-2.0
"""GIL torture: python torture.py [seconds]. Threads enqueue copies, launches, host functions that raise, wait, close and collect,
on shared streams, while others wait and recover; a hang is shown with all stacks after a minute without progress. At the end the
device must hold no more buffers than before."""

import faulthandler
import gc
import random
import sys
import threading
import time

import numpy

import yoke


def work(device, streams, end, seed, counts):
    rng = random.Random(seed)
    data = numpy.ones(256, "f4")
    event = None
    while time.monotonic() < end:
        stream = rng.choice(streams)
        counts[seed] += 1
        try:
            match rng.randrange(10):
                case 0:
                    stream.call(rng.choice([gc.collect, lambda: 1 / 0, lambda: stream.call(id, 1), lambda: time.sleep(0.001)]))
                case 1:
                    buffer = device.buffer(1024)
                    stream.write(buffer, data)
                    stream.read(numpy.empty_like(data), buffer, blocking=False)
                case 2:
                    event = stream.event()
                case 3 if event is not None:
                    stream.wait_for(event)
                case 4 if event is not None:
                    event.wait(0.05)
                case 5:
                    stream.wait(0.05)
                case 6:
                    own = device.stream()
                    own.call(time.sleep, 0)
                    if rng.random() < 0.5:
                        own.close()
                case 7:
                    stream.call_always(lambda error: None)
                case 8:
                    stream.fill(device.buffer(64), b"x")
                case 9 if rng.random() < 0.1:
                    stream.cancel()
        except (yoke.Error, ZeroDivisionError):
            stream.recover()
        except TimeoutError:
            pass


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    device = yoke.Device()
    gc.collect()
    before = device.memory["buffers"]
    streams = [device.stream() for _ in range(4)]
    counts = [0] * 6
    end = time.monotonic() + seconds
    faulthandler.dump_traceback_later(seconds + 60, exit=True)
    threads = [threading.Thread(target=work, args=(device, streams, end, i, counts)) for i in range(len(counts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for stream in streams:
        stream.recover()
        try:
            stream.wait()
        except (yoke.Error, ZeroDivisionError):
            pass
    device.stream().wait()
    del stream, streams
    gc.collect()
    patience = time.monotonic() + 50
    while device.memory["buffers"] > before and time.monotonic() < patience:
        gc.collect()
        device.stream().wait()
    faulthandler.cancel_dump_traceback_later()
    print(f"torture: {sum(counts)} steps, {device.memory['buffers'] - before} buffers left")
    return device.memory["buffers"] > before


if __name__ == "__main__":
    sys.exit(main())
