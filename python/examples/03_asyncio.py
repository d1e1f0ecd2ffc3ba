# SPDX-License-Identifier: Apache-2.0
# GPU work and CPU work in one event loop: the await does not block it.
import asyncio
import numpy as np
import yoke


async def gpu_task(x):
    y = yoke.evaluate(lambda x: x * 2, x=yoke.asarray(x))
    await y.stream
    return y.to_numpy()


async def cpu_bound_task():
    return sum([await asyncio.sleep(0, i) for i in range(1000)])


async def main():
    x = np.arange(1024, dtype=np.float32)
    y, result = await asyncio.gather(gpu_task(x), cpu_bound_task())
    assert (y == 2 * x).all() and result == 499500
    print("asyncio: right")


asyncio.run(main())
