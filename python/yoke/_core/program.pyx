# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Programs: from texts, files and compiled code; the check of structs.

import os

cimport cython
from libc.string cimport memset

from .c_python cimport PyByteArray_AsString, PyBytes_AsString
from .c_yoke cimport *
from .errors cimport c_text, check, shown, text_of
from .device cimport Device
from .memory cimport Buffer, hold, Kept
from .event cimport Event


class Source:
    """The source of a program.

    cuda, opencl: the texts for each language; text: one text for both (yoke/kernel.h has words for such texts). cuda_file,
    opencl_file, text_file: files instead. name: for messages. defines: {"NAME": value} or ["NAME=VALUE"]; cuda_defines,
    opencl_defines: for one language. math: "exact" or "fast". headers: {"name.h": text}, found by #include. include_folders:
    absolute paths. name_expressions: templates, as "scale<float>". cuda_std, opencl_std: the languages' versions, as "20" and
    "2.0" (None: "17" and "1.2"). cuda_options, opencl_options: more options for one compiler. debug: line information for
    debuggers and profilers. compiled: a list of bytes of Program.save, compile or `yoke cc`; the first that suits the device is
    loaded, and a text is needed only where none does.
    """

    __module__ = "yoke"

    def __init__(self, text=None, *, cuda=None, opencl=None, cuda_file=None, opencl_file=None, text_file=None, name=None,
                 defines=(), cuda_defines=(), opencl_defines=(), math="default", headers=None, include_folders=(),
                 name_expressions=(), cuda_std=None, opencl_std=None, cuda_options=(), opencl_options=(), debug=False,
                 compiled=()):
        if math not in ("default", "exact", "fast"):
            raise ValueError(f"math is 'default', 'exact' or 'fast', not {shown(math)}")
        if isinstance(compiled, (bytes, bytearray, memoryview)):
            raise TypeError("compiled is a list of bytes")
        self.text, self.cuda, self.opencl, self.name, self.math = text, cuda, opencl, name, math
        self.cuda_file, self.opencl_file, self.text_file = cuda_file, opencl_file, text_file
        self.defines, self.headers = define_list(defines), dict(headers or {})
        self.cuda_defines, self.opencl_defines = define_list(cuda_defines), define_list(opencl_defines)
        self.cuda_std, self.opencl_std, self.debug, self.compiled = cuda_std, opencl_std, bool(debug), list(compiled)
        self.include_folders, self.name_expressions = list(include_folders), list(name_expressions)
        self.cuda_options, self.opencl_options = list(cuda_options), list(opencl_options)

    @classmethod
    def builtin(cls, name):
        """The source of a built-in kernel of Yoke, as "saxpy"."""
        cdef yoke_source source
        cdef bytes text = c_text(name, "name")
        memset(&source, 0, sizeof(source))
        check(yoke_source_builtin(text, &source))
        return cls(name=name, cuda=None if source.cuda == NULL else text_of(source.cuda),
                   opencl=None if source.opencl == NULL else text_of(source.opencl), math="exact",
                   text=None if source.text == NULL else text_of(source.text))

    def compile(self, architecture, *, bare=False):
        """The CUDA text, compiled without a device for an architecture, as "sm_90" or "compute_90" (PTX): bytes for device.load and
        `compiled`. bare: the compiler's own file, a cubin or PTX. UnsupportedError lists the architectures that the compiler knows;
        UnavailableError: there is no NVRTC."""
        cdef yoke_source native
        cdef Strings strings = Strings()
        cdef bytes name = str(architecture).encode()
        cdef const char *label = name
        cdef uint32_t flags = YOKE_COMPILE_BARE if bare else 0
        cdef size_t size = 0, room = 0
        cdef bytearray memory = bytearray()
        cdef char *target = NULL
        cdef yoke_status status

        strings.fill(&native, self)
        while True:
            with nogil:
                status = yoke_source_compile(&native, label, flags, target, room, &size)
            check(status)
            if size <= room:
                return bytes(memory[:size])
            memory, room = bytearray(size), size
            target = PyByteArray_AsString(memory)

    def __repr__(self):
        texts = [word for word in ("text", "cuda", "opencl", "text_file", "cuda_file", "opencl_file", "compiled")
                 if getattr(self, word)]
        return f"<yoke.Source {self.name + ' ' if self.name else ''}({', '.join(texts) or 'empty'})>"


cdef list define_list(defines):
    """Defines as C has them, ["NAME=VALUE"], of a dict or a list."""
    if isinstance(defines, str):
        raise TypeError(f"defines are a dict or a list of strings, not the string {shown(defines)}")
    if isinstance(defines, dict):
        return [name if value is None or value is True else f"{name}={value}" for name, value in defines.items()]
    return list(defines)


cdef class Strings:
    """C strings, and NULL-terminated lists of them, that live as long as this object."""

    cdef list kept

    def __cinit__(self):
        self.kept = []

    cdef const char *one(self, value) except? NULL:
        if value is None:
            return NULL
        data = value if isinstance(value, bytes) else str(value).encode()
        if b"\0" in data:
            raise ValueError("a text of a source has a NUL byte")
        self.kept.append(data)
        return PyBytes_AsString(data)

    cdef const char **many(self, values) except? NULL:
        if not values:
            return NULL
        if isinstance(values, str):
            raise TypeError(f"a list of strings is wanted, not the string {shown(values)}")
        values = list(values)  # whose length nobody changes meanwhile
        room = bytearray((len(values) + 1) * sizeof(char *))
        self.kept.append(room)
        cdef const char **list_ = <const char **><void *>PyByteArray_AsString(room)
        for i, value in enumerate(values):
            list_[i] = self.one(value)
        return list_

    cdef int fill(self, yoke_source *out, source) except -1:
        cdef yoke_header *headers
        cdef yoke_code *codes
        memset(out, 0, sizeof(yoke_source))
        out.size = sizeof(yoke_source)
        out.name = self.one(source.name)
        out.cuda, out.opencl, out.text = self.one(source.cuda), self.one(source.opencl), self.one(source.text)
        out.cuda_file, out.opencl_file, out.text_file = (self.one(path(source.cuda_file)), self.one(path(source.opencl_file)),
                                                         self.one(path(source.text_file)))
        out.defines = self.many(source.defines)
        out.cuda_defines, out.opencl_defines = self.many(source.cuda_defines), self.many(source.opencl_defines)
        out.cuda_std, out.opencl_std = self.one(source.cuda_std), self.one(source.opencl_std)
        out.flags = YOKE_BUILD_DEBUG if source.debug else 0
        out.math = (YOKE_MATH_FAST if source.math == "fast" else YOKE_MATH_EXACT if source.math == "exact"
                    else YOKE_MATH_DEFAULT)
        out.include_folders = self.many([path(folder) for folder in source.include_folders])
        out.name_expressions = self.many(source.name_expressions)
        out.cuda_options, out.opencl_options = self.many(source.cuda_options), self.many(source.opencl_options)
        if source.headers:
            texts = list(source.headers.items())
            room = bytearray((len(texts) + 1) * sizeof(yoke_header))
            self.kept.append(room)
            headers = <yoke_header *>PyByteArray_AsString(room)
            for i, (name, text) in enumerate(texts):
                headers[i].name, headers[i].text = self.one(name), self.one(text)
            out.headers = headers
        if source.compiled:
            compiled = [bytes(code) for code in source.compiled]
            self.kept.append(compiled)
            room = bytearray((len(compiled) + 1) * sizeof(yoke_code))
            self.kept.append(room)
            codes = <yoke_code *>PyByteArray_AsString(room)
            for i, code in enumerate(compiled):
                codes[i].bytes, codes[i].size = PyBytes_AsString(code), len(code)
            out.compiled = codes
        return 0


cdef object path(value):
    return None if value is None else os.fsencode(value)


cdef object as_source(source, dict texts):
    if source is None or isinstance(source, str):
        return Source(source, **texts)
    if texts:
        raise TypeError("either a Source or texts by their names, not both")
    if not isinstance(source, Source):
        raise TypeError(f"a text or a Source is wanted, not {type(source).__name__}")
    return source


@cython.final
cdef class Program:
    """Program(device, source=None, **texts)\n--\n\n\
    Compiled code, made by device.build or device.load. program["saxpy"] is a Kernel; iterating gives the kernels' names. The
    build blocks; other threads run meanwhile. BuildError has the compiler's log, and so has `log`."""

    def __cinit__(self, Device device not None, source=None, **texts):
        cdef yoke_source native
        cdef Strings strings
        cdef yoke_device *ptr
        cdef yoke_status status

        self.device, self.kernels = device, {}
        if source is None and not texts:
            return  # for load_program
        strings = Strings()
        strings.fill(&native, as_source(source, texts))
        ptr = yoke_device_retain(device.ptr)  # another thread may close the device meanwhile
        with nogil:
            status = yoke_program_build(ptr, &native, &self.ptr)
            yoke_device_release(ptr)
        check(status)

    @cython.embedsignature(False)  # which the class's text has in the form that inspect reads
    def __init__(self, device, source=None, **texts):
        if self.ptr == NULL:
            raise TypeError("a program needs a source: a text, Source(…), or cuda=… and opencl=…")

    def __dealloc__(self):
        cdef yoke_program *ptr = self.ptr
        if ptr != NULL:
            with nogil:
                yoke_program_release(ptr)

    def __getattr__(self, name):
        raise AttributeError(f"a Program has no attribute {shown(name)}; a kernel is program[{shown(name)}]")

    @property
    def log(self):
        """The compiler's log."""
        cdef const char *text
        with nogil:
            text = yoke_program_get_log(self.ptr)
        return text_of(text)

    def kernel(self, name):
        """The Kernel of this name. NotFoundError lists the program's kernels and the nearest name."""
        kernel = self.kernels.get(name)
        if kernel is None:
            from .kernel import Kernel

            kernel = self.kernels.setdefault(name, Kernel(self, name))
        return kernel

    def __getitem__(self, name):
        return self.kernel(name)

    def __iter__(self):
        return iter([text_of(yoke_program_get_kernel_name(self.ptr, i)) for i in range(len(self))])

    def __len__(self):
        return yoke_program_get_kernel_count(self.ptr)

    def __contains__(self, name):
        return name in list(self)

    def variable(self, name):
        """A variable of the program, __device__ or __constant__, as a Buffer. UnsupportedError on OpenCL."""
        cdef Buffer buffer = Buffer.__new__(Buffer, self.device)
        cdef bytes text = c_text(name, "name")
        cdef const char *label = text
        cdef yoke_status status
        with nogil:
            status = yoke_program_get_global(self.ptr, label, &buffer.ptr)
        check(status)
        return buffer

    def save(self):
        """The program as bytes for device.load, for this device and driver. UnsupportedError where the driver gives none."""
        cdef size_t size = 0
        cdef bytearray room
        cdef char *target
        cdef yoke_status status
        with nogil:
            status = yoke_program_save(self.ptr, NULL, 0, &size)
        check(status)
        room = bytearray(size)
        target = PyByteArray_AsString(room)
        with nogil:
            status = yoke_program_save(self.ptr, target, size, &size)
        check(status)
        return bytes(room)

    def __repr__(self):
        return f"<yoke.Program {', '.join(self) or 'without kernels'} on {self.device.info.selector}>"


def start_build(Device device not None, source, dict texts not None):
    """A Program that one of Yoke's threads compiles, and the Event that is complete when it has; for aio.build."""
    cdef Program program = Program.__new__(Program, device)
    cdef Event event = Event.__new__(Event)
    cdef Strings strings = Strings()
    cdef yoke_source native
    cdef yoke_device *ptr
    cdef yoke_status status

    strings.fill(&native, as_source(source, texts))
    ptr = yoke_device_retain(device.ptr)
    with nogil:
        status = yoke_program_build_async(ptr, &native, &program.ptr, &event.ptr)
        yoke_device_release(ptr)
    check(status)
    return program, event


def load_program(Device device not None, binary, name):
    """Device.load."""
    cdef Program program = Program.__new__(Program, device)
    cdef Kept kept
    cdef bytes label = None if name is None else c_text(name, "name")
    cdef const char *text
    cdef yoke_device *ptr
    cdef yoke_status status

    if isinstance(binary, (str, os.PathLike)):
        label = label or os.fsencode(os.path.basename(binary))
        with open(binary, "rb") as file:
            binary = file.read()
    kept = hold(binary, False)
    text = NULL if label is None else <const char *>label
    ptr = yoke_device_retain(device.ptr)
    with nogil:
        status = yoke_program_load(ptr, text, kept.view.buf, kept.view.len, &program.ptr)
        yoke_device_release(ptr)
    check(status)
    return program


def check_struct(Device device not None, source, name, dtype):
    """Device.check_struct."""
    import numpy

    cdef yoke_source native
    cdef yoke_field fields[64]
    cdef Strings strings = Strings()
    cdef bytes text = c_text(name, "name")
    cdef const char *label = text
    cdef size_t count, size
    cdef yoke_device *ptr
    cdef yoke_status status

    dtype = numpy.dtype(dtype)
    if not dtype.names or len(dtype.names) > 64:
        raise TypeError(f"a structured dtype with 1 to 64 fields is wanted, not {dtype}")
    strings.fill(&native, as_source(source, {}))
    for i, field in enumerate(dtype.names):
        fields[i].name = strings.one(field)
        fields[i].offset = dtype.fields[field][1]
        fields[i].size = dtype.fields[field][0].itemsize
    count, size = len(dtype.names), dtype.itemsize
    ptr = yoke_device_retain(device.ptr)
    with nogil:
        status = yoke_struct_check(ptr, &native, label, size, fields, count)
        yoke_device_release(ptr)
    check(status)
