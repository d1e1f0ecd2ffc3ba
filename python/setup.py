# SPDX-License-Identifier: Apache-2.0
"""
Build of the package: libyoke and libyoke-ops by their own configure, the extension modules over them by Cython with the stable ABI
of Python 3.11, and both libraries into the package, found by a relative rpath. A free-threaded interpreter has no stable ABI: the
modules are built for that version alone.

The program `yoke` goes into the package, too, for python -m yoke.

YOKE_BUILD names a folder in which `configure && make` has already been run; without it, the libraries are built below build/.
"""

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LIBRARIES = ("libyoke.so.0", "libyoke-ops.so.0")
STABLE = not sysconfig.get_config_var("Py_GIL_DISABLED")


def run(*command, **options):
    print("yoke:", " ".join(map(str, command)), flush=True)
    subprocess.run([str(word) for word in command], check=True, **options)


def build_libraries(folder: Path) -> Path:
    """Configure and make both libraries out of tree; the folder with them. A second call only asks make."""
    ready = os.environ.get("YOKE_BUILD")
    if ready:
        return Path(ready).resolve()
    if not (ROOT / "configure.ac").exists():
        raise SystemExit(f"yoke: {ROOT} is not a clone of Yoke: the package is built from the folder python/ of a clone")
    if not (ROOT / "configure").exists():
        run("autoreconf", "-fi", cwd=ROOT)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "Makefile").exists():
        run(ROOT / "configure", "--disable-static", "CFLAGS=" + os.environ.get("CFLAGS", "-O2"), cwd=folder)
    run("make", f"-j{os.cpu_count() or 1}", "libyoke.la", "libyoke-ops.la", cwd=folder)
    return folder


def build_program(folder: Path) -> Path | None:
    """The program `yoke`, linked so that it needs nothing but the C library; None: there is no static Jansson, say."""
    try:
        run("make", "python/yoke-tool", cwd=folder)
    except subprocess.CalledProcessError:
        print("yoke: the program yoke cannot be linked with libjansson.a, and is left out: python -m yoke looks for it in PATH")
        return None
    return folder / "python" / ".libs" / "yoke-tool"


def take(source: Path, copy: Path, rpath: str):
    """A library or program of the build, as the package has it."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.unlink(missing_ok=True)
    shutil.copy2(source.resolve(), copy)
    run("strip", "--strip-unneeded", copy)
    run("patchelf", "--set-rpath", rpath, copy)


# Flags of code objects, which the stable ABI does not define. Cython asks the module `inspect` for those that no macro defines, and
# imports it even if there are none: with all that it needs, that is more than half of the time of `import yoke`.
FLAGS = {"OPTIMIZED": 1, "NEWLOCALS": 2, "VARARGS": 4, "VARKEYWORDS": 8, "GENERATOR": 0x20, "COROUTINE": 0x80,
         "ASYNC_GENERATOR": 0x200}


INSPECT = 'PyImport_ImportModule("inspect")'


def spare_inspect(source: Path):
    """In Cython's code of one module, import `sys` for `inspect`: it is only asked for what no macro defines, and that is nothing.
    The code has one such import. With a version of Cython that has another number of them the build fails, because `import yoke`
    would be slow, and nobody would hear of it."""
    text = source.read_text(encoding="utf-8")
    spared = INSPECT.replace("inspect", "sys")
    if text.count(INSPECT) + text.count(spared) != 1:
        raise SystemExit(f"yoke: {source} has {INSPECT} {text.count(INSPECT)} times, and not once: this version of Cython asks for "
                         "the flags of code objects in another way than setup.py expects, and importing yoke would be slow")
    source.write_text(text.replace(INSPECT, spared), encoding="utf-8")


class Build(build_ext):
    """The libraries first; the modules, which are compiled side by side, are linked against them and find them in their parent."""

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extension(self, extension):
        if STABLE:
            for source in extension.sources:
                spare_inspect(HERE / source)
        super().build_extension(extension)

    def run(self):
        made = build_libraries(Path(self.build_temp).resolve() / "libyoke")
        target = HERE / "yoke" if self.inplace else Path(self.build_lib) / "yoke"
        for name in LIBRARIES:
            take(made / ".libs" / name, target / name, "$ORIGIN")
        program = build_program(made)
        if program:
            take(program, target / "bin" / "yoke", "$ORIGIN/..")
        for extension in self.extensions:
            extension.extra_link_args += [str(target.resolve() / name) for name in LIBRARIES]
        super().run()
        for extension in self.extensions:  # some interpreters add folders of their own
            run("patchelf", "--set-rpath", "$ORIGIN/..", self.get_ext_fullpath(extension.name))


CORE = Path("yoke/_core")
# Where the ABI is not the stable one, types are static unless this asks for specs, and their `__module__` cannot be set.
MACROS = ([("Py_LIMITED_API", "0x030b0000"), *((f"CO_{name}", str(bit)) for name, bit in FLAGS.items())] if STABLE
          else [("CYTHON_USE_TYPE_SPECS", "1")])

# What launches and operators pass through. In other modules the time is the interpreter's and the driver's, and -O1 compiles in two
# thirds of the time.
OFTEN = {"alike", "array", "dtype", "errors", "expression", "kernel", "memory", "operators", "stream"}


def module(source: Path) -> Extension:
    return Extension(
        ".".join(source.with_suffix("").parts),
        [str(source)],
        include_dirs=[str(ROOT / "include"), str(ROOT)],  # and api/dtypes.h
        define_macros=MACROS,
        extra_compile_args=[*([] if "CFLAGS" in os.environ else ["-O2" if source.stem in OFTEN else "-O1"]), "-g0",
                            "-fvisibility=hidden"],
        extra_link_args=["-Wl,--as-needed", "-Wl,-rpath,$ORIGIN/.."],
        py_limited_api=STABLE,
        depends=[str(path) for folder in ("include/yoke", "api") for path in (ROOT / folder).iterdir()],  # cythonize adds the .pxd
    )


setup(
    ext_modules=cythonize(
        [module(source.relative_to(HERE)) for source in sorted((HERE / CORE).glob("*.pyx"))],
        nthreads=os.cpu_count(),
        language_level=3,
        # Methods are the interpreter's own method descriptors, which check the type of `self`; Cython's functions, by binding, do
        # not.
        compiler_directives={"binding": False, "embedsignature": True, "embedsignature.format": "clinic", "nonecheck": True},
    ),
    cmdclass={"build_ext": Build},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE else {},
)
