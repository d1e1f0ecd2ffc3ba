# SPDX-License-Identifier: Apache-2.0
"""GPU work and CPU work in one event loop: await does not block it."""
import asyncio
import numpy as np
import yoke


async def gpu_task(x):
    y = 2 * yoke.asarray(x)
    await y.stream
    return y.to_numpy()


async def cpu_bound_task():
    result = 0
    for i in range(1000):
        result += i
        await asyncio.sleep(0)
    return result


async def main():
    x = np.arange(1024, dtype=np.float32)
    y, result = await asyncio.gather(gpu_task(x), cpu_bound_task())
    assert (y == 2 * x).all() and result == 499500
    print("asyncio_tasks: right")


asyncio.run(main())
