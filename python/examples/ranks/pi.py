# SPDX-License-Identifier: Apache-2.0
# pi as the area below 4 / (1 + x^2), each rank with a part of it on its own device: mpirun -n 4 python pi.py
# The common mistake is to wait for the device before each call of MPI: here the sum is enqueued behind the kernels.
import math

import yoke
import yoke.comm

STEPS = 1 << 22

with yoke.comm.Communicator() as world, world.stream:
    mine = STEPS // world.size + (world.rank < STEPS % world.size)  # steps rank, rank + size, ...
    x = (yoke.arange(mine) * float(world.size) + (world.rank + 0.5)) / STEPS
    pi = world.allreduce((4 / (1 + x * x)).sum()) / STEPS
    right = abs(pi.item() - math.pi) < 1e-4
    if world.rank == 0:
        print(f"pi is {pi.item():.4f} by {world.size} ranks: {'right' if right else 'wrong'}")
