#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what run.sh has printed, the time over the number of ranks: curves.py FILE... >picture.svg"""

import math
import re
import sys

WIDTH, HEIGHT, LEFT, TOP, GAP, FIRST, LAST = 330, 210, 58, 62, 84, 1, 2048
MIDDLE = 'text-anchor="middle"'
# Each panel: title, unit, microseconds in it, the largest value, and {curve: (words, colour)}.
PANELS = [
    ("A step of Jacobi's iteration", "us", 1, 300,
     {"jacobi_8192": ("8,192 x 8,192 points a rank", "#1d4ed8"), "jacobi_512": ("512 x 512 points a rank", "#c2410c")}),
    ("A sort of 4,194,304 pairs a rank", "ms", 1000, 30,
     {"sort_1": ("one level, as the example", "#c2410c"), "sort_2": ("two levels", "#1d4ed8")}),
    ("Until all ranks know of a failure", "us", 1, 250,
     {"farewell_one": ("one rank tells each other one", "#c2410c"), "farewell_tree": ("from rank to rank, in a tree", "#1d4ed8")}),
]


def read(paths):
    """{curve: {ranks: microseconds}}."""
    curves = {}
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                found = re.match(r"(\w+)\.(\d+) (\S+) us$", line)
                if found:
                    name = re.sub(r"^(sort_\d).*", r"\1", found[1])
                    curves.setdefault(name, {})[int(found[2])] = float(found[3])
    return curves


def text(x, y, words, extra=""):
    return f'<text x="{x:.0f}" y="{y:.0f}" {extra}>{words}</text>'


def x_of(ranks):
    return math.log(ranks / FIRST) / math.log(LAST / FIRST) * WIDTH


def panel(title, unit, scale, top, names, curves):
    parts = [text(0, -36, title, 'font-weight="bold"'), f'<rect width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#9ca3af"/>']
    for k in range(6):
        y = HEIGHT * (1 - k / 5)
        parts.append(f'<line x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e5e7eb"/>')
        parts.append(text(-6, y + 4, f"{top * k / 5:.0f}", 'text-anchor="end"'))
    parts.append(text(-6, -8, unit, 'text-anchor="end"'))
    for ranks in (1, 4, 16, 64, 256, 1024):
        parts.append(text(x_of(ranks), HEIGHT + 16, f"{ranks:,}", MIDDLE))
    parts.append(text(WIDTH / 2, HEIGHT + 32, "ranks", MIDDLE))
    for row, (name, (words, colour)) in enumerate(names.items()):
        points = [(x_of(ranks), HEIGHT * (1 - time / scale / top)) for ranks, time in sorted(curves.get(name, {}).items())]
        parts.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="none" stroke="{colour}" '
                     'stroke-width="1.8"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in points]
        parts.append(text(8, -20 + 13 * row, words, f'fill="{colour}"'))
    return parts


def main():
    curves = read(sys.argv[1:])
    width, height = LEFT + len(PANELS) * (WIDTH + GAP), TOP + HEIGHT + 50
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for column, (title, unit, scale, top, names) in enumerate(PANELS):
        out.append(f'<g transform="translate({LEFT + column * (WIDTH + GAP)},{TOP})">')
        out += panel(title, unit, scale, top, names, curves) + ["</g>"]
    print("\n".join(out + ["</svg>"]))


if __name__ == "__main__":
    main()
