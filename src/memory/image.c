/* SPDX-License-Identifier: Apache-2.0 */
/* Images: the texels, whose memory is counted like a buffer's, and the samplers that read them. objects/image.h says how. */
#include "memory/image.h"

#include <stdio.h>

#include "backend.h"
#include "base/process/info.h"
#include "base/sizes.h"
#include "memory/account.h"
#include "memory/pool.h"
#include "stream/retire.h"
#include "stream/stream.h"
#include "stream/validator.h"

/* ---- Checks ---- */

static yoke_status check_sampler(const char *function, const yoke_sampler *sampler, const yk_format *format)
{
    for (size_t i = 0; i < YK_COUNT_OF(sampler->reserved); i++)
        if (sampler->reserved[i])
            return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: sampler.reserved[%zu] is %u; reserved words must be 0: zero the struct",
                           function, i, (unsigned)sampler->reserved[i]);
    if (sampler->address < YOKE_ADDRESS_CLAMP || sampler->address > YOKE_ADDRESS_MIRROR)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: sampler.address is %d, which is not a YOKE_ADDRESS_ value", function,
                       (int)sampler->address);
    if (sampler->filter < YOKE_FILTER_NEAREST || sampler->filter > YOKE_FILTER_LINEAR)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: sampler.filter is %d, which is not a YOKE_FILTER_ value", function,
                       (int)sampler->filter);
    if (sampler->normalized < 0 || sampler->normalized > 1)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: sampler.normalized is %d; it must be 0 or 1", function,
                       (int)sampler->normalized);
    if ((sampler->address == YOKE_ADDRESS_REPEAT || sampler->address == YOKE_ADDRESS_MIRROR) && !sampler->normalized)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: sampler.address %s needs normalized coordinates: set sampler.normalized to 1",
                       function, sampler->address == YOKE_ADDRESS_REPEAT ? "REPEAT" : "MIRROR");
    if (sampler->filter == YOKE_FILTER_LINEAR && format->kind == YK_FORMAT_INTEGER)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: %s is not filtered: no driver filters integers; use a UNORM or FLOAT format",
                       function, format->name);
    return YOKE_OK;
}

static yoke_status check_extent(const char *function, const yoke_device *device, const yoke_image_desc *desc, size_t *out_bytes)
{
    bool volume = desc->depth > 0;
    const uint64_t *most = device->traits.max_image[volume];
    size_t plane = 0, texels = 0, depth = volume ? desc->depth : 1;
    char limit[96];
    if (desc->width == 0 || desc->height == 0)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the image has %zu x %zu texels; width and height must be at least 1", function,
                       desc->width, desc->height);
    snprintf(limit, sizeof limit, volume ? "%llu x %llu x %llu" : "%llu x %llu", (unsigned long long)most[0],
             (unsigned long long)most[1], (unsigned long long)most[2]);
    *out_bytes = 0;
    if (desc->width > most[0] || desc->height > most[1] || (volume && depth > most[2]) ||
        !yk_size_add_product(&plane, desc->width, desc->height) || !yk_size_add_product(&texels, plane, depth) ||
        !yk_size_add_product(out_bytes, texels, yk_texel_bytes(desc)))
        return yk_fail(YOKE_E_RANGE, "%s: an image of %zu x %zu x %zu texels; those of %s may have %s", function, desc->width,
                       desc->height, depth, device->info.selector, limit);
    return YOKE_OK;
}

static yoke_status check_desc(const char *function, const yoke_device *device, const yoke_image_desc *desc, size_t *out_bytes)
{
    const char *reason = yoke_device_lacks(device, YOKE_CAP_IMAGES);
    if (reason)
        return yk_fail(YOKE_E_UNSUPPORTED, "%s: there are no images on %s: %s", function, device->info.selector, reason);
    if (desc->format < 1 || desc->format >= (int32_t)YK_COUNT_OF(yk_formats))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: format is %d, which is not a YOKE_FORMAT_ value", function, (int)desc->format);
    if (desc->channels != 1 && desc->channels != 2 && desc->channels != 4)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: channels is %d; it must be 1, 2 or 4", function, (int)desc->channels);
    yoke_status status = check_sampler(function, &desc->sampler, &yk_formats[desc->format]);
    return status < 0 ? status : check_extent(function, device, desc, out_bytes);
}

yoke_status yk_image_check_device(const yoke_image *image, const yoke_stream *stream, const char *function, const char *what)
{
    if (image->base.device == stream->device)
        return YOKE_OK;
    return yk_fail(YOKE_E_INVALID_ARGUMENT,
                   "%s: %s belongs to another device (%s) than the stream (%s); both must come from one yoke_device_open", function,
                   what, image->base.device->info.selector, stream->device->info.selector);
}

/* ---- Destroying ---- */

static void end_texels(void *object)
{
    yoke_image *texels = object;
    yk_pool_give_back(&texels->base, YK_NO_STREAM);
    yk_object_free(texels, sizeof *texels);
}

static void end_sampler(void *object)
{
    yoke_image *image = object;
    image->base.device->backend->sampler_destroy(image);
    yk_object_free(image, sizeof *image);
}

/* The last reference is gone: end the object once no stream uses it. Whatever traits.keeps_used_objects says: PoCL (3.1) keeps the
 * buffers of a kernel that it has not run yet, but not the samplers. */
static void retire(yoke_image *image, void (*end)(void *object), uint64_t bytes)
{
    yoke_device *device = image->base.device;
    atomic_store(&image->base.object.kind, YK_DEAD);
    if (device->traits.releases_wait && end == end_texels)
        yk_retire_until_idle(device, image, end, true, bytes);
    else
        yk_retire(device, image, end, atomic_load_explicit(&image->base.used_by, memory_order_relaxed), bytes);
}

static void retire_texels(void *object)
{
    yoke_image *texels = object;
    yoke_device *device = texels->base.device;
    YK_VALIDATE(device, buffer_end, &texels->base);
    retire(texels, end_texels, yk_account_of(&texels->base));
    yk_device_put(device);
}

/* The sampler is used by no stream that does not use the texels too, so it ends before them. */
static void retire_sampler(void *object)
{
    YK_UNCANCELLED;
    yoke_image *image = object;
    yoke_buffer *texels = image->base.root;
    retire(image, end_sampler, 0);
    yk_object_release(texels);
}

/* ---- Creating ---- */

static yoke_image *new_object(enum yk_kind kind, yoke_device *device, const yoke_image_desc *desc, void (*destroy)(void *object))
{
    yoke_image *image = yk_object_new(kind, sizeof *image, destroy);
    if (!image)
        return NULL;
    image->base.device = device;
    image->base.root = &image->base;
    image->base.kind = YOKE_MEMORY_DEVICE;
    image->base.origin = YK_IMAGED;
    image->desc = *desc;
    image->desc.size = sizeof image->desc;
    return image;
}

static yoke_status create_texels(yoke_device *device, const yoke_image_desc *desc, size_t bytes, yoke_image **out_texels)
{
    yoke_image *texels = new_object(YK_TEXELS, device, desc, retire_texels);
    if (!texels)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    texels->base.size = texels->base.capacity = bytes;
    yoke_status status = yk_pool_take(&texels->base, NULL);
    if (status < 0) {
        yk_object_free(texels, sizeof *texels);
        return status;
    }
    yk_object_retain(device);
    *out_texels = texels;
    return YOKE_OK;
}

/* The image takes over the caller's reference to the texels. */
static yoke_status create_sampled(yoke_image *texels, const yoke_sampler *sampler, yoke_image **out_image)
{
    yoke_device *device = texels->base.device;
    yoke_image *image = new_object(YK_IMAGE, device, &texels->desc, retire_sampler);
    if (!image)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    image->desc.sampler = *sampler;
    image->base.root = &texels->base;
    image->base.size = texels->base.size;
    yoke_status status = device->backend->sampler_create(image);
    if (status < 0) {
        yk_object_free(image, sizeof *image);
        return yk_device_failed(device, status);
    }
    *out_image = image;
    return YOKE_OK;
}

/* The description as this library knows it, whatever the program was compiled with. */
static yoke_status read_desc(const char *function, const yoke_image_desc *desc, yoke_image_desc *out_desc)
{
    *out_desc = (yoke_image_desc)YOKE_IMAGE_DESC_INIT;
    if (!desc)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: desc is NULL", function);
    yk_sized_take(out_desc, desc, sizeof *out_desc, YK_FIRST_SIZE(yoke_image_desc));
    return YOKE_OK;
}

static yoke_status create(const char *function, yoke_device *device, const yoke_image_desc *caller_desc, yoke_image **out_image)
{
    yoke_image_desc desc;
    yoke_image *texels = NULL;
    size_t bytes = 0;
    YK_CHECK(device, YK_DEVICE, function, "device");
    yoke_status status = read_desc(function, caller_desc, &desc);
    if (status == YOKE_OK)
        status = check_desc(function, device, &desc, &bytes);
    if (status == YOKE_OK)
        status = create_texels(device, &desc, bytes, &texels);
    if (status == YOKE_OK)
        status = create_sampled(texels, &desc.sampler, out_image);
    if (status < 0)
        yk_object_release(texels);
    return status;
}

yoke_status yoke_image_create(yoke_device *device, const yoke_image_desc *desc, yoke_image **out_image)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_image_create);
    YK_OUT(out_image);
    return yk_attribute_site(function, NULL, create(function, device, desc, out_image));
}

static yoke_status create_view(const char *function, yoke_image *image, const yoke_sampler *sampler, yoke_image **out_view)
{
    YK_CHECK(image, YK_IMAGE, function, "image");
    if (!sampler)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: sampler is NULL", function);
    yoke_status status = check_sampler(function, sampler, &yk_formats[image->desc.format]);
    if (status < 0)
        return status;
    yk_object_retain(image->base.root);
    status = create_sampled(yk_texels_of(image), sampler, out_view);
    if (status < 0)
        yk_object_release(image->base.root);
    return status;
}

yoke_status yoke_image_create_view(yoke_image *image, const yoke_sampler *sampler, yoke_image **out_view)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_image_create_view);
    YK_OUT(out_view);
    return yk_attribute_site(function, NULL, create_view(function, image, sampler, out_view));
}

/* ---- Public functions ---- */

yoke_image *yoke_image_retain(yoke_image *image)
{
    if (yk_is(image, YK_IMAGE))
        yk_object_retain(image);
    return image;
}

void yoke_image_release(yoke_image *image)
{
    if (yk_is(image, YK_IMAGE))
        yk_object_release(image);
}

yoke_device *yoke_image_get_device(const yoke_image *image)
{
    return yk_is(image, YK_IMAGE) ? image->base.device : NULL;
}

yoke_status yoke_image_get_desc(const yoke_image *image, yoke_image_desc *out_desc)
{
    YK_FUNCTION(yoke_image_get_desc);
    if (YK_INFO_BEGIN(function, out_desc, yoke_image_desc, "start from YOKE_IMAGE_DESC_INIT") < 0)
        return YOKE_E_INVALID_ARGUMENT;
    YK_CHECK(image, YK_IMAGE, function, "image");
    YK_INFO_FILL(out_desc, yoke_image_desc, &image->desc);
    return YOKE_OK;
}
