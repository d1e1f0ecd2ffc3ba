/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices, buffers, sources, programs and kernels of <yoke/yoke.hpp>.
 */
#ifndef YOKE_HPP_OBJECTS_HPP
#define YOKE_HPP_OBJECTS_HPP

#include <initializer_list>
#include <iterator>
#include <vector>

#include <yoke/hpp/base.hpp>
#include <yoke/library.h>
#include <yoke/native.h>
#include <yoke/types.h>

namespace yoke {

/* ---- Devices ------------------------------------------------------------------------------------------------------------ */

class device : public detail::owner<yoke_device, yoke_device_retain, yoke_device_release> {
  public:
    device() noexcept = default;
    using owner::owner;
    /* yoke_device_open: nullptr for what the environment names, else the best device. */
    explicit device(const char *selector)
    {
        check(yoke_device_open(selector, out()));
    }
    explicit device(const std::string &selector) : device(selector.c_str())
    {
    }
    /* The device that the environment names, else the best one. */
    static device open(const char *selector = nullptr)
    {
        return device(selector);
    }
    device retain() const noexcept
    {
        return device(another());
    }

    yoke_device_info info() const
    {
        yoke_device_info info = YOKE_DEVICE_INFO_INIT;
        check(yoke_device_get_info(get(), &info));
        return info;
    }
    /* YOKE_LANGUAGE_CUDA or YOKE_LANGUAGE_OPENCL: which text of a source runs here. */
    yoke_language language() const noexcept
    {
        return yoke_device_get_language(get());
    }
    bool supports(yoke_cap capability) const noexcept
    {
        return yoke_device_supports(get(), capability) != 0;
    }
    /* Why the device lacks YOKE_CAP_x; nullptr when it has it. */
    const char *lacks(yoke_cap capability) const noexcept
    {
        return yoke_device_lacks(get(), capability);
    }
    void set_wait(yoke_wait_mode wait) const
    {
        check(yoke_device_set_wait(get(), wait));
    }
    yoke_memory_info memory() const
    {
        yoke_memory_info info = YOKE_MEMORY_INFO_INIT;
        check(yoke_device_get_memory(get(), &info));
        return info;
    }
    void limit_memory(uint64_t in_use, uint64_t cached) const
    {
        check(yoke_device_set_memory_limits(get(), in_use, cached));
    }
    void trim(uint64_t keep = 0) const
    {
        check(yoke_device_trim_memory(get(), keep));
    }
    yoke_compiler_info compiler() const
    {
        yoke_compiler_info info = YOKE_COMPILER_INFO_INIT;
        check(yoke_device_get_compiler(get(), &info));
        return info;
    }
    yoke_native_device native() const
    {
        yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;
        check(yoke_device_get_native(get(), &native));
        return native;
    }

    static size_t count()
    {
        size_t count;
        check(yoke_device_count(&count));
        return count;
    }
    /* yoke_device_list: best first. */
    static std::vector<yoke_device_info> list()
    {
        const yoke_device_info empty = YOKE_DEVICE_INFO_INIT;
        std::vector<yoke_device_info> infos(count(), empty);
        size_t found;

        check(yoke_device_list(infos.data(), infos.size(), &found));
        if (found < infos.size())
            infos.resize(found);
        return infos;
    }
    /* What this thread's last open, list or count tried. */
    static const char *report() noexcept
    {
        return yoke_device_get_report();
    }
};

/* ---- Buffers ------------------------------------------------------------------------------------------------------------ */

class stream_ref;

/* Memory that a device can access, in bytes. */
class raw_buffer : public detail::owner<yoke_buffer, yoke_buffer_retain, yoke_buffer_release> {
  public:
    raw_buffer() noexcept = default;
    using owner::owner;
    /* yoke_buffer_create, or yoke_buffer_create_in for YOKE_MEMORY_x. */
    raw_buffer(const device &device, size_t bytes, yoke_memory_kind memory = YOKE_MEMORY_DEVICE)
    {
        check(yoke_buffer_create_in(device.get(), memory, bytes, out()));
    }
    /* yoke_buffer_create_ordered: temporary memory in the stream's order. */
    static inline raw_buffer ordered(const stream_ref &stream, size_t bytes);
    /* yoke_buffer_create_from_host: page-locks memory of the program's own. */
    static raw_buffer from_host(const device &device, void *host, size_t bytes)
    {
        raw_buffer made;
        check(yoke_buffer_create_from_host(device.get(), host, bytes, made.out()));
        return made;
    }
    /* yoke_buffer_wrap: device memory that other code owns. */
    static raw_buffer wrap(const device &device, uintptr_t native, size_t bytes)
    {
        raw_buffer made;
        check(yoke_buffer_wrap(device.get(), native, bytes, made.out()));
        return made;
    }
    raw_buffer retain() const noexcept
    {
        return raw_buffer(another());
    }

    raw_buffer view(size_t offset, size_t bytes) const
    {
        raw_buffer made;
        check(yoke_buffer_create_view(get(), offset, bytes, made.out()));
        return made;
    }
    raw_buffer const_view(size_t offset, size_t bytes) const
    {
        raw_buffer made;
        check(yoke_buffer_create_const_view(get(), offset, bytes, made.out()));
        return made;
    }
    size_t size_bytes() const noexcept
    {
        return yoke_buffer_get_size(get());
    }
    /* YOKE_MEMORY_x. */
    yoke_memory_kind kind() const noexcept
    {
        return yoke_buffer_get_kind(get());
    }
    /* A const view, or a view of one. */
    bool read_only() const noexcept
    {
        return yoke_buffer_is_read_only(get()) != 0;
    }
    /* Bytes behind a multiple of 16. */
    std::size_t misalignment() const noexcept
    {
        return yoke_buffer_get_misalignment(get());
    }
    /* yoke_buffer_get_root, borrowed: two buffers share memory only where it is the same. */
    yoke_buffer *root(size_t *out_offset = nullptr) const noexcept
    {
        return yoke_buffer_get_root(get(), out_offset);
    }
    /* The host's address of pinned, mapped or managed memory, else nullptr. */
    void *host_data() const noexcept
    {
        return yoke_buffer_get_host(get());
    }
    uintptr_t native() const
    {
        uintptr_t native;
        check(yoke_buffer_get_native(get(), &native));
        return native;
    }
};

/* The same with elements of type T: sizes and offsets are in elements. */
template <typename T> class buffer : public raw_buffer {
    static_assert(std::is_trivially_copyable<T>::value, "copies to a device copy bytes");

  public:
    buffer() noexcept = default;
    explicit buffer(raw_buffer &&raw) noexcept : raw_buffer(std::move(raw))
    {
    }
    buffer(const device &device, size_t count, yoke_memory_kind memory = YOKE_MEMORY_DEVICE)
        : raw_buffer(device, bytes(count), memory)
    {
    }
    static buffer ordered(const stream_ref &stream, size_t count)
    {
        return buffer(raw_buffer::ordered(stream, bytes(count)));
    }
    template <typename C> static buffer from_host(const device &device, C &&container)
    {
        YOKE_OUTLIVES(C);
        const span<T> elements = detail::to_span(container);
        return buffer(raw_buffer::from_host(device, elements.data(), elements.size_bytes()));
    }
    buffer retain() const noexcept
    {
        return buffer(raw_buffer::retain());
    }
    buffer view(size_t offset, size_t count) const
    {
        return buffer(raw_buffer::view(bytes(offset), bytes(count)));
    }
    buffer const_view(size_t offset, size_t count) const
    {
        return buffer(raw_buffer::const_view(bytes(offset), bytes(count)));
    }
    size_t size() const noexcept
    {
        return size_bytes() / sizeof(T);
    }
    /* The elements of pinned, mapped or managed memory; empty for device memory. */
    span<T> host() const noexcept
    {
        return span<T>(static_cast<T *>(host_data()), host_data() ? size() : 0);
    }

  private:
    /* Too many is what no device has. */
    static size_t bytes(size_t count) noexcept
    {
        return count > SIZE_MAX / sizeof(T) ? SIZE_MAX : count * sizeof(T);
    }
};

/* ---- Sources, programs, kernels ----------------------------------------------------------------------------------------- */

/* yoke_source, step by step: source().name("saxpy").cuda(text).opencl(text).define("N=4"). Keeps copies of all texts. */
class source {
  public:
    source()
    {
        c_ = YOKE_SOURCE_INIT;
    }
    /* A kernel of Yoke's own. */
    static source builtin(const char *name)
    {
        source made;
        yoke_source found = YOKE_SOURCE_INIT;
        check(yoke_source_builtin(name, &found));
        made.name(found.name ? found.name : name);
        if (found.cuda)
            made.cuda(found.cuda);
        if (found.opencl)
            made.opencl(found.opencl);
        return made;
    }
    source &name(std::string value)
    {
        name_ = std::move(value);
        return *this;
    }
    source &cuda(std::string text)
    {
        cuda_ = std::move(text);
        has_cuda_ = true;
        return *this;
    }
    source &opencl(std::string text)
    {
        opencl_ = std::move(text);
        has_opencl_ = true;
        return *this;
    }
    /* One text for both languages. */
    source &text(std::string text)
    {
        text_ = std::move(text);
        has_text_ = true;
        return *this;
    }
    /* Files instead of the texts, which are read when the program is built. */
    source &cuda_file(std::string path)
    {
        cuda_file_ = std::move(path);
        return *this;
    }
    source &opencl_file(std::string path)
    {
        opencl_file_ = std::move(path);
        return *this;
    }
    source &text_file(std::string path)
    {
        text_file_ = std::move(path);
        return *this;
    }
    /* "NAME", "NAME=VALUE" or "MAX(a,b)=VALUE"; also for one language alone. */
    source &define(std::string value)
    {
        defines_.push_back(std::move(value));
        return *this;
    }
    source &cuda_define(std::string value)
    {
        cuda_defines_.push_back(std::move(value));
        return *this;
    }
    source &opencl_define(std::string value)
    {
        opencl_defines_.push_back(std::move(value));
        return *this;
    }
    /* An option for the compiler of one language, as "--maxrregcount=32" and "-cl-opt-disable". */
    source &cuda_option(std::string value)
    {
        cuda_options_.push_back(std::move(value));
        return *this;
    }
    source &opencl_option(std::string value)
    {
        opencl_options_.push_back(std::move(value));
        return *this;
    }
    source &header(std::string name, std::string text)
    {
        headers_.emplace_back(std::move(name), std::move(text));
        return *this;
    }
    source &include_folder(std::string path)
    {
        folders_.push_back(std::move(path));
        return *this;
    }
    /* A C++ kernel without extern "C", as "scale<float>". */
    source &name_expression(std::string value)
    {
        expressions_.push_back(std::move(value));
        return *this;
    }
    source &math(yoke_math_mode value)
    {
        c_.math = value;
        return *this;
    }
    source &flags(yoke_build_flags bits)
    {
        c_.flags = bits;
        return *this;
    }
    source &opencl_std(std::string value)
    {
        opencl_std_ = std::move(value);
        return *this;
    }
    source &cuda_std(std::string value)
    {
        cuda_std_ = std::move(value);
        return *this;
    }
    /* Call use(const yoke_source &), which is valid during the call. */
    template <typename F> void with(F use) const
    {
        const std::vector<const char *> defines = pointers(defines_), folders = pointers(folders_),
                                        expressions = pointers(expressions_), cuda_defines = pointers(cuda_defines_),
                                        opencl_defines = pointers(opencl_defines_), cuda_options = pointers(cuda_options_),
                                        opencl_options = pointers(opencl_options_);
        std::vector<yoke_header> headers;
        yoke_source made = c_;

        for (const auto &h : headers_)
            headers.push_back(yoke_header{ h.first.c_str(), h.second.c_str() });
        headers.push_back(yoke_header{ nullptr, nullptr });
        made.name = name_.empty() ? nullptr : name_.c_str();
        made.cuda = has_cuda_ ? cuda_.c_str() : nullptr;
        made.cuda_size = cuda_.size();
        made.opencl = has_opencl_ ? opencl_.c_str() : nullptr;
        made.opencl_size = opencl_.size();
        made.text = has_text_ ? text_.c_str() : nullptr;
        made.text_size = text_.size();
        made.cuda_file = cuda_file_.empty() ? nullptr : cuda_file_.c_str();
        made.opencl_file = opencl_file_.empty() ? nullptr : opencl_file_.c_str();
        made.text_file = text_file_.empty() ? nullptr : text_file_.c_str();
        made.opencl_std = opencl_std_.empty() ? nullptr : opencl_std_.c_str();
        made.cuda_std = cuda_std_.empty() ? nullptr : cuda_std_.c_str();
        made.defines = defines.data();
        made.cuda_defines = cuda_defines.data();
        made.opencl_defines = opencl_defines.data();
        made.cuda_options = cuda_options.data();
        made.opencl_options = opencl_options.data();
        made.headers = headers.data();
        made.include_folders = folders.data();
        made.name_expressions = expressions.data();
        use(static_cast<const yoke_source &>(made));
    }

  private:
    yoke_source c_;
    bool has_cuda_ = false, has_opencl_ = false, has_text_ = false;
    std::string name_, cuda_, opencl_, text_, opencl_std_, cuda_std_, cuda_file_, opencl_file_, text_file_;
    std::vector<std::string> defines_, folders_, expressions_, cuda_defines_, opencl_defines_, cuda_options_, opencl_options_;
    std::vector<std::pair<std::string, std::string>> headers_;

    static std::vector<const char *> pointers(const std::vector<std::string> &texts)
    {
        std::vector<const char *> made;
        for (const std::string &text : texts)
            made.push_back(text.c_str());
        made.push_back(nullptr);
        return made;
    }
};

class event;
class kernel;

/* Compiled code. */
class program : public detail::owner<yoke_program, yoke_program_retain, yoke_program_release> {
  public:
    program() noexcept = default;
    using owner::owner;
    /* yoke_program_build; throws build_error. */
    program(const device &device, const source &source)
    {
        source.with([&](const yoke_source &c) { check(yoke_program_build(device.get(), &c, out())); });
    }
    program(const device &device, const yoke_source &source)
    {
        check(yoke_program_build(device.get(), &source, out()));
    }
    /* yoke_program_build_async: `done` completes with the build. */
    static inline program build_async(const device &device, const source &source, event &done);
    /* yoke_program_load: a saved program, PTX, cubin, SPIR-V, … */
    static program load(const device &device, span<const unsigned char> binary, const char *name = nullptr)
    {
        program made;
        check(yoke_program_load(device.get(), name, binary.data(), binary.size(), made.out()));
        return made;
    }
    /* yoke_device_get_program: the program that the device keeps by this key, with a reference of its own. */
    static program kept(const device &device, const std::string &key, const source &source)
    {
        yoke_program *found;
        source.with([&](const yoke_source &c) { check(yoke_device_get_program(device.get(), key.c_str(), &c, &found)); });
        return program(yoke_program_retain(found));
    }
    program retain() const noexcept
    {
        return program(another());
    }

    /* The kernel keeps the program alive. A kernel in C++ has its name as in name_expression. */
    inline kernel get_kernel(const std::string &name) const;
    std::vector<std::string> kernel_names() const
    {
        std::vector<std::string> names;
        for (size_t i = 0, count = yoke_program_get_kernel_count(get()); i < count; i++)
            if (const char *name = yoke_program_get_kernel_name(get(), i))
                names.emplace_back(name);
        return names;
    }
    /* yoke_program_get_global. */
    raw_buffer global(const std::string &name) const
    {
        yoke_buffer *found;
        check(yoke_program_get_global(get(), name.c_str(), &found));
        return raw_buffer(found);
    }
    template <typename T> buffer<T> global(const std::string &name) const
    {
        return buffer<T>(global(name));
    }
    const char *log() const noexcept
    {
        return yoke_program_get_log(get());
    }
    std::vector<unsigned char> save() const
    {
        size_t size;
        check(yoke_program_save(get(), nullptr, 0, &size));
        std::vector<unsigned char> binary(size);
        check(yoke_program_save(get(), binary.data(), binary.size(), &size));
        return binary;
    }
};

/* An entry point of a program, which it keeps alive. */
class kernel {
  public:
    kernel() noexcept = default;
    kernel(const program &program, const std::string &name) : program_(program.retain())
    {
        check(yoke_kernel_get(program_.get(), name.c_str(), &kernel_));
    }
    kernel(kernel &&other) noexcept : program_(std::move(other.program_)), kernel_(other.kernel_)
    {
        other.kernel_ = nullptr;
    }
    kernel &operator=(kernel &&other) noexcept
    {
        program_ = std::move(other.program_);
        kernel_ = other.kernel_;
        if (this != &other)
            other.kernel_ = nullptr;
        return *this;
    }
    kernel retain() const noexcept
    {
        kernel made;
        made.program_ = program_.retain();
        made.kernel_ = kernel_;
        return made;
    }
    yoke_kernel *get() const noexcept
    {
        return kernel_;
    }
    explicit operator bool() const noexcept
    {
        return kernel_ != nullptr;
    }
    yoke_kernel_info info() const
    {
        yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
        check(yoke_kernel_get_info(kernel_, &info));
        return info;
    }
    yoke_param_info param(size_t index) const
    {
        yoke_param_info info = YOKE_PARAM_INFO_INIT;
        check(yoke_kernel_get_param(kernel_, index, &info));
        return info;
    }

  private:
    program program_;
    yoke_kernel *kernel_ = nullptr;
};

inline kernel program::get_kernel(const std::string &name) const
{
    return kernel(*this, name);
}

/* yoke_struct_check: the device has the struct T, which kernels call `name`, as the host has it. */
template <typename T>
void check_struct(const device &device, const source &source, const std::string &name, std::initializer_list<yoke_field> fields)
{
    source.with([&](const yoke_source &c) {
        check(yoke_struct_check(device.get(), &c, name.c_str(), sizeof(T), fields.begin(), fields.size()));
    });
}

inline yoke_cache_info cache_info()
{
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    check(yoke_cache_get_info(&info));
    return info;
}

} // namespace yoke

#endif
