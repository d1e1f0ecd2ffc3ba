/* SPDX-License-Identifier: Apache-2.0 */
/*
 * <yoke/yoke.hpp>, on the device that the environment names: owners and their moves, exceptions of each kind, spans, launches, host
 * functions of lambdas, graphs; and the arrays and lists of <yoke/ops.h>. Prints a line for each case, "pass NAME" or
 * "fail NAME: why"; 77: there is no device.
 */
#include <array>
#include <atomic>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <poll.h>
#include <unistd.h>

#include <yoke/ops.h>
#include <yoke/yoke.hpp>

#if __cplusplus >= 202002L
#include <span>
#endif

/* Counts what the calling thread allocates, for launches allocate nothing. Sanitizers have allocation functions of their own. */
static thread_local size_t allocations;

#if defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif
#if !SANITIZED
void *operator new(size_t size)
{
    allocations++;
    if (void *memory = std::malloc(size))
        return memory;
    throw std::bad_alloc();
}
void operator delete(void *memory) noexcept
{
    std::free(memory);
}
void operator delete(void *memory, size_t) noexcept
{
    std::free(memory);
}
#endif

namespace {

const size_t N = 1000;
int failures;

void expect(bool holds, const char *what)
{
    if (!holds)
        throw std::runtime_error(what);
}
#define EXPECT(...) expect((__VA_ARGS__), #__VA_ARGS__)

/* What f throws; without an exception, YOKE_OK. */
template <typename F> yoke::error thrown(F f)
{
    try {
        f();
    } catch (const yoke::error &e) {
        return e;
    }
    throw std::runtime_error("nothing was thrown");
}

struct world {
    yoke::device device = yoke::device::open();
    yoke::program program{ device, yoke::source::builtin("saxpy") };
    yoke::kernel saxpy = program.get_kernel("saxpy");
    std::vector<float> x = std::vector<float>(N, 1.0f), y = std::vector<float>(N, 2.0f);
    yoke::buffer<float> dx{ device, N }, dy{ device, N };
    yoke::stream stream{ device };
};

void owners(world &w)
{
    yoke::buffer<float> a(w.device, 16), b;
    yoke_buffer *handle = a.get();

    b = std::move(a);
    EXPECT(!a && b && b.get() == handle && b.size() == 16 && b.size_bytes() == 64 && b.kind() == YOKE_MEMORY_DEVICE);
    const yoke::buffer<float> c(std::move(b)), second = c.retain(), view = c.view(4, 8);
    EXPECT(second.get() == handle && view.size() == 8 && c.host().empty());
    size_t offset = 0;
    EXPECT(view.root(&offset) == handle && offset == 4 * sizeof(float) && second.root() == handle);
    EXPECT(c.misalignment() == 0 && !view.read_only() && c.const_view(0, 16).read_only());
    yoke_buffer *detached = w.dx.retain().detach();
    EXPECT(detached == w.dx.get());
    yoke_buffer_release(detached);

    yoke::stream s(w.device), t;
    yoke_stream *first = s.get();
    t = std::move(s);
    EXPECT(!s && t.get() == first);
    yoke::stream u(std::move(t));
    EXPECT(!t && u.get() == first);
    const yoke::event e = u.record(), same = e.retain();
    u.wait();
    EXPECT(e.complete() && same.complete() && e.wait_for(std::chrono::seconds(0)));

    yoke::kernel k = w.program.get_kernel("saxpy"), l(std::move(k));
    EXPECT(!k && l.get() == w.saxpy.get() && l.retain().get() == l.get());
    static_assert(!std::is_copy_constructible<yoke::device>::value && !std::is_copy_assignable<yoke::kernel>::value &&
                      !std::is_copy_constructible<yoke::stream>::value && !std::is_copy_constructible<yoke::buffer<int>>::value,
                  "owners cannot be copied");
    static_assert(std::is_nothrow_move_constructible<yoke::stream>::value && std::is_nothrow_move_assignable<yoke::graph>::value,
                  "moves do not throw");
}

void outlives_program(world &w)
{
    yoke::kernel kept = yoke::program(w.device, yoke::source::builtin("fill")).get_kernel("saxpy_of_another").retain();
    (void)kept;
}

void failures_of_calls(world &w)
{
    const yoke::error device = thrown([] { yoke::device("cuda:no"); });
    EXPECT(device.status() == YOKE_E_INVALID_ARGUMENT && device.group() == YOKE_GROUP_CALLER);
    EXPECT(std::string(device.what()).find("YOKE_E_INVALID_ARGUMENT: ") == 0);
    const yoke::error no_file =
        thrown([&] { yoke::program(w.device, yoke::source().cuda_file("/nowhere/x.cu").opencl_file("/nowhere/x.cl")); });
    EXPECT(no_file.status() == YOKE_E_NOT_FOUND);
    const yoke::error name = thrown([&] { outlives_program(w); });
    EXPECT(name.status() == YOKE_E_NOT_FOUND);
    const yoke::error argument = thrown([&] { w.stream.launch(w.saxpy, N, w.dx, w.dy, 2.0, static_cast<int>(N)); });
    EXPECT(argument.status() == YOKE_E_KERNEL_ARGUMENT && std::string(argument.function()) == "yoke_launch_n");
    const yoke::error range = thrown([&] { w.stream.write(w.dx, w.x, 1); });
    EXPECT(range.status() == YOKE_E_RANGE);
    EXPECT(thrown([&] { w.stream.write(w.dx, w.x, SIZE_MAX / 2); }).status() == YOKE_E_RANGE);
    EXPECT(thrown([&] { yoke::buffer<double>(w.device, SIZE_MAX / 4); }).status() == YOKE_E_RANGE);
    EXPECT(thrown([&] { yoke::buffer<float>().view(0, 1); }).status() == YOKE_E_INVALID_ARGUMENT);
    const yoke::error copied = range; /* a copy shares the record */
    EXPECT(copied.text() == range.text() && w.device.lacks((YOKE_CAP_IMAGES + 1) + 1) != nullptr);

    try {
        yoke::program(w.device, yoke::source().name("wrong").cuda("nonsense here;").opencl("nonsense here;"));
        throw std::runtime_error("nonsense compiles");
    } catch (const yoke::build_error &e) {
        EXPECT(e.status() == YOKE_E_BUILD && std::string(e.log()).find("nonsense") != std::string::npos);
    }
}

void one_text(world &w)
{
    const char *text = "#include <yoke/kernel.h>\n"
                       "YOKE_KERNEL void nine(YOKE_GLOBAL float *x) { x[yoke_global_x()] = 9; }\n";
    const yoke::program program(w.device, yoke::source().name("nine").text(text));
    yoke::buffer<float> b(w.device, 4);
    std::array<float, 4> four{ { 0, 0, 0, 0 } };
    w.stream.launch(program.get_kernel("nine"), { 1, 4 }, b);
    w.stream.read_sync(four, b);
    EXPECT(four[0] == 9 && four[3] == 9);
}

void copies(world &w)
{
    std::array<float, 4> four{ { 1, 2, 3, 4 } };
    float plain[4] = { 0, 0, 0, 0 };
    const std::vector<float> constant(4, 7.0f);
    std::vector<unsigned char> bytes(16);
    yoke::buffer<float> b(w.device, 8), c(w.device, 8);

    w.stream.fill(b, 9.0f);
    w.stream.write(b, four);
    w.stream.write(b, constant, 4);
    w.stream.copy(c, b);
    w.stream.read(plain, c, 2);
    w.stream.wait();
    EXPECT(plain[0] == 3 && plain[1] == 4 && plain[2] == 7 && plain[3] == 7);
    w.stream.write_sync(b, yoke::span<float>(plain, 2), 1);
    w.stream.read_sync(four, b);
    EXPECT(four[0] == 1 && four[1] == 3 && four[2] == 4 && four[3] == 4);
    const yoke::raw_buffer &raw = b;
    w.stream.read_sync(bytes, raw, 16);
    EXPECT(*reinterpret_cast<float *>(bytes.data()) == 7);
#if __cplusplus >= 202002L
    w.stream.write(b, std::span<const float>(constant));
    w.stream.read_sync(std::span<float>(four), b);
    EXPECT(four[3] == 7);
#endif
    const yoke_pitch rows = { 0, 16, 32 }, packed = { 0, 0, 0 };
    const yoke_rect column = { 4, 2, 1 };
    float two[2] = { 0, 0 };
    w.stream.fill_rect(b, rows, column, 5.0f);
    w.stream.read_rect(two, packed, b, rows, column);
    w.stream.wait();
    EXPECT(two[0] == 5 && two[1] == 5);
    if (w.device.supports(YOKE_CAP_MAPPED)) {
        yoke::buffer<int> mapped(w.device, 3, YOKE_MEMORY_MAPPED);
        for (int &value : mapped.host())
            value = 4;
        int got[3];
        w.stream.read_sync(got, mapped);
        EXPECT(mapped.host().size() == 3 && got[2] == 4);
    }
    yoke::buffer<float> ordered = yoke::buffer<float>::ordered(w.stream, 8);
    w.stream.copy(ordered, b);
    w.stream.wait();
}

void launches(world &w)
{
    w.stream.write(w.dx, w.x);
    w.stream.write(w.dy, w.y);
    w.stream.launch(w.saxpy, N, w.dx, w.dy, 2.0f, static_cast<int>(N));
    w.stream.launch(w.saxpy, { 16, 64 }, w.dx, w.dy, 2.0f, static_cast<int>(N));
    w.stream.at(YOKE_HERE).launch(w.saxpy, N, yoke::in(w.x), w.dy, 1.0f, static_cast<int>(N));
    w.stream.read(w.y, w.dy);
    w.stream.wait();
    EXPECT(w.y[0] == 7 && w.y[N - 1] == 7);
    w.stream.launch(w.saxpy, N, w.dx, w.dy, 2.0f, static_cast<int>(N)); /* what a driver does at its first times is its own */
    const size_t before = allocations;
    w.stream.launch(w.saxpy, N, w.dx, w.dy, 2.0f, static_cast<int>(N));
    EXPECT(allocations == before);
    w.stream.wait();

    struct pair {
        int a, b;
    };
    const yoke::program sums(w.device, yoke::source()
                                           .name("sums")
                                           .cuda_define("FACTOR=3")
                                           .opencl_define("FACTOR=3")
                                           .header("pair.h", "struct pair { int a, b; };\n")
                                           .cuda("#include \"pair.h\"\nextern \"C\" __global__ void sum(int *out, struct pair p)\n"
                                                 "{ out[threadIdx.x] = FACTOR * (p.a + p.b); }\n"
                                                 "extern \"C\" __global__ void nothing() { }\n")
                                           .opencl("#include \"pair.h\"\n__kernel void sum(__global int *out, struct pair p)\n"
                                                   "{ out[get_local_id(0)] = FACTOR * (p.a + p.b); }\n"
                                                   "__kernel void nothing(void) { }\n"));
    std::vector<int> out(4);
    w.stream.launch(sums.get_kernel("sum"), { 1, 4 }, yoke::out(out), pair{ 1, 2 });
    w.stream.launch(sums.get_kernel("nothing"), { yoke::dim(1), yoke::dim(1, 1, 1) });
    w.stream.wait();
    EXPECT(out[3] == 9);
    EXPECT(sums.kernel_names().size() == 2);
    const int parameters = sums.get_kernel("sum").info().parameters;
    EXPECT(parameters == 2 || parameters == -1); /* NVIDIA's OpenCL does not tell, where a kernel of the program has none */
}

/* A lambda that can only be moved, and one of each form. */
void host_functions(world &w)
{
    std::unique_ptr<int> moved(new int(5));
    std::atomic<int> sum{ 0 };
    auto counted = std::make_shared<int>(1);
#if __cplusplus >= 201402L
    w.stream.call([value = std::move(moved), &sum] { sum += *value; });
#else
    struct task {
        std::unique_ptr<int> value;
        std::atomic<int> *sum;
        void operator()() const
        {
            *sum += *value;
        }
    };
    w.stream.call(task{ std::move(moved), &sum });
#endif
    w.stream.call([&sum](yoke_status status) { sum += status == YOKE_OK ? 10 : 1000; });
    w.stream.call([&sum, counted]() -> yoke_status {
        sum += 100;
        return YOKE_OK;
    });
    std::function<void()> function = [&sum] { sum += 1000; };
    w.stream.call(function);
    w.stream.wait();
    EXPECT(sum == 1115);
    w.stream.call([] {});
    w.stream.wait(); /* the captures before are destroyed by now */
    EXPECT(counted.use_count() == 1);

    const yoke::event done = w.stream.record();
    std::atomic<bool> told{ false };
    done.on_complete([&told] { told = true; });
    struct pollfd watched = { done.fd(), POLLIN, 0 };
    EXPECT(poll(&watched, 1, 10000) == 1);
    close(watched.fd);
    const std::array<yoke::event, 1> events{ { done.retain() } };
    EXPECT(yoke::event::wait_any(events, std::chrono::seconds(1)) == 0);
    while (!told)
        std::this_thread::yield();
}

void exceptions_of_host_functions(world &w)
{
    int ran = 0, told = 0;
    yoke::stream s(w.device);

    std::atomic<bool> open{ false }; /* not before the rest is enqueued, which a failed stream refuses */
    s.at("here:1").call([&open] {
        while (!open)
            std::this_thread::yield();
        throw std::runtime_error("the disk is full");
    });
    s.call([&ran] { ran++; });
    s.call([&told](yoke_status status) { told = status; });
    open = true;
    const yoke::error failed = thrown([&] { s.wait(); });
    EXPECT(failed.status() == YOKE_E_HOST_FUNCTION && std::string(failed.text()).find("the disk is full") != std::string::npos);
    EXPECT(std::string(failed.where()) == "here:1" && std::string(failed.what()).find("here:1") != std::string::npos);
    EXPECT(thrown([&] { s.fill(w.dx, 1.0f); }).status() == YOKE_E_HOST_FUNCTION);
    s.recover();
    EXPECT(ran == 0 && told == YOKE_E_HOST_FUNCTION);

    s.call([&w] { yoke::buffer<int>(w.device, 0); }); /* a failure of Yoke's own keeps its status */
    EXPECT(thrown([&] { s.wait(); }).status() == YOKE_E_INVALID_ARGUMENT);
    s.recover();
    s.call([] { throw 42; });
    EXPECT(std::string(thrown([&] { s.wait(); }).text()).find("not a std::exception") != std::string::npos);
    s.recover();
    s.call([]() -> yoke_status { return yoke_fail(-1000, "a code of the program's own"); });
    EXPECT(thrown([&] { s.wait(); }).status() == -1000);
    s.recover();
    s.call([&s] { s.wait(); });
    EXPECT(thrown([&] { s.wait(); }).status() == YOKE_E_DEADLOCK);
    s.recover();
    s.native_fail(yoke_fail(-1001, "other code has given up"));
    EXPECT(thrown([&] { s.wait(); }).status() == -1001);
    s.recover();
    s.cancel();
    EXPECT(thrown([&] { s.wait(); }).status() == YOKE_E_CANCELLED);

    auto kept = std::make_shared<int>(1); /* what is refused is destroyed */
    EXPECT(thrown([&] { s.call([kept] {}); }).status() == YOKE_E_CANCELLED && kept.use_count() == 1);
}

void unwinding(world &w)
{
    std::atomic<int> ran{ 0 };
    try {
        std::vector<float> memory(1 << 16, 3.0f);
        yoke::buffer<float> b(w.device, memory.size());
        yoke::stream s(w.device);
        s.write(b, memory);
        s.call([&] { ran += memory[5] == 3.0f; });
        throw std::runtime_error("out of here");
    } catch (const std::runtime_error &) {
    }
    EXPECT(ran == 1); /* the stream was waited for before the memory was freed */
}

void depth(world &w)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    std::atomic<bool> open{ false };
    desc.depth = 1;
    desc.flags = YOKE_STREAM_PENDING_WHEN_FULL;
    yoke::stream s(w.device, desc);
    auto kept = std::make_shared<int>(1);

    EXPECT(s.call([&open] {
        while (!open)
            std::this_thread::yield();
    }));
    EXPECT(!s.fill(w.dx, 1.0f) && !s.call([kept] {}) && kept.use_count() == 1);
    open = true;
    s.wait();
    while (!s.fill(w.dx, 1.0f)) /* there is room a moment after the wait */
        std::this_thread::yield();
}

void graphs(world &w)
{
    std::atomic<int> calls{ 0 };
    std::vector<float> out(N);
    yoke::stream s(w.device);
    w.stream.fill(w.dx, 1.0f);
    w.stream.wait();
    yoke::graph g(w.device, s, [&] {
        s.fill(w.dy, 0.0f);
        s.launch(w.saxpy, N, w.dx, w.dy, 2.0f, static_cast<int>(N));
        s.call([&calls] { calls++; });
        s.read(out, w.dy);
    });
    EXPECT(g.size() == 4 && !g.describe().empty());
    s.launch(g);
    s.launch(g);
    s.wait();
    EXPECT(calls == 2 && out[N - 1] == 2);
    g.set_args(1, w.dx, w.dy, 3.0f, static_cast<int>(N));
    g.set_call(2, [&calls] { calls += 10; });
    s.launch(g);
    s.wait();
    EXPECT(calls == 12 && out[0] == 3);

    /* An exception in the middle of a recording: the stream runs its work again. */
    try {
        yoke::graph broken(w.device, s, [&] {
            s.fill(w.dy, 8.0f);
            throw std::runtime_error("out of here");
        });
    } catch (const std::runtime_error &) {
    }
    s.fill(w.dy, 9.0f);
    s.read_sync(out, w.dy);
    EXPECT(out[0] == 9);
}

void programs(world &w)
{
    yoke::event built;
    yoke::program p = yoke::program::build_async(w.device, yoke::source::builtin("saxpy"), built);
    built.wait();
    EXPECT(p.get_kernel("saxpy").param(2).bytes == 4 || !w.device.supports(YOKE_CAP_SIGNATURE));
    if (w.device.supports(YOKE_CAP_PROGRAM_BINARIES)) {
        const std::vector<unsigned char> binary = p.save();
        EXPECT(yoke::program::load(w.device, binary, "again").get_kernel("saxpy").get() != nullptr);
    }
    const yoke::program kept = yoke::program::kept(w.device, "cpp", yoke::source::builtin("saxpy"));
    EXPECT(kept && kept.get() == yoke::program::kept(w.device, "cpp", yoke::source().text("not looked at")).get());
    EXPECT(yoke::device::count() == yoke::device::list().size() && !std::string(yoke::device::report()).empty());
    EXPECT(w.device.memory().in_use > 0 && w.device.compiler().name[0] && w.device.native().context);
    std::atomic<bool> ran{ false };
    w.stream.native_call([&ran](void *native) { ran = native != nullptr; });
    w.stream.wait();
    EXPECT(ran.exchange(false) && yoke::cache_info().mode >= YOKE_CACHE_OFF);
    void *queue = nullptr;
    const yoke::stream other(w.device);
    other.native_enqueue([&queue](void *native) { queue = native; });
    EXPECT(queue); /* by this thread: nothing was deferred there */
    EXPECT(w.stream.wait_native(queue));
    const yoke::event behind = w.stream.record();
    if (!behind.lead_native(queue)) /* a thread of Yoke's has not submitted it yet */
        behind.wait();
    EXPECT(behind.lead_native(queue));
    other.wait();
    try {
        w.stream.native_enqueue([](void *) { throw std::runtime_error("no such plan"); });
        w.stream.wait();
        EXPECT(false);
    } catch (const yoke::error &error) {
        EXPECT(std::string(error.what()).find("no such plan") != std::string::npos);
    }
    w.stream.recover();
}

/* What an operation is given by YOKE_VARS and YOKE_AXES; the lists live as long as the call. */
std::string listed(const yoke_var *vars, size_t count, const int32_t *axes, size_t axis_count)
{
    std::string text;
    for (size_t i = 0; i < count; i++)
        text += std::string(vars[i].name) + (vars[i].kind == YOKE_VAR_ARRAY ? "[] " : " ");
    for (size_t i = 0; i < axis_count; i++)
        text += std::to_string(axes[i]) + ",";
    return text;
}

void arrays(world &w)
{
    const int64_t shape[] = { 20, 50 };
    yoke_array x = yoke_array_nd(w.dx.get(), YOKE_F32, 2, shape), y = yoke_array_2d(w.dy.get(), YOKE_F32, 50, 20);
    const yoke_array t = yoke_array_transpose(x, nullptr), *pointer = &t;
    const float limit = 2.5f;
    const bool flag = true;
    const yoke_var other = yoke_var_scalar("other", YOKE_NUMBER(7u));
    EXPECT(yoke_array_get_size(&x) == static_cast<int64_t>(N) && t.shape[0] == 50 && !yoke_array_is_contiguous(&t));
    EXPECT(listed(YOKE_VARS(y, x, t, pointer, limit, flag, other), YOKE_AXES(0, 2)) ==
           "y[] x[] t[] pointer[] limit flag other 0,2,");
    EXPECT(listed(YOKE_NO_VARS, YOKE_ALL_AXES).empty());
    EXPECT(YOKE_VAR(limit).scalar.dtype == YOKE_F32 && YOKE_NUMBER(flag).dtype == YOKE_BOOL && other.scalar.value.u64 == 7);
    EXPECT(YOKE_NUMBER(yoke_half_from(1.5f)).value.f64 == 1.5 && YOKE_NUMBER(-3).value.i64 == -3);
    const std::complex<float> z(1.5f, -2);
    const yoke_number wide = YOKE_NUMBER(std::complex<double>(0.1, 3)), narrow = YOKE_VAR(z).scalar,
                      made = yoke_number_c64(1.5f, -2);
    EXPECT(wide.dtype == YOKE_C128 && wide.value.parts[0] == 0.1 && wide.value.parts[1] == 3);
    EXPECT(narrow.dtype == YOKE_C64 && narrow.value.parts[0] == 1.5 && narrow.value.parts[1] == -2);
    EXPECT(made.dtype == YOKE_C64 && made.value.parts[1] == -2 && yoke_number_c128(1, 2).value.parts[0] == 1);
    y = yoke_array_index(y, 2, 0);
    EXPECT(y.dtype == 0 && std::string(yoke_error()->text).find("yoke_array_index") != std::string::npos);
    yoke_error_clear();
}

void run(const char *name, void (*test)(world &), world &w)
{
    try {
        test(w);
        std::printf("pass %s\n", name);
    } catch (const std::exception &e) {
        std::printf("fail %s: %s\n", name, e.what());
        failures++;
    }
}

} // namespace

int main()
{
    try {
        yoke::device::open();
    } catch (const yoke::error &e) {
        std::printf("%s\n", e.what());
        return 77;
    }
    world w;
    run("owners move and do not copy", owners, w);
    run("calls that fail throw", failures_of_calls, w);
    run("a kernel in one text for both languages", one_text, w);
    run("copies take vectors, arrays and spans", copies, w);
    run("launches take their arguments, and allocate nothing", launches, w);
    run("lambdas are host functions", host_functions, w);
    run("what a host function throws fails its stream", exceptions_of_host_functions, w);
    run("a stream is waited for before memory declared earlier is freed", unwinding, w);
    run("a full stream says so", depth, w);
    run("graphs record and update", graphs, w);
    run("programs, devices and native sections", programs, w);
    run("arrays and lists of variables and axes", arrays, w);
    return failures != 0;
}
