/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills. The driver's fill is used where it reaches the memory's speed; elsewhere a kernel (kernels/fill), built at its first use,
 * fills large ranges. The kernel stores 16 bytes at a time for every pattern, so one kernel serves all patterns.
 */
#include <string.h>

#include "copy/copy.h"
#include "stream/depth.h"
#include "copy/fill.h"
#include "stream/recording.h"
#include "program/program.h"
#include "stream/retire.h"

/* The sizes in bytes from which the kernel is faster than a slow driver, and from which it is worth building. */
static const size_t kernel_gains = 64 << 10, building_pays = 1 << 20;

enum { CHUNK = 16, BLOCK = 256, MOST_ROWS = 65535 };

enum { NOT_BUILT = 0, BUILDING = 1, READY = 2, UNAVAILABLE = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects updates of a filler's state */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* ---- The kernel ---- */

/* The program must not keep its device alive, so the filler takes no user's reference: see yk_filler_end. */
static yoke_status build(yk_filler *filler, yoke_device *device)
{
    yoke_source source;
    yoke_status status = yoke_source_builtin("fill", &source);
    if (status == YOKE_OK)
        status = yk_program_create(device, "yoke_fill", &source, NULL, &filler->program);
    if (status == YOKE_OK)
        status = yoke_kernel_get(filler->program, "fill", &filler->kernel);
    return status;
}

static bool change_state(yk_filler *filler, int from, int to)
{
    pthread_mutex_lock(&lock);
    bool changes = atomic_load(&filler->state) == from;
    if (changes)
        atomic_store_explicit(&filler->state, to, memory_order_release);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return changes;
}

/* Drivers load code after the kernels that run, and some block submissions from other threads until then. So on a busy device the
 * kernel is built only where the driver cannot fill; else the driver fills, and a later fill finds the device idle. */
static void build_unless_busy(yoke_device *device, bool needed)
{
    yoke_error_info before = *yoke_error();
    if ((!needed && !yk_device_is_idle(device)) || !change_state(&device->filler, NOT_BUILT, BUILDING))
        return;
    yoke_status status = build(&device->filler, device);
    if (status < 0)
        yk_log(YOKE_LOG_WARNING, "%s: fills use the driver, because the fill kernel cannot be built: %s", device->info.selector,
               yoke_error()->text);
    yk_error_restore(&before);
    change_state(&device->filler, BUILDING, status == YOKE_OK ? READY : UNAVAILABLE);
}

static void wait_for_building(yk_filler *filler)
{
    pthread_mutex_lock(&lock);
    while (atomic_load(&filler->state) == BUILDING)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* `needed`: the driver cannot, or must not, fill. */
static yoke_kernel *kernel_of(yoke_device *device, bool worth_building, bool needed)
{
    yk_filler *filler = &device->filler;
    while (worth_building && atomic_load_explicit(&filler->state, memory_order_acquire) < READY) {
        build_unless_busy(device, needed);
        if (!needed)
            break;
        wait_for_building(filler);
    }
    return atomic_load_explicit(&filler->state, memory_order_acquire) == READY ? filler->kernel : NULL;
}

void yk_filler_end(yoke_device *device)
{
    if (device->filler.program)
        yk_program_destroy(device->filler.program);
}

/* The byte at any address, by the last four bits of its offset: the pattern, rotated so that it begins with the row. */
static void rotate_pattern(unsigned char chunk[CHUNK], size_t offset, const unsigned char *pattern, size_t unit)
{
    for (size_t i = 0; i < CHUNK; i++)
        chunk[(offset + i) % CHUNK] = pattern[i % unit];
}

static yoke_status launch(const char *where, yoke_stream *stream, yoke_kernel *kernel, const yk_op *fill)
{
    yoke_buffer *root = fill->u.fill.buffer;
    size_t offset = fill->u.fill.offset, width = fill->u.fill.width, rows = fill->u.fill.height;
    size_t chunks = (offset + width - 1) / CHUNK - offset / CHUNK + 1;
    unsigned char chunk[CHUNK];
    rotate_pattern(chunk, offset, fill->u.fill.pattern, fill->u.fill.pattern_size);
    const yoke_arg args[] = { yoke_arg_buffer(root), yoke_arg_u64(offset),
                              yoke_arg_u64(width),   yoke_arg_u64(fill->u.fill.pitch),
                              yoke_arg_u64(rows),    yoke_arg_struct(chunk, sizeof chunk) };
    yk_op op = { .kind = YK_OP_LAUNCH,
                 .where = where,
                 .u.launch = { .kernel = kernel,
                               .grid = { (uint32_t)((chunks - 1) / BLOCK + 1), rows < MOST_ROWS ? (uint32_t)rows : MOST_ROWS, 1 },
                               .block = { BLOCK, 1, 1 },
                               .args = args,
                               .count = YK_COUNT_OF(args),
                               .touches_host = yk_buffer_is_shared(root) } };
    return yk_stream_enqueue(stream, YK_OP_LAUNCH, &op);
}

void yk_filler_init(yoke_device *device)
{
    device->filler.forced = yk_read_switch("YOKE_FILL_KERNEL", 0);
}

static bool kernel_can(const yoke_device *device, const yk_op *fill)
{
    bool aligned = fill->u.fill.buffer->misalignment == 0 && (fill->u.fill.height == 1 || fill->u.fill.pitch % CHUNK == 0);
    return aligned && fill->u.fill.width / CHUNK / BLOCK + 1 < device->info.max_grid[0];
}

/* The kernel for this fill, or NULL when the driver fills. */
static yoke_kernel *kernel_for(yoke_stream *stream, const yk_op *fill)
{
    yoke_device *device = stream->device;
    size_t size = fill->u.fill.width * fill->u.fill.height;
    size_t end = fill->u.fill.offset + (fill->u.fill.height - 1) * fill->u.fill.pitch + fill->u.fill.width;
    bool slow = !device->traits.fills_well[fill->u.fill.pattern_size] || device->filler.forced;
    bool beyond = end > device->traits.fill_reach;
    if (!(beyond || (slow && size >= kernel_gains)) || !kernel_can(device, fill))
        return NULL;
    bool needed = beyond || device->filler.forced;
    return kernel_of(device, needed || size >= building_pays, needed);
}

/* ---- Enqueueing ---- */

/* Offset, width and pitch are multiples of the pattern's size. */
static yoke_status enqueue(const char *where, yoke_stream *stream, yoke_buffer *root, size_t offset, size_t width, size_t height,
                           size_t pitch, const unsigned char *pattern, size_t unit)
{
    while (unit > 1 && memcmp(pattern, pattern + unit / 2, unit / 2) == 0)
        unit /= 2;
    yk_op op = { .kind = YK_OP_FILL,
                 .where = where,
                 .u.fill = {
                     .buffer = root, .offset = offset, .width = width, .height = height, .pitch = pitch, .pattern_size = unit } };
    memcpy(op.u.fill.pattern, pattern, unit);
    yoke_kernel *kernel = kernel_for(stream, &op);
    return kernel ? launch(where, stream, kernel, &op) : yk_stream_enqueue(stream, YK_OP_FILL, &op);
}

/* Drivers fill from multiples of the pattern's size only, and a view may begin anywhere in its root. Between the first and the last
 * such multiple of a row the bytes are the rotated pattern; both ends are shorter than a pattern and are filled byte by byte. */
yoke_status yk_enqueue_fill(const char *where, yoke_stream *stream, yoke_buffer *root, size_t offset, size_t width, size_t height,
                            size_t pitch, const unsigned char *pattern, size_t unit)
{
    size_t head = (unit - (root->misalignment + offset) % unit) % unit;
    yk_buffer_used(root, stream);
    if (head == 0)
        return enqueue(where, stream, root, offset, width, height, pitch, pattern, unit);

    size_t middle = (width - head) / unit * unit;
    unsigned char rotated[16];
    yoke_status status = yk_depth_admit(stream, false);
    if (status != YOKE_OK)
        return status;
    for (size_t i = 0; i < unit; i++)
        rotated[i] = pattern[(head + i) % unit];
    for (size_t i = 0; i < head && status == YOKE_OK; i++)
        status = enqueue(where, stream, root, offset + i, 1, height, pitch, &pattern[i], 1);
    if (status == YOKE_OK && middle > 0)
        status = enqueue(where, stream, root, offset + head, middle, height, pitch, rotated, unit);
    for (size_t i = head + middle; i < width && status == YOKE_OK; i++)
        status = enqueue(where, stream, root, offset + i, 1, height, pitch, &pattern[i % unit], 1);
    yk_depth_leave(stream);
    return status;
}

yoke_status yk_check_pattern(const char *function, size_t offset, size_t size, size_t pitches, const void *pattern,
                             size_t pattern_size)
{
    if (!pattern)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: pattern is NULL", function);
    if (pattern_size == 0 || pattern_size > 16 || (pattern_size & (pattern_size - 1)))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: pattern_size is %zu; it must be 1, 2, 4, 8 or 16", function, pattern_size);
    if (offset % pattern_size || size % pattern_size)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: offset %zu and size %zu must be multiples of pattern_size, which is %zu",
                       function, offset, size, pattern_size);
    if (pitches % pattern_size)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: row_pitch and slice_pitch must be multiples of pattern_size, which is %zu",
                       function, pattern_size);
    return YOKE_OK;
}

yoke_status yoke_fill_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset, size_t size,
                         const void *pattern, size_t pattern_size)
{
    YK_FUNCTION(yoke_fill);
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(buffer, YK_BUFFER, function, "buffer");
    yoke_status status = YOKE_OK;
    if (!yk_is_device_range(stream, buffer, offset, size))
        status = yk_device_range_fault(stream, buffer, function, "buffer", offset, size);
    if (status == YOKE_OK)
        status = yk_buffer_check_writable(buffer, function, "buffer");
    if (status == YOKE_OK)
        status = yk_check_pattern(function, offset, size, 0, pattern, pattern_size);
    if (status < 0)
        return yk_attribute_site(function, where, status);
    bool recorded = yk_is_recording(stream);
    if (recorded)
        yk_recording_group(stream, YK_OP_FILL);
    status = yk_enqueue_fill(where, stream, buffer->root, buffer->offset + offset, size, 1, size, pattern, pattern_size);
    if (recorded)
        yk_recording_ungroup(stream, status);
    return yk_attribute_site(function, where, status);
}
