/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the rest of <yoke/yoke.hpp> stands on: errors, spans, owners, and lambdas behind C function pointers.
 */
#ifndef YOKE_HPP_BASE_HPP
#define YOKE_HPP_BASE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#if __cplusplus >= 202002L
#include <span>
#endif

#include <yoke/yoke.h>

namespace yoke {

/* ---- Errors ------------------------------------------------------------------------------------------------------------- */

/* A failure: the record of yoke_error(), copied. what() has all of it, in one line unless yoke_fail got several. */
class error : public std::runtime_error {
  public:
    /* The calling thread's record, as the failure `status`. */
    explicit error(yoke_status status) : error(status, yoke_error())
    {
    }

    yoke_status status() const noexcept
    {
        return record_->status;
    }
    /* YOKE_GROUP_x: what the caller has to give up. */
    yoke_error_group group() const noexcept
    {
        return yoke_status_group(record_->status);
    }
    /* What failed, why, what to do about it. */
    const char *text() const noexcept
    {
        return record_->text.c_str();
    }
    /* The C function that failed; "" when unknown. */
    const char *function() const noexcept
    {
        return record_->function.c_str();
    }
    /* "file:line" that enqueued the failed work; "" when unknown. */
    const char *where() const noexcept
    {
        return record_->where.c_str();
    }
    /* The driver's call, the name of its result, and its number; "" and 0 when no driver call failed. */
    const char *driver_call() const noexcept
    {
        return record_->driver_call.c_str();
    }
    const char *driver_name() const noexcept
    {
        return record_->driver_name.c_str();
    }
    int32_t driver_code() const noexcept
    {
        return record_->driver_code;
    }

  private:
    struct record {
        yoke_status status;
        int32_t driver_code;
        std::string text, function, where, driver_call, driver_name;
    };
    std::shared_ptr<const record> record_; /* so that a copy of the exception cannot throw */

    error(yoke_status status, const yoke_error_info *info)
        : std::runtime_error(std::string(yoke_status_name(status)) + ": " + text_of(status, info) +
                             (*info->where ? std::string("; enqueued at ") + info->where : std::string())),
          record_(std::make_shared<record>(record{ status, info->driver_code, text_of(status, info), info->function, info->where,
                                                   info->driver_call, info->driver_name }))
    {
    }
    static const char *text_of(yoke_status status, const yoke_error_info *info)
    {
        return info->status < 0 ? info->text : yoke_status_meaning(status);
    }
};

/* A source that does not compile: log() is the compiler's whole log. */
class build_error : public error {
  public:
    explicit build_error(yoke_status status) : error(status), log_(std::make_shared<std::string>(yoke_program_get_build_log()))
    {
    }
    const char *log() const noexcept
    {
        return log_->c_str();
    }

  private:
    std::shared_ptr<const std::string> log_;
};

/* Throw yoke::error when a call of the C interface failed; else return its status: yoke::check(yoke_event_query(event)). */
inline yoke_status check(yoke_status status)
{
    if (status == YOKE_E_BUILD)
        throw build_error(status);
    if (status < 0)
        throw error(status);
    return status;
}

/* ---- Spans -------------------------------------------------------------------------------------------------------------- */

/* Elements in a row: a pointer and a count. Made of a C array, of std::vector, std::array, std::span, or of anything else with
 * data() and size(). */
template <typename T> class span {
  public:
    using element_type = T;

    constexpr span() noexcept : data_(nullptr), size_(0)
    {
    }
    constexpr span(T *data, size_t size) noexcept : data_(data), size_(size)
    {
    }
    template <size_t N> constexpr span(T (&array)[N]) noexcept : data_(array), size_(N)
    {
    }
    template <typename C,
              typename = typename std::enable_if<std::is_convertible<
                  typename std::remove_pointer<decltype(std::declval<C &>().data())>::type (*)[], T (*)[]>::value>::type>
    constexpr span(C &&container) noexcept(noexcept(container.data())) : data_(container.data()), size_(container.size())
    {
    }

    constexpr T *data() const noexcept
    {
        return data_;
    }
    constexpr size_t size() const noexcept
    {
        return size_;
    }
    constexpr size_t size_bytes() const noexcept
    {
        return size_ * sizeof(T);
    }
    constexpr bool empty() const noexcept
    {
        return size_ == 0;
    }
    constexpr T *begin() const noexcept
    {
        return data_;
    }
    constexpr T *end() const noexcept
    {
        return data_ + size_;
    }
    constexpr T &operator[](size_t i) const
    {
        return data_[i];
    }
    span subspan(size_t offset, size_t count) const
    {
        return span(data_ + offset, count);
    }

  private:
    T *data_;
    size_t size_;
};

namespace detail {

template <typename T, size_t N> span<T> to_span(T (&array)[N]) noexcept
{
    return span<T>(array, N);
}
template <typename C> auto to_span(C &&container) -> span<typename std::remove_pointer<decltype(container.data())>::type>
{
    return { container.data(), container.size() };
}

/* Whether a temporary of this type leaves its elements alive: a span does, a vector does not. */
template <typename C> struct borrows : std::false_type {
};
template <typename T> struct borrows<span<T>> : std::true_type {
};
#if __cplusplus >= 202002L
template <typename T, size_t N> struct borrows<std::span<T, N>> : std::true_type {
};
#endif
template <typename C> struct outlives_the_call {
    static constexpr bool value = std::is_lvalue_reference<C>::value ||
                                  borrows<typename std::remove_cv<typename std::remove_reference<C>::type>::type>::value;
};
#define YOKE_OUTLIVES(C)                               \
    static_assert(detail::outlives_the_call<C>::value, \
                  "the memory is used after the call returns: pass a variable, not a temporary")

} // namespace detail

/* ---- Owners ------------------------------------------------------------------------------------------------------------- */

namespace detail {

/* One reference of a C object. */
template <typename T, T *(*retain_fn)(T *), void (*release_fn)(T *)> class owner {
  public:
    owner() noexcept = default;
    explicit owner(T *owned) noexcept : object_(owned)
    {
    }
    owner(owner &&other) noexcept : object_(other.detach())
    {
    }
    owner &operator=(owner &&other) noexcept
    {
        if (this != &other) {
            release_fn(object_);
            object_ = other.detach();
        }
        return *this;
    }
    owner(const owner &) = delete;
    owner &operator=(const owner &) = delete;
    ~owner()
    {
        release_fn(object_);
    }

    /* The C object, borrowed; nullptr for an empty owner. */
    T *get() const noexcept
    {
        return object_;
    }
    /* The C object with its reference, which the caller releases; the owner is empty afterwards. */
    T *detach() noexcept
    {
        T *object = object_;
        object_ = nullptr;
        return object;
    }
    explicit operator bool() const noexcept
    {
        return object_ != nullptr;
    }

  protected:
    T *another() const noexcept
    {
        return retain_fn(object_);
    }
    /* For out-parameters of an empty owner. */
    T **out() noexcept
    {
        return &object_;
    }

  private:
    T *object_ = nullptr;
};

/* ---- Lambdas as host functions ------------------------------------------------------------------------------------------ */

/* f() is called only when the work before it succeeded, f(status) always. What it returns is the status, if that is a yoke_status.
 */
template <typename F> struct takes_status {
    template <typename G> static auto test(int) -> decltype(std::declval<G &>()(yoke_status()), std::true_type());
    template <typename G> static std::false_type test(...);
    static constexpr bool value = decltype(test<F>(0))::value;
};
template <typename F, typename... A>
auto invoke_status(F &f, A... a) -> typename std::enable_if<std::is_same<decltype(f(a...)), yoke_status>::value, yoke_status>::type
{
    return f(a...);
}
template <typename F, typename... A>
auto invoke_status(F &f, A... a) -> typename std::enable_if<!std::is_same<decltype(f(a...)), yoke_status>::value, yoke_status>::type
{
    f(a...);
    return YOKE_OK;
}
template <typename F> yoke_status invoke(std::true_type, F &f, yoke_status status)
{
    return invoke_status(f, status);
}
template <typename F> yoke_status invoke(std::false_type, F &f, yoke_status status)
{
    return status < 0 ? status : invoke_status(f);
}

/* The exception that is being handled, as the failure of the host function around it. */
inline yoke_status fail_with_exception() noexcept
{
    try {
        throw;
    } catch (const error &e) {
        return yoke_fail(e.status(), "%s", e.text());
    } catch (const std::exception &e) {
        return yoke_fail(YOKE_E_HOST_FUNCTION, "%s", e.what());
    } catch (...) {
        return yoke_fail(YOKE_E_HOST_FUNCTION, "a host function threw an exception that is not a std::exception");
    }
}

template <typename F> yoke_status run_host(yoke_status status, void *user) noexcept
{
    try {
        return invoke(std::integral_constant<bool, takes_status<F>::value>(), *static_cast<F *>(user), status);
    } catch (...) {
        return fail_with_exception();
    }
}

/* For events, whose callbacks are called in any case. There is no stream that an exception could fail, so it ends the program, as
 * in a std::thread. */
template <typename F> void run_complete(yoke_status status, void *user) noexcept
{
    const bool always = takes_status<F>::value;
    invoke(std::integral_constant<bool, always>(), *static_cast<F *>(user), always ? status : YOKE_OK);
}

/* For native sections: f(native_stream), only when the work before it succeeded. */
template <typename F> yoke_status run_native(yoke_status status, void *native_stream, void *user) noexcept
{
    try {
        return status < 0 ? status : invoke_status(*static_cast<F *>(user), native_stream);
    } catch (...) {
        return fail_with_exception();
    }
}

template <typename F> void destroy(void *user) noexcept
{
    delete static_cast<F *>(user);
}

/* Give `f` to enqueue(user), which says what the C function returned; without success nobody else destroys it. */
template <typename F, typename E> yoke_status keep(F &&f, E enqueue)
{
    using stored = typename std::decay<F>::type;
    std::unique_ptr<stored> user(new stored(std::forward<F>(f)));
    const yoke_status status = check(enqueue(user.get()));

    if (status == YOKE_OK)
        (void)user.release();
    return status;
}

} // namespace detail

} // namespace yoke

#endif
