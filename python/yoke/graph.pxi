# SPDX-License-Identifier: Apache-2.0
# Graphs: work that is recorded once and launched many times.

@cython.final
cdef class Graph:
    """Recorded work, made by `with stream.record() as graph:`. len(graph) is the number of its nodes."""

    cdef yoke_graph *ptr
    cdef readonly Device device
    cdef list kept    # host memory and Python functions that its nodes use
    cdef list raised  # where its host functions leave their exceptions
    cdef object __weakref__

    def __cinit__(self, Device device not None, name=None):
        cdef bytes label = None if name is None else str(name).encode()
        self.device, self.kept, self.raised = device, [], []
        check(yoke_graph_create(device.ptr, NULL if label is None else <const char *>label, &self.ptr))

    def __dealloc__(self):
        cdef yoke_graph *ptr = self.ptr
        if ptr != NULL:
            with nogil:
                yoke_graph_release(ptr)

    def launch(self, Stream stream not None):
        """Launch the graph as one operation of the stream."""
        cdef const char *where = here()
        cdef yoke_status status

        with nogil:
            status = yoke_graph_launch_at(where, stream.ptr, self.ptr)
        check(status)
        if self.kept:  # the last launch may outlive the graph's last reference
            keep_until_done(stream, [Kept.__new__(Kept), *self.kept])

    def __len__(self):
        return yoke_graph_get_size(self.ptr)

    def describe(self, format="text"):
        """The graph as text, a line for each node; format "dot": for Graphviz."""
        if format not in ("text", "dot"):
            raise ValueError(f"format is 'text' or 'dot', not {format!r}")
        return text_of(yoke_graph_describe(self.ptr, YOKE_GRAPH_DOT if format == "dot" else YOKE_GRAPH_TEXT))

    def __repr__(self):
        return f"<yoke.Graph of {len(self)} nodes on {self.device.info.selector}>"


@cython.final
cdef class Recording:
    """The context manager of stream.record(): gives the graph. Where the block raises, the recording ends, too."""

    cdef Stream stream
    cdef Graph graph

    def __cinit__(self, Stream stream not None, Graph graph not None):
        self.stream, self.graph = stream, graph

    def __enter__(self):
        cdef yoke_status status
        with nogil:
            status = yoke_graph_begin(self.graph.ptr, self.stream.ptr)
        check(status)
        self.stream.graph = self.graph
        return self.graph

    def __exit__(self, kind, error, traceback):
        cdef yoke_status status
        self.stream.graph = None
        with nogil:
            status = yoke_graph_end(self.graph.ptr)
        if kind is None:
            check(status)
