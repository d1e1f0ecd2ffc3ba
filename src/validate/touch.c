/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an operation reads and writes. A kernel reads what it takes as a pointer to const, or by a view for reading only; it may
 * write the whole of any other buffer or view that it takes. Where a kernel's signature is not known, nothing is reported of two
 * kernels.
 */
#include "validate/validate.h"

#include "launch/arguments.h"
#include "stream/op.h"

/* Of a rect with more rows than this, no order is checked. */
enum { MOST_ROWS = 1024 };

/* Host memory, by address. */
static yk_ranges host_ranges;

typedef struct visit {
    const yk_order *order;
    const yk_op *op;
    unsigned checks;
    yk_mark mark;
    size_t touched, unwritten, unwritten_at; /* bytes of one access, those that nothing has written, and the first of them */
} visit;

static void mark_of(yk_mark *mark, const yk_order *order, const yk_op *op)
{
    *mark = (yk_mark){ .number = yk_clock_at(order->clock, order->slot),
                       .slot = order->slot,
                       .kind = (unsigned char)op->kind,
                       .name = yk_op_lasting_name(op->kind, op),
                       .where = op->where,
                       .stream = order->label,
                       .device = order->device };
}

/* ---- Findings ---- */

static bool may_only_read(const yk_mark *mark)
{
    return mark->access == YK_WRITES && mark->argument > 0;
}

static void report_race(const visit *at, const yk_finding *finding, const char *check, const char *memory, size_t size)
{
    yk_report report = { .check = check,
                         .what = "two operations touch the same bytes, at least one writes them, and nothing orders the two",
                         .first = &finding->other,
                         .second = &at->mark,
                         .memory = memory,
                         .begin = finding->begin,
                         .end = finding->end,
                         .size = size };
    if (may_only_read(&finding->other) || may_only_read(&at->mark))
        report.advice = "record an event behind the first (yoke_event_record) and let the second's stream wait for it "
                        "(yoke_stream_wait_event), or wait for it in the program; a kernel that only reads declares the parameter "
                        "const, and one that writes a part of the buffer is given a view of the part";
    else
        report.advice = "record an event behind the first (yoke_event_record) and let the second's stream wait for it "
                        "(yoke_stream_wait_event), or wait for it in the program, or enqueue both in one stream";
    yk_report_write(&report);
}

/* Bytes that nothing has written may be copied on, as long as some of them have been; the host reads what it asked for. */
static bool is_unwritten(const visit *at)
{
    bool to_host = yk_is_transfer(at->op->kind) && !yk_is_write(at->op->kind);
    return at->mark.access == YK_READS && (to_host ? at->unwritten > 0 : at->unwritten == at->touched);
}

/* The access has touched all of its bytes of the buffer. */
static void report_unwritten(const visit *at, const yoke_buffer *root)
{
    if (!(at->checks & YK_CHECK_UNINIT) || !root->shadow || !root->shadow->complete || !is_unwritten(at))
        return;
    yk_report_write(&(yk_report){ .check = "uninit",
                                  .what = "an operation reads bytes that nothing has written",
                                  .advice = "write or fill them before (yoke_write, yoke_fill), or read only what was written",
                                  .first = &at->mark,
                                  .memory = "the buffer",
                                  .begin = at->unwritten_at,
                                  .end = at->unwritten_at + at->unwritten,
                                  .size = root->size });
}

/* ---- Ranges ---- */

static void touch_device(visit *at, yoke_buffer *root, size_t begin, size_t size)
{
    yk_shadow *shadow = yk_shadow_of(root);
    yk_finding finding = { .other.number = 0 };
    if (!shadow)
        return;
    if (shadow->first.number == 0)
        shadow->first = at->mark;
    yk_ranges_tidy(&shadow->ranges, yk_order_host(), false);
    yk_ranges_touch(&shadow->ranges, begin, begin + size, &at->mark, at->order->clock, &finding);
    if (finding.other.number > 0 && (at->checks & YK_CHECK_RACES))
        report_race(at, &finding, "races", root->origin == YK_IMAGED ? "the image" : "the buffer", root->size);
    if (at->unwritten == 0)
        at->unwritten_at = finding.unwritten_at;
    at->unwritten += finding.unwritten;
    at->touched += size;
}

static void touch_host(visit *at, size_t begin, size_t size)
{
    yk_finding finding = { .other.number = 0 };
    yk_ranges_tidy(&host_ranges, yk_order_host(), true);
    yk_ranges_touch(&host_ranges, begin, begin + size, &at->mark, at->order->clock, &finding);
    if (finding.other.number > 0 && (at->checks & YK_CHECK_HOST))
        report_race(at, &finding, "host", "host memory", 0);
}

/* Bytes of the root, or of the host where that is NULL. */
static void touch_part(visit *at, yoke_buffer *root, size_t begin, size_t size)
{
    if (root)
        touch_device(at, root, begin, size);
    else
        touch_host(at, begin, size);
}

static void begin_access(visit *at, yk_access access)
{
    at->mark.access = (unsigned char)access;
    at->touched = at->unwritten = 0;
}

static void touch(visit *at, yoke_buffer *root, yk_access access, size_t begin, size_t size)
{
    begin_access(at, access);
    touch_part(at, root, begin, size);
    if (root)
        report_unwritten(at, root);
}

typedef struct rows {
    size_t begin, width, height, depth, row, slice;
} rows;

static void touch_rows(visit *at, yoke_buffer *root, yk_access access, rows r)
{
    if (r.height > 1 && r.row == r.width) {
        r.width *= r.height;
        r.height = 1;
    }
    if (r.height == 1 && r.depth > 1 && r.slice == r.width) {
        r.width *= r.depth;
        r.depth = 1;
    }
    if (r.depth > MOST_ROWS || r.height * r.depth > MOST_ROWS) {
        if (access == YK_WRITES)
            touch(at, root, YK_FILLS_IN, r.begin, (r.depth - 1) * r.slice + (r.height - 1) * r.row + r.width);
        return;
    }
    begin_access(at, access);
    for (size_t z = 0; z < r.depth; z++)
        for (size_t y = 0; y < r.height; y++)
            touch_part(at, root, r.begin + z * r.slice + y * r.row, r.width);
    if (root)
        report_unwritten(at, root);
}

/* ---- Operations ---- */

static rows target_rows(const yk_op *op, const yk_rect *rect, size_t begin, size_t size)
{
    if (!yk_op_has(op->kind, YK_TRAIT_RECT))
        return (rows){ .begin = begin, .width = size, .height = 1, .depth = 1 };
    return (rows){ begin, rect->width, rect->height, rect->depth, rect->target_row, rect->target_slice };
}

static rows source_rows(const yk_op *op, const yk_rect *rect, size_t begin, size_t size)
{
    if (!yk_op_has(op->kind, YK_TRAIT_RECT))
        return (rows){ .begin = begin, .width = size, .height = 1, .depth = 1 };
    return (rows){ begin, rect->width, rect->height, rect->depth, rect->source_row, rect->source_slice };
}

static void touch_transfer(visit *at, const yk_op *op)
{
    yoke_buffer *root = op->u.transfer.buffer->root;
    size_t host = (size_t)(uintptr_t)op->u.transfer.host, offset = op->u.transfer.offset, size = op->u.transfer.size;
    const yk_rect *rect = &op->u.transfer.rect;
    if (yk_is_write(op->kind)) {
        touch_rows(at, NULL, YK_READS, source_rows(op, rect, host, size));
        touch_rows(at, root, YK_WRITES, target_rows(op, rect, offset, size));
    } else {
        touch_rows(at, root, YK_READS, source_rows(op, rect, offset, size));
        touch_rows(at, NULL, YK_WRITES, target_rows(op, rect, host, size));
    }
}

static void touch_copy(visit *at, const yk_op *op)
{
    const yk_rect *rect = &op->u.copy.rect;
    touch_rows(at, op->u.copy.source->root, YK_READS, source_rows(op, rect, op->u.copy.source_offset, op->u.copy.size));
    touch_rows(at, op->u.copy.target->root, YK_WRITES, target_rows(op, rect, op->u.copy.target_offset, op->u.copy.size));
}

static void touch_image(visit *at, const yk_op *op)
{
    yoke_image *texels = op->u.image.texels;
    size_t texel = yk_texel_bytes(&texels->desc), row = texels->desc.width * texel, slice = texels->desc.height * row;
    const size_t *origin = op->u.image.origin, *region = op->u.image.region;
    rows r = { origin[2] * slice + origin[1] * row + origin[0] * texel, region[0] * texel, region[1], region[2], row, slice };
    bool to_image = op->kind == YK_OP_COPY_TO_IMAGE;
    touch(at, op->u.image.buffer->root, to_image ? YK_READS : YK_WRITES, op->u.image.offset, op->u.image.size);
    touch_rows(at, &texels->base, to_image ? YK_WRITES : YK_READS, r);
}

/* What a kernel does with an argument, as far as its signature says. */
static yk_access access_of(const yk_param *param, const yoke_buffer *buffer)
{
    if (buffer->read_only || (param && param->read_only == 1))
        return YK_READS;
    return param && param->read_only == 0 ? YK_WRITES : YK_MAY_WRITE;
}

static void touch_launch(visit *at, const yk_op *op)
{
    const yoke_kernel *kernel = op->u.launch.kernel;
    for (size_t i = 0; i < op->u.launch.count; i++) {
        yoke_buffer *buffer = op->u.launch.args[i].value.buffer;
        if (op->u.launch.args[i].kind != YOKE_ARG_BUFFER || !buffer)
            continue;
        const yk_param *param = kernel->params && (int)i < kernel->param_count ? yk_kernel_param(kernel, i) : NULL;
        bool image = buffer->object.kind == YK_IMAGE || buffer->object.kind == YK_TEXELS || buffer->root->origin == YK_IMAGED;
        at->mark.argument = (unsigned short)(i + 1);
        touch(at, buffer->root, access_of(param, buffer), image ? 0 : buffer->offset, image ? buffer->root->size : buffer->size);
    }
}

/* Other code does what it likes with the buffers that a native section names; reading is the least. */
static void touch_native(visit *at, const yk_op *op)
{
    for (size_t i = 0; i < op->u.native.count; i++) {
        yoke_buffer *buffer = op->u.native.buffers[i];
        touch(at, buffer->root, YK_MAY_WRITE, buffer->offset, buffer->size);
    }
}

void yk_touch(const yk_order *order, const yk_op *op, unsigned checks)
{
    visit at = { .order = order, .op = op, .checks = checks };
    mark_of(&at.mark, order, op);
    switch (yk_family_of(op->kind)) {
    case YK_FAMILY_TRANSFER:
        touch_transfer(&at, op);
        break;
    case YK_FAMILY_COPY:
        touch_copy(&at, op);
        break;
    case YK_FAMILY_FILL:
        touch_rows(&at, op->u.fill.buffer->root, YK_WRITES,
                   (rows){ op->u.fill.offset, op->u.fill.width, op->u.fill.height, 1, op->u.fill.pitch, 0 });
        break;
    case YK_FAMILY_IMAGE:
        touch_image(&at, op);
        break;
    case YK_FAMILY_LAUNCH:
        touch_launch(&at, op);
        break;
    case YK_FAMILY_NATIVE:
        touch_native(&at, op);
        break;
    case YK_FAMILY_RECORD:
    case YK_FAMILY_WAIT:
    case YK_FAMILY_CALL:
    case YK_FAMILY_GRAPH:
    case YK_FAMILY_NONE:
        break;
    }
}

void yk_touch_renew(const void *host, size_t size)
{
    yk_ranges_forget(&host_ranges, (size_t)(uintptr_t)host, (size_t)(uintptr_t)host + size);
}
