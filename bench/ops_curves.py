#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Draws the ratios that `bench/ops --part curves` prints, over the size: ops_curves.py FILE... >picture.svg, a row for each file.
"""

import math
import re
import sys

WIDTH, HEIGHT, LEFT, TOP, GAP, ROW = 190, 150, 52, 46, 26, 66
OPERATIONS = ["add", "sum", "scan", "select", "sort"]
COLOURS = {1: "#c2410c", 2: "#0f766e", 4: "#1d4ed8", 8: "#7e22ce"}
BYTES = {"u8": 1, "u16": 2, "u32": 4, "f32": 4, "u64": 8, "f64": 8}
LOW, HIGH, FIRST, LAST = 0.25, 4.0, 10, 28
MIDDLE = 'text-anchor="middle"'


def read(path):
    """The file's backend, and {(operation, bytes): [(exponent, ratio)]}."""
    curves, backend = {}, ""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            found = re.match(r"(\w+)\.([a-z]+)_([uf]\d+)_(\d+)\.ratio (\S+)", line)
            if found and found[2] in OPERATIONS:
                backend = found[1]
                curves.setdefault((found[2], BYTES[found[3]]), []).append((int(found[4]), float(found[5])))
    return backend, curves


def x_of(exponent):
    return (exponent - FIRST) / (LAST - FIRST) * WIDTH


def y_of(ratio):
    ratio = min(max(ratio, LOW), HIGH)
    return HEIGHT * (1 - math.log(ratio / LOW) / math.log(HIGH / LOW))


def text(x, y, words, extra=""):
    return f'<text x="{x:.0f}" y="{y:.0f}" {extra}>{words}</text>'


def panel(operation, curves):
    parts = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#9ca3af"/>']
    for ratio in (0.25, 0.5, 1, 2, 4):
        y = y_of(ratio)
        parts.append(f'<line x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="{"#111827" if ratio == 1 else "#e5e7eb"}"/>')
        if operation == OPERATIONS[0]:
            parts.append(text(-6, y + 4, ratio, 'text-anchor="end"'))
    if operation == OPERATIONS[0]:
        parts.append(f'<g transform="translate(-38,{HEIGHT / 2:.0f}) rotate(-90)">{text(0, 0, "time / CUB&#8217;s", MIDDLE)}</g>')
    parts.append(text(WIDTH / 2, HEIGHT + 32, "elements", MIDDLE))
    for exponent in (10, 16, 22, 28):
        parts.append(text(x_of(exponent), HEIGHT + 16, f"2<tspan dy=\"-4\" font-size=\"8\">{exponent}</tspan>", MIDDLE))
    for size, colour in COLOURS.items():
        points = " ".join(f"{x_of(e):.1f},{y_of(r):.1f}" for e, r in sorted(curves.get((operation, size), [])))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
    return parts


def main():
    files = [read(path) for path in sys.argv[1:]]
    width = LEFT + len(OPERATIONS) * (WIDTH + GAP)
    height = TOP + len(files) * (HEIGHT + ROW) + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           text(LEFT, 18, "Time of Yoke as a ratio to CUB's (add: to a copy of as many bytes), over the number of elements; below 1 Yoke is "
                "quicker", 'font-weight="bold"')]
    for i, (size, colour) in enumerate(COLOURS.items()):
        x = LEFT + i * 160
        out.append(f'<line x1="{x}" x2="{x + 22}" y1="32" y2="32" stroke="{colour}" stroke-width="3"/>')
        out.append(text(x + 28, 36, f"{size} byte{'s' if size > 1 else ''} an element"))
    for row, (backend, curves) in enumerate(files):
        for column, operation in enumerate(OPERATIONS):
            x, y = LEFT + column * (WIDTH + GAP), TOP + 24 + row * (HEIGHT + ROW)
            out.append(f'<g transform="translate({x},{y})">')
            out.append(text(0, -6, f"{operation}, {'CUDA' if backend == 'cuda' else 'OpenCL'}"))
            out += panel(operation, curves) + ["</g>"]
    print("\n".join(out + ["</svg>"]))


if __name__ == "__main__":
    main()
