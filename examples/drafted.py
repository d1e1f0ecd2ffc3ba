# SPDX-License-Identifier: Apache-2.0
"""A kernel that is drafted in Python: it runs here, simulated or on a device, until it is right. drafted.c uses its text, which is

    python -m yoke cc drafted.py -o drafted.yk
"""

import yoke


@yoke.function
def pull(dx: yoke.float32, dy: yoke.float32, mass: yoke.float32):
    """What a mass does to a body that it has in this distance."""
    square = dx * dx + dy * dy + 0.01
    strength = mass / (square * square**0.5)
    return dx * strength, dy * strength


@yoke.kernel
def attract(speed: yoke.Array[yoke.float32], place: yoke.Array[yoke.float32], mass: yoke.Array[yoke.float32],
            seconds: yoke.float32):
    """Each body's speed after some seconds, from the pull of all others."""
    i = yoke.grid(1)
    if i < mass.size:
        x, y = place[i, 0], place[i, 1]
        ax = ay = 0.0
        for j in range(mass.size):
            dx, dy = pull(place[j, 0] - x, place[j, 1] - y, mass[j])
            ax += dx
            ay += dy
        speed[i, 0] += ax * seconds
        speed[i, 1] += ay * seconds


if __name__ == "__main__":
    place, speed = yoke.asarray([[0.0, 0], [3, 4], [-3, 4]]), yoke.zeros((3, 2))
    attract[3](yoke.default_stream(), speed, place, yoke.asarray([100.0, 1, 1]), 0.5)
    print("speeds:", speed.tolist())
