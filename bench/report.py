#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Measures the tables of the guide's figures on this machine, and prints them as Markdown, with what else the machine had to do and
which figures not to trust. What a table needs and this machine lacks is a dash.

Usage: report.py [--build DIR] [--figures FILE] [--keep FILE] [--into PAGE] [TABLE...]

--build    the folder of a build, in which `make` has been run; the one in which this is run unless told
--figures  measure nothing, and read what an earlier run has kept
--keep     where all figures go, as lines "name value unit", with the remarks of the programs
--into     write each table into this page, too, in the place of the one behind the line <!-- table: NAME -->

Without names of tables it is all of them; --help lists them. A table is rows of labels and names of figures, and a pattern for each
column, in which % stands for the row's name: {a|b} is the first figure of the two that is there.
"""

import argparse
import datetime
import itertools
import os
import pathlib
import platform
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BESIDE_DRIVER = ["{cuda.%.yoke}", "{cuda.%.raw}", "{opencl.%.yoke}", "{opencl.%.raw}"]
ANY = "{{cuda.%.{0}|opencl.%.{0}}}".format
BESIDE_PEER = [ANY("yoke"), ANY("raw"), "{cuda.%.ratio}", "{opencl.%.ratio}"]
RUNTIME = ["bench/overhead", "bench/hostcall", "bench/alloc", "bench/transfer", "bench/graph"]
PEERS = "python/bench/peers.py"
DOUBT = "do not trust the figure"  # the end of a benchmark's remark on one

# {name: (programs, head, patterns of the columns, [(label, name of the row)])}
TABLES = {
    "driver": (RUNTIME, "| | Yoke on CUDA | CUDA's driver | Yoke on OpenCL | OpenCL's driver |", BESIDE_DRIVER, [
        ("launch, the call alone", "launch"),
        ("launch and wait", "launch_wait"),
        ("kernel, host function, kernel, wait", "kernel_function_kernel_wait"),
        ("each of 1,000 pairs of kernel and host function", "pair"),
        ("64 streams, each with a host function that sleeps 10 ms", "64_streams_sleep_10ms"),
        ("create and release 1 MiB", "alloc_free_plain_1m"),
        ("copy 256 MiB to the device, page-locked memory", "pinned_write_256m"),
        ("copy 256 MiB to the device, pageable memory", "pageable_write_256m"),
        ("copy 256 MiB from the device, pageable memory", "pageable_read_256m"),
        ("one of 100 small kernels in a graph", "graph_100_per_kernel"),
        ("two kernels and a wait with `YOKE_WAIT_BLOCK`", "kernel_kernel_wait_block"),
    ]),
    "starting": (["bench/startup"], "| a process, to the end of its first kernel | Yoke on CUDA | CUDA's driver | Yoke on OpenCL | "
                 "OpenCL's driver |", BESIDE_DRIVER, [
        ("with empty caches", "cold"),
        ("with full caches", "warm"),
        ("with an image that is ready", "image"),
    ]),
    "operations": (["bench/ops"], "| | Yoke | peer | ratio, CUDA | ratio, OpenCL |", BESIDE_PEER, [
        ("add, 2^26 `float`", "add_f32_26"),
        ("`y = a * x + y` as an expression, 2^26", "axpy_f32_26"),
        ("sum, `float`", "sum_f32_28"),
        ("largest", "max_f32_28"),
        ("position of the largest", "argmax_f32_28"),
        ("inclusive scan", "scan_f32_28"),
        ("select by an expression, half kept", "select_f32_28"),
        ("select by flags, half kept", "select_flags_f32_28"),
        ("sort of `uint32`, with a copy on both sides", "sort_u32_28"),
        ("sort of pairs, 2^27, the same", "sort_pairs_u32_27"),
        ("histogram of bytes", "histogram_u8_u8_28"),
        ("histogram of `uint32`, 256 bins", "histogram_u32_u32_28"),
        ("normal `float`s", "random_normal_f32_28"),
        ("Fourier transform, 2^26 complex `float`", "fft_c64_26"),
        ("transforms of 512, 2^26 in all", "fft_rows_c64_26"),
        ("Gaussian blur, sigma 3, 4096 x 4096", "gaussian_f32_24"),
        ("softmax of rows, 4096 x 4096", "softmax_f32_24"),
        ("the same as four operations", "softmax_steps_f32_24"),
        ("correlation with 3 x 3 weights, 8192 x 8192", "correlate_3_f32_26"),
        ("with 5 x 5 weights", "correlate_5_f32_26"),
        ("with 7 x 7 weights", "correlate_7_f32_26"),
        ("median of 3 x 3, 8192 x 8192", "median_3_f32_26"),
    ]),
    "small": (["bench/ops --part small", "bench/ops --part call"], "| 1,000 elements | Yoke on CUDA | more than a launch | "
              "Yoke on OpenCL | more than a launch |", ["{cuda.%.yoke}", "{cuda.%.above}", "{opencl.%.yoke}", "{opencl.%.above}"], [
        ("add, many and one wait", "small_add_f32_1000"),
        ("sum, the same", "small_sum_f32_1000"),
        ("add, each waited for", "small_add_wait_f32_1000"),
        ("sum, the same", "small_sum_wait_f32_1000"),
        ("add, the call alone", "call_add_f32_1000"),
        ("sum, the same", "call_sum_f32_1000"),
        ("an expression, the same", "call_expression_f32_1000"),
    ]),
    "products": (["bench/matmul"], "| | Yoke | peer | ratio, CUDA | ratio, OpenCL |", BESIDE_PEER, [
        *[(f"`float`, {n}", f"matmul_f32_{n}") for n in (512, 1000, 1024, 2048, 4096, 8192)],
        ("matrix and vector, 8192", "matmul_f32_vector"),
        ("4,096 products of 32", "matmul_f32_batch"),
        *[(f"`double`, {n}", f"matmul_f64_{n}") for n in (512, 2048, 4096)],
        *[(f"half to `float`, {n}", f"matmul_f16_{n}") for n in (512, 2048, 4096)],
        ("`float`, 4096, as a product is by default", "matmul_default_f32_4096"),
        ("the same, the call alone", "matmul_default_call_f32_4096"),
    ]),
    "programs": (["bench/seeds_cupy.py"], "| | Yoke | CuPy | ratio, CUDA | ratio, OpenCL |", [
        ANY("yoke"), ANY("cupy"), "{cuda.%.ratio}", "{opencl.%.ratio}"], [
        ("product of 4096 x 4096", "seeds_product_4096"),
        ("product of 1024 x 1024, from and to host arrays", "seeds_product_1024_host"),
        ("the same by the simplest kernel", "seeds_product_1024_naive_host"),
        ("blur of 4096 x 4096", "seeds_gaussian_4096"),
        ("blur of 4096 x 4096, from and to host arrays", "seeds_gaussian_4096_host"),
        ("`2 * a + b`, 4096 x 4096", "seeds_arithmetic_4096"),
        ("sum of two ranges of 100,000, to a host array", "seeds_ranges_100000_host"),
    ]),
    "python": ([PEERS], "| | Yoke on CUDA | on OpenCL | in C, CUDA | in C, OpenCL | CuPy | PyTorch |", [
        "{%.yoke.cuda}", "{%.yoke.opencl}", "{%.yoke.cuda.c}", "{%.yoke.opencl.c}", "{%.cupy}", "{%.torch}"], [
        ("launch with three arguments", "launch"),
        ("`a + b`, 1,000 `float`s, the call alone", "add"),
        ("kernel, Python function, kernel, wait", "kernel_function_kernel"),
        ("64 streams, each with a function that sleeps 10 ms", "64_streams_sleep_10ms"),
        ("`await` of a finished event", "await_finished"),
    ]),
    "python_start": ([PEERS], "| a process | Yoke on CUDA | on OpenCL | CuPy | PyTorch |", [
        "{start.cuda.%.yoke}", "{start.opencl.%.yoke}", "{start.cuda.%.cupy}", "{start.cuda.%.torch}"], [
        ("import", "import"),
        ("with a kernel's first result, warm cache", "first"),
        ("with an array's first result, `(ones(1000) + 1)`", "first_array"),
    ]),
    "kernels": (["cuda python/bench/kernels.py", "opencl python/bench/kernels.py"],
                "| a kernel in Python | CUDA | of a text's time | OpenCL | of a text's time |",
                ["{cuda.%.python}", "{cuda.%.ratio}", "{opencl.%.python}", "{opencl.%.ratio}"], [
        (name, name) for name in ("saxpy", "product", "reduction", "histogram", "stencil", "nbody", "mandelbrot", "black_scholes",
                                  "scan", "heat")
    ]),
}


def command_of(program, build):
    """What to run for a program of TABLES; None, and why, where this machine cannot."""
    name, *options = program.split()
    if name.startswith("python/"):
        return [sys.executable, str(HERE.parent / name), *(["--build", str(build)] if name == PEERS else [])], None
    if name == "bench/seeds_cupy.py":
        return [sys.executable, str(HERE / "seeds_cupy.py"), str(build / "bench/seeds")], None
    if not (build / name).exists():
        return None, f"{build / name} is not there: make {name}"
    return [str(build / name), *options], None


def measure(programs, build):
    """The lines that they print, figures and remarks, each program once."""
    for program in programs:
        # A program that measures one backend is named behind it, and so are its figures.
        backend = program.split()[0] if program.startswith(("cuda ", "opencl ")) else ""
        command, why = command_of(program.removeprefix(backend), build)
        print(f"{program}: {'measuring' if command else why}", file=sys.stderr, flush=True)
        if not command:
            yield f"# {why}"
            continue
        environment = {**os.environ, "YOKE_BACKEND": backend} if backend else None
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as running:
            for line in running.stdout:
                line = line.rstrip("\n")
                yield f"{backend}.{line}" if backend and not line.startswith("#") else line
        if running.returncode != 0:
            yield f"# {program} ended with {running.returncode}"


def kept(lines, path):
    """The lines, each of which is in the file as soon as it is measured: whoever stops a long run has what it has measured."""
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            print(line, file=file, flush=True)
            yield line


def read(lines):
    """{name: (value, unit)}, and the remarks."""
    figures, remarks = {}, []
    for line in lines:
        found = re.fullmatch(r"([\w.,:/]+) (-?[\d.e+-]+|inf|nan) (\S+)", line)
        if found and found[1] not in figures:
            figures[found[1]] = (float(found[2]), found[3])
        elif line.startswith("#") and line not in remarks:
            remarks.append(line)
    return figures, remarks


def words_of(value, unit):
    """As pages write it: 3 figures, and a unit in which there are no thousands."""
    if unit.startswith("of_"):
        return f"{value:.2f}"
    for small, large in (("ns", "us"), ("us", "ms"), ("GFLOP/s", "TFLOP/s")):
        if unit == small and abs(value) >= 1000:
            value, unit = value / 1000, large
    digits = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{digits} {unit.replace('us', 'µs')}"


def cell(pattern, row, figures, remarks):
    def figure(found):
        name = next((name for name in found[1].replace("%", row).split("|") if name in figures), None)
        if name is None:
            return "–"
        doubted = any(remark.startswith(f"# {name}: ") for remark in remarks)
        return words_of(*figures[name]) + (" (?)" if doubted else "")

    return re.sub(r"\{([^}]*)\}", figure, pattern)


def table(name, figures, remarks):
    """Its lines; None where nothing of it is there."""
    _, head, patterns, rows = TABLES[name]
    lines = [[label, *[cell(pattern, row, figures, remarks) for pattern in patterns]] for label, row in rows]
    if all(each == "–" for line in lines for each in line[1:]):
        return None
    return [head, "|" + "---|" * (1 + len(patterns)), *["| " + " | ".join(line) + " |" for line in lines]]


def put(page, name, lines):
    """Into the page, where its line for the table is."""
    text = page.read_text(encoding="utf-8")
    place = re.compile(rf"(<!-- table: {name} -->\n\n?)(\|[^\n]*\n)+")
    if place.search(text):
        page.write_text(place.sub(lambda found: found[1] + "\n".join(lines) + "\n", text), encoding="utf-8")


def machine():
    load = os.getloadavg()[0]
    cores = os.cpu_count() or 1
    return (f"{platform.machine()}, {cores} cores, load {load:.2f} before the first program"
            f"{': it is busy, so trust no figure' if load > cores / 4 else ''}, {datetime.date.today()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="Tables: " + " ".join(TABLES))
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path.cwd())
    parser.add_argument("--figures", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--into", type=pathlib.Path, action="append", default=[])
    parser.add_argument("tables", metavar="TABLE", nargs="*")
    options = parser.parse_args()
    names = options.tables or list(TABLES)
    for name in names:
        if name not in TABLES:
            parser.error(f"there is no table {name}; there are {' '.join(TABLES)}")
    if options.figures and options.keep:
        parser.error("--keep is where figures go that are measured, and --figures measures none")
    if options.figures:
        lines = options.figures.read_text(encoding="utf-8").splitlines()
    else:
        programs = dict.fromkeys(program for name in names for program in TABLES[name][0])
        measured = itertools.chain([f"# {machine()}"], measure(programs, options.build))
        lines = list(kept(measured, options.keep) if options.keep else measured)
    figures, remarks = read(lines)
    for name in names:
        made = table(name, figures, remarks)
        print(f"## {name}\n")
        print("\n".join(made) if made else "This machine lacks what all of it needs.", end="\n\n")
        for page in options.into if made else ():
            put(page, name, made)
    print("## What to doubt\n")
    print("- (?): half of the figure's batches are further apart than a quarter of their median")
    print("\n".join(remark.replace("#", "-", 1) for remark in remarks if not remark.endswith(DOUBT)))
    return 0 if figures else 1


if __name__ == "__main__":
    sys.exit(main())
