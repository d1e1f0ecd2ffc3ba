/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events, streams, launches, host functions and graphs of <yoke/yoke.hpp>.
 */
#ifndef YOKE_HPP_STREAM_HPP
#define YOKE_HPP_STREAM_HPP

#include <chrono>

#include <yoke/graph.h>
#include <yoke/library.h>
#include <yoke/hpp/objects.hpp>

namespace yoke {

/* ---- Arguments ---------------------------------------------------------------------------------------------------------- */

/* The arguments of a launch: a buffer; a number or bool; a struct by value; and yoke_arg, which the functions below make, and
 * yoke_arg_local and yoke_arg_null of <yoke/args.h>. A kernel's float takes a float: 2.0f. */
inline yoke_arg arg(const raw_buffer &buffer)
{
    return yoke_arg_buffer(buffer.get());
}
template <typename T>
auto arg(const T &value) ->
    typename std::enable_if<std::is_arithmetic<T>::value || std::is_same<T, yoke_arg>::value, yoke_arg>::type
{
    return yoke_arg_of(value);
}
template <typename T>
auto arg(const T &value) ->
    typename std::enable_if<std::is_class<T>::value && !std::is_same<T, yoke_arg>::value &&
                                !std::is_base_of<raw_buffer, T>::value && !std::is_base_of<kernel, T>::value,
                            yoke_arg>::type
{
    static_assert(std::is_trivially_copyable<T>::value, "a struct is passed as its bytes; yoke::in, out and inout pass an array");
    return yoke_arg_struct(&value, sizeof value);
}

/* A host array that the launch copies to the device (in), back from it (out), or both; it has to outlive the launch. */
template <typename C> yoke_arg in(C &&container)
{
    YOKE_OUTLIVES(C);
    const auto elements = detail::to_span(container);
    return yoke_in(elements.data(), elements.size_bytes());
}
template <typename C> yoke_arg out(C &&container)
{
    YOKE_OUTLIVES(C);
    const auto elements = detail::to_span(container);
    return yoke_out(elements.data(), elements.size_bytes());
}
template <typename C> yoke_arg inout(C &&container)
{
    YOKE_OUTLIVES(C);
    const auto elements = detail::to_span(container);
    return yoke_inout(elements.data(), elements.size_bytes());
}

/* Blocks or threads in up to three dimensions: dim(8, 4). */
struct dim : yoke_dim {
    template <typename X, typename Y = uint32_t, typename Z = uint32_t>
    dim(X in_x, Y in_y = 1, Z in_z = 1)
        : yoke_dim{ static_cast<uint32_t>(in_x), static_cast<uint32_t>(in_y), static_cast<uint32_t>(in_z) }
    {
    }
};

/* What yoke_launch takes besides kernel and arguments: { grid, block } or { grid, block, shared_bytes }. */
struct launch_config {
    yoke_dim grid, block;
    size_t shared_bytes;
    launch_config(dim grid_, dim block_, size_t shared_bytes_ = 0) : grid(grid_), block(block_), shared_bytes(shared_bytes_)
    {
    }
};

/* ---- Events ------------------------------------------------------------------------------------------------------------- */

/* A point in a stream. Failures of the work before it are thrown. */
class event : public detail::owner<yoke_event, yoke_event_retain, yoke_event_release> {
  public:
    event() noexcept = default;
    using owner::owner;
    event retain() const noexcept
    {
        return event(another());
    }
    /* yoke_event_query: whether it is complete. */
    bool complete() const
    {
        return check(yoke_event_query(get())) == YOKE_OK;
    }
    void wait() const
    {
        check(yoke_event_wait(get()));
    }
    /* yoke_event_wait_for: false when the time has passed. */
    template <typename R, typename P> bool wait_for(std::chrono::duration<R, P> time) const
    {
        return check(yoke_event_wait_for(get(), nanoseconds(time))) == YOKE_OK;
    }
    /* yoke_native_wait_event: the queue of other code waits for the event; false when the driver does not have the event yet. */
    bool lead_native(void *queue) const
    {
        return check(yoke_native_wait_event(queue, get())) == YOKE_OK;
    }
    /* yoke_event_get_fd: readable when the event is complete; the caller closes it. */
    int fd() const
    {
        int fd;
        check(yoke_event_get_fd(get(), &fd));
        return fd;
    }
    /* yoke_event_on_complete: f() or f(status) is called once in any case, on one of Yoke's threads, and no stream waits for it. An
     * exception out of it ends the program, as in a std::thread. */
    template <typename F> void on_complete(F &&f) const
    {
        using stored = typename std::decay<F>::type;
        detail::keep(std::forward<F>(f), [this](void *user) {
            return yoke_event_on_complete(get(), detail::run_complete<stored>, user, detail::destroy<stored>);
        });
    }
    /* The time between two timed events that are complete. */
    static std::chrono::nanoseconds elapsed(const event &start, const event &end)
    {
        int64_t time;
        if (check(yoke_event_get_elapsed(start.get(), end.get(), &time)) != YOKE_OK)
            check(yoke_fail(YOKE_E_INVALID_ARGUMENT, "yoke::event::elapsed: an event is not complete: wait for it first"));
        return std::chrono::nanoseconds(time);
    }
    /* yoke_event_wait_any: the index of a complete event; events.size() when the time has passed. */
    template <typename C, typename R, typename P> static size_t wait_any(const C &events, std::chrono::duration<R, P> time)
    {
        std::vector<yoke_event *> all;
        size_t index;

        for (const event &one : events)
            all.push_back(one.get());
        check(yoke_event_wait_any(all.data(), all.size(), nanoseconds(time), &index));
        return index;
    }

  private:
    friend class program;

    /* Negative is now, and too long for 64 bits is forever. */
    template <typename R, typename P> static uint64_t nanoseconds(std::chrono::duration<R, P> time)
    {
        if (time <= time.zero())
            return 0;
        if (time >= std::chrono::duration_cast<std::chrono::duration<R, P>>(std::chrono::hours(24 * 365 * 200)))
            return YOKE_FOREVER;
        return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
    }
};

inline program program::build_async(const device &device, const source &source, event &done)
{
    program made;
    source.with([&](const yoke_source &c) {
        event finished;
        check(yoke_program_build_async(device.get(), &c, made.out(), finished.out()));
        done = std::move(finished);
    });
    return made;
}

class graph;

/* ---- Enqueueing --------------------------------------------------------------------------------------------------------- */

/* A stream that is not owned, and the place that messages name: what enqueues. Made by stream.at(YOKE_HERE), or of any
 * yoke_stream *. Each function is the C function of the same name. */
class stream_ref {
  public:
    explicit stream_ref(yoke_stream *stream, const char *where = nullptr) noexcept : stream_(stream), where_(where)
    {
    }
    yoke_stream *get() const noexcept
    {
        return stream_;
    }
    /* The same stream with a place: YOKE_HERE, or another string that lives as long as the program. */
    stream_ref at(const char *where) const noexcept
    {
        return stream_ref(stream_, where);
    }

    /* Copy all elements of a host array to a buffer, from an offset: in elements of a buffer<T>, in bytes of a raw_buffer. */
    template <typename B, typename C> bool write(const B &target, C &&source, size_t offset = 0) const
    {
        YOKE_OUTLIVES(C);
        const auto from = detail::to_span(source);
        return enqueued(yoke_write_at(where_, stream_, target.get(), scaled<B>(from, offset), from.data(), from.size_bytes()));
    }
    template <typename B, typename C> void write_sync(const B &target, const C &source, size_t offset = 0) const
    {
        const auto from = detail::to_span(source);
        check(yoke_write_sync_at(where_, stream_, target.get(), scaled<B>(from, offset), from.data(), from.size_bytes()));
    }
    /* Copy as many elements as a host array has from a buffer. */
    template <typename B, typename C> bool read(C &&target, const B &source, size_t offset = 0) const
    {
        YOKE_OUTLIVES(C);
        const auto to = detail::to_span(target);
        return enqueued(yoke_read_at(where_, stream_, to.data(), source.get(), scaled<B>(to, offset), to.size_bytes()));
    }
    template <typename B, typename C> void read_sync(C &&target, const B &source, size_t offset = 0) const
    {
        const auto to = detail::to_span(target);
        check(yoke_read_sync_at(where_, stream_, to.data(), source.get(), scaled<B>(to, offset), to.size_bytes()));
    }
    /* Copy between buffers: all of the source, or `bytes`. */
    bool copy(const raw_buffer &target, const raw_buffer &source) const
    {
        return copy(target, 0, source, 0, source.size_bytes());
    }
    bool copy(const raw_buffer &target, size_t target_offset, const raw_buffer &source, size_t source_offset, size_t bytes) const
    {
        return enqueued(yoke_copy_at(where_, stream_, target.get(), target_offset, source.get(), source_offset, bytes));
    }
    void copy_sync(const raw_buffer &target, size_t target_offset, const raw_buffer &source, size_t source_offset,
                   size_t bytes) const
    {
        check(yoke_copy_sync_at(where_, stream_, target.get(), target_offset, source.get(), source_offset, bytes));
    }
    /* Fill all of a buffer, or some of its bytes, with a value of 1, 2, 4, 8 or 16 bytes. */
    template <typename T> bool fill(const buffer<T> &target, const typename std::common_type<T>::type &value) const
    {
        return fill_bytes(target, 0, target.size_bytes(), value);
    }
    template <typename T> bool fill_bytes(const raw_buffer &target, size_t offset, size_t bytes, const T &value) const
    {
        static_assert(std::is_trivially_copyable<T>::value, "a pattern is copied as its bytes");
        return enqueued(yoke_fill_at(where_, stream_, target.get(), offset, bytes, &value, sizeof value));
    }
    /* Rects: see yoke_write_rect. */
    bool write_rect(const raw_buffer &target, yoke_pitch target_pitch, const void *source, yoke_pitch pitch, yoke_rect rect) const
    {
        return enqueued(yoke_write_rect_at(where_, stream_, target.get(), target_pitch, source, pitch, rect));
    }
    bool read_rect(void *target, yoke_pitch target_pitch, const raw_buffer &source, yoke_pitch pitch, yoke_rect rect) const
    {
        return enqueued(yoke_read_rect_at(where_, stream_, target, target_pitch, source.get(), pitch, rect));
    }
    bool copy_rect(const raw_buffer &target, yoke_pitch target_pitch, const raw_buffer &source, yoke_pitch pitch,
                   yoke_rect rect) const
    {
        return enqueued(yoke_copy_rect_at(where_, stream_, target.get(), target_pitch, source.get(), pitch, rect));
    }
    void write_rect_sync(const raw_buffer &target, yoke_pitch target_pitch, const void *source, yoke_pitch pitch,
                         yoke_rect rect) const
    {
        check(yoke_write_rect_sync_at(where_, stream_, target.get(), target_pitch, source, pitch, rect));
    }
    void read_rect_sync(void *target, yoke_pitch target_pitch, const raw_buffer &source, yoke_pitch pitch, yoke_rect rect) const
    {
        check(yoke_read_rect_sync_at(where_, stream_, target, target_pitch, source.get(), pitch, rect));
    }
    void copy_rect_sync(const raw_buffer &target, yoke_pitch target_pitch, const raw_buffer &source, yoke_pitch pitch,
                        yoke_rect rect) const
    {
        check(yoke_copy_rect_sync_at(where_, stream_, target.get(), target_pitch, source.get(), pitch, rect));
    }
    template <typename T> bool fill_rect(const raw_buffer &target, yoke_pitch pitch, yoke_rect rect, const T &value) const
    {
        return enqueued(yoke_fill_rect_at(where_, stream_, target.get(), pitch, rect, &value, sizeof value));
    }

    /* yoke_launch_n: launch(kernel, n, x, y, 2.0f, n). */
    template <typename... A> bool launch(const kernel &kernel, size_t n, const A &...args) const
    {
        const yoke_arg list[] = { arg(args)..., yoke_arg_null() };
        return enqueued(yoke_launch_n_at(where_, stream_, kernel.get(), n, list, sizeof...(args)));
    }
    /* yoke_launch: launch(kernel, { { 4, 4 }, 64 }, x, y): blocks, threads of a block, and shared memory if any. */
    template <typename... A> bool launch(const kernel &kernel, const launch_config &config, const A &...args) const
    {
        const yoke_arg list[] = { arg(args)..., yoke_arg_null() };
        return enqueued(
            yoke_launch_at(where_, stream_, kernel.get(), config.grid, config.block, config.shared_bytes, list, sizeof...(args)));
    }
    template <typename... A> bool launch_cooperative(const kernel &kernel, const launch_config &config, const A &...args) const
    {
        const yoke_arg list[] = { arg(args)..., yoke_arg_null() };
        return enqueued(yoke_launch_cooperative_at(where_, stream_, kernel.get(), config.grid, config.block, config.shared_bytes,
                                                   list, sizeof...(args)));
    }
    inline bool launch(const graph &graph) const;

    /* yoke_host_call: f() runs on the host in the stream's order, only when the work before it succeeded; f(status) in any case. It
     * may return a yoke_status. An exception, or a negative status, fails the stream: wait() throws it as a yoke::error with its
     * text. `f` is stored, and destroyed on one of Yoke's threads. */
    template <typename F> bool call(F &&f) const
    {
        using stored = typename std::decay<F>::type;
        return enqueued(detail::keep(std::forward<F>(f), [this](void *user) {
            return yoke_host_call_at(where_, stream_, detail::run_host<stored>, user, detail::destroy<stored>);
        }));
    }
    /* yoke_native_call: f(native_stream) enqueues on the driver's stream, only when the work before it succeeded. */
    template <typename F> bool native_call(F &&f) const
    {
        using stored = typename std::decay<F>::type;
        return enqueued(detail::keep(std::forward<F>(f), [this](void *user) {
            return yoke_native_call_at(where_, stream_, detail::run_native<stored>, user, detail::destroy<stored>);
        }));
    }

    /* yoke_native_enqueue: the same, called by this thread where nothing is deferred. In a stream that is recorded, f may be called
     * once by graph.end(), which then throws its failure, and captured. */
    template <typename F> bool native_enqueue(F &&f) const
    {
        using stored = typename std::decay<F>::type;
        return enqueued(detail::keep(std::forward<F>(f), [this](void *user) {
            return yoke_native_enqueue_at(where_, stream_, detail::run_native<stored>, user, detail::destroy<stored>);
        }));
    }

    /* yoke_event_record; an empty event in a full stream of YOKE_STREAM_PENDING_WHEN_FULL. */
    event record(yoke_event_flags flags = 0) const
    {
        yoke_event *made;
        check(yoke_event_record_at(where_, stream_, flags, &made));
        return event(made);
    }
    /* yoke_stream_wait_event. */
    bool wait(const event &event) const
    {
        return enqueued(yoke_stream_wait_event_at(where_, stream_, event.get()));
    }
    /* yoke_stream_wait_native: for what a queue of other code has now. */
    bool wait_native(void *queue) const
    {
        return enqueued(yoke_stream_wait_native_at(where_, stream_, queue));
    }
    /* yoke_stream_wait: throws the stream's first failure. */
    void wait() const
    {
        check(yoke_stream_wait(stream_));
    }
    void cancel() const
    {
        check(yoke_stream_cancel(stream_));
    }
    /* yoke_native_fail: other code has ended what the stream has been given. */
    void native_fail(yoke_status status) const
    {
        check(yoke_native_fail_at(where_, stream_, status));
    }
    void recover() const
    {
        check(yoke_stream_recover(stream_));
    }

  private:
    yoke_stream *stream_;
    const char *where_;

    static bool enqueued(yoke_status status)
    {
        return check(status) == YOKE_OK;
    }

    /* An offset in bytes; elements have to be those of the buffer. */
    template <typename T, typename S> static size_t scaled_for(const buffer<T> *, const span<S> &, size_t offset)
    {
        static_assert(std::is_same<T, typename std::remove_cv<S>::type>::value, "the buffer has elements of another type");
        return offset > SIZE_MAX / sizeof(T) ? SIZE_MAX : offset * sizeof(T);
    }
    template <typename S> static size_t scaled_for(const raw_buffer *, const span<S> &, size_t offset)
    {
        static_assert(std::is_trivially_copyable<S>::value, "copies to a device copy bytes");
        return offset;
    }
    template <typename B, typename S> static size_t scaled(const span<S> &elements, size_t offset)
    {
        return scaled_for(static_cast<const B *>(nullptr), elements, offset);
    }
};

inline raw_buffer raw_buffer::ordered(const stream_ref &stream, size_t bytes)
{
    raw_buffer made;
    check(yoke_buffer_create_ordered(stream.get(), bytes, made.out()));
    return made;
}

/* ---- Streams ------------------------------------------------------------------------------------------------------------ */

/* An in-order stream, owned. The destructor waits for the work of the stream, so that memory that was declared before the stream
 * outlives it; cancel() first where the work is not wanted any more. */
class stream : public stream_ref {
  public:
    stream() noexcept : stream_ref(nullptr)
    {
    }
    explicit stream(yoke_stream *owned) noexcept : stream_ref(owned), owner_(owned)
    {
    }
    explicit stream(const device &device) : stream(create(device, nullptr))
    {
    }
    /* yoke_stream_create. */
    stream(const device &device, const yoke_stream_desc &desc) : stream(create(device, &desc))
    {
    }
    stream(stream &&other) noexcept : stream(other.detach())
    {
    }
    stream &operator=(stream &&other) noexcept
    {
        if (this != &other) {
            finish();
            owner_ = std::move(other.owner_);
            static_cast<stream_ref &>(*this) = stream_ref(owner_.get());
            static_cast<stream_ref &>(other) = stream_ref(nullptr);
        }
        return *this;
    }
    ~stream()
    {
        finish();
    }
    stream retain() const noexcept
    {
        return stream(yoke_stream_retain(get()));
    }
    /* The C stream with its reference, which the caller releases. */
    yoke_stream *detach() noexcept
    {
        static_cast<stream_ref &>(*this) = stream_ref(nullptr);
        return owner_.detach();
    }
    explicit operator bool() const noexcept
    {
        return get() != nullptr;
    }

  private:
    detail::owner<yoke_stream, yoke_stream_retain, yoke_stream_release> owner_;

    static yoke_stream *create(const device &device, const yoke_stream_desc *desc)
    {
        yoke_stream *made;
        check(yoke_stream_create(device.get(), desc, &made));
        return made;
    }
    void finish() noexcept
    {
        if (get())
            (void)yoke_stream_wait(get()); /* a failure has been thrown already, or nobody asked */
    }
};

/* ---- Graphs ------------------------------------------------------------------------------------------------------------- */

/* Work that is recorded once and launched many times: stream.launch(graph). */
class graph : public detail::owner<yoke_graph, yoke_graph_retain, yoke_graph_release> {
  public:
    graph() noexcept = default;
    using owner::owner;
    explicit graph(const device &device, const char *name = nullptr)
    {
        check(yoke_graph_create(device.get(), name, out()));
    }
    /* Record what enqueue() enqueues in the stream. After an exception out of it the graph cannot be launched; destroy it. */
    template <typename F> graph(const device &device, const stream_ref &stream, F enqueue) : graph(device)
    {
        begin(stream);
        enqueue();
        end();
    }
    graph retain() const noexcept
    {
        return graph(another());
    }
    void begin(const stream_ref &stream) const
    {
        check(yoke_graph_begin(get(), stream.get()));
    }
    void end() const
    {
        check(yoke_graph_end(get()));
    }
    /* The number of nodes; while recording, the index of the next. */
    size_t size() const noexcept
    {
        return yoke_graph_get_size(get());
    }
    /* As text, or for Graphviz: YOKE_GRAPH_TEXT, YOKE_GRAPH_DOT. */
    std::string describe(yoke_graph_format format = YOKE_GRAPH_TEXT) const
    {
        return yoke_graph_describe(get(), format);
    }

    /* Update a node: launches from now on use the new arguments. */
    template <typename... A> void set_args(size_t node, const A &...args) const
    {
        const yoke_arg list[] = { arg(args)..., yoke_arg_null() };
        check(yoke_graph_set_args_at(nullptr, get(), node, list, sizeof...(args)));
    }
    template <typename... A> void set_launch(size_t node, const kernel &kernel, const launch_config &config, const A &...args) const
    {
        const yoke_arg list[] = { arg(args)..., yoke_arg_null() };
        check(yoke_graph_set_launch_at(nullptr, get(), node, kernel.get(), config.grid, config.block, config.shared_bytes, list,
                                       sizeof...(args)));
    }
    void set_write(size_t node, const raw_buffer &target, size_t offset, const void *source, size_t bytes) const
    {
        check(yoke_graph_set_write_at(nullptr, get(), node, target.get(), offset, source, bytes));
    }
    void set_read(size_t node, void *target, const raw_buffer &source, size_t offset, size_t bytes) const
    {
        check(yoke_graph_set_read_at(nullptr, get(), node, target, source.get(), offset, bytes));
    }
    void set_copy(size_t node, const raw_buffer &target, size_t target_offset, const raw_buffer &source, size_t source_offset,
                  size_t bytes) const
    {
        check(yoke_graph_set_copy_at(nullptr, get(), node, target.get(), target_offset, source.get(), source_offset, bytes));
    }
    template <typename T> void set_fill(size_t node, const raw_buffer &target, size_t offset, size_t bytes, const T &value) const
    {
        check(yoke_graph_set_fill_at(nullptr, get(), node, target.get(), offset, bytes, &value, sizeof value));
    }
    template <typename F> void set_call(size_t node, F &&f) const
    {
        using stored = typename std::decay<F>::type;
        detail::keep(std::forward<F>(f), [this, node](void *user) {
            return yoke_graph_set_host_call_at(nullptr, get(), node, detail::run_host<stored>, user, detail::destroy<stored>);
        });
    }
};

inline bool stream_ref::launch(const graph &graph) const
{
    return enqueued(yoke_graph_launch_at(where_, stream_, graph.get()));
}

} // namespace yoke

#undef YOKE_OUTLIVES

#endif
