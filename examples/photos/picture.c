/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG files through libpng, which reports errors by jumping: every function that calls setjmp keeps what it needs afterwards in a
 * struct, and frees nothing itself, so a jump leaks nothing and clobbers nothing.
 */
#include "photos.h"

#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct picture {
    photo *photo;
    FILE *file;
    png_structp png;
    png_infop info;
    char *temporary; /* when writing: the name until it is complete */
    const unsigned char *pixels;
};

static void on_error(png_structp png, png_const_charp message)
{
    picture *file = png_get_error_ptr(png);

    photo_fail(file->photo, "%s", message);
    png_longjmp(png, 1);
}

/* Warnings are about things that blurring does not use: colour profiles, text, dates. */
static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

/* ---- Reading ------------------------------------------------------------------------------------------------------------ */

static void read_bytes(png_structp png, png_bytep target, size_t size)
{
    picture *file = png_get_io_ptr(png);

    if (fread(target, 1, size, file->file) != size) {
        photo_fail(file->photo, "%s", ferror(file->file) ? strerror(errno) : "the file is truncated");
        png_longjmp(png, 1);
    }
}

/* Whatever the file holds, ask libpng for 8 bits of red, green, blue and alpha. */
static bool read_header(picture *file)
{
    photo *p = file->photo;
    png_uint_32 width, height;
    int depth, colour;

    if (setjmp(png_jmpbuf(file->png)))
        return false;
    png_set_read_fn(file->png, file, read_bytes);
    png_set_sig_bytes(file->png, 8);
    png_read_info(file->png, file->info);
    png_get_IHDR(file->png, file->info, &width, &height, &depth, &colour, NULL, NULL, NULL);
    if (width > MAX_PIXELS || height > MAX_PIXELS || (unsigned long long)width * height > MAX_PIXELS) {
        photo_fail(p, "%lu x %lu pixels are more than the %d million that are allowed", (unsigned long)width, (unsigned long)height,
                   MAX_PIXELS / 1000000);
        return false;
    }
    p->width = (int)width;
    p->height = (int)height;
    p->opaque = !(colour & PNG_COLOR_MASK_ALPHA) && !png_get_valid(file->png, file->info, PNG_INFO_tRNS);
    png_set_expand(file->png);
    png_set_scale_16(file->png);
    png_set_gray_to_rgb(file->png);
    png_set_add_alpha(file->png, 255, PNG_FILLER_AFTER);
    png_set_interlace_handling(file->png);
    png_read_update_info(file->png, file->info);
    if (png_get_rowbytes(file->png, file->info) != (size_t)width * 4) {
        photo_fail(p, "libpng does not turn it into 8 bits of red, green, blue and alpha");
        return false;
    }
    return true;
}

/* O_NONBLOCK: opening a pipe that nobody writes to would wait for ever. It changes nothing for regular files. */
static bool open_input(picture *file)
{
    photo *p = file->photo;
    int descriptor = open(p->input, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat s;

    if (descriptor < 0 || fstat(descriptor, &s) != 0)
        photo_fail(p, "%s", strerror(errno));
    else if (!S_ISREG(s.st_mode))
        photo_fail(p, "is no regular file");
    else if (!(file->file = fdopen(descriptor, "rb")))
        photo_fail(p, "%s", strerror(errno));
    if (descriptor >= 0 && !file->file)
        close(descriptor);
    return file->file != NULL;
}

picture *picture_open(photo *p)
{
    picture *file = calloc(1, sizeof *file);
    unsigned char signature[8];

    if (!file) {
        photo_fail(p, "out of memory");
        return NULL;
    }
    file->photo = p;
    if (!open_input(file)) {
        picture_close(file);
        return NULL;
    }
    if (fread(signature, 1, 8, file->file) != 8 || png_sig_cmp(signature, 0, 8) != 0)
        photo_fail(p, "is not a PNG file");
    else {
        file->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, file, on_error, on_warning);
        file->info = file->png ? png_create_info_struct(file->png) : NULL;
        if (!file->info)
            photo_fail(p, "out of memory");
        else if (read_header(file))
            return file;
    }
    picture_close(file);
    return NULL;
}

bool picture_read(picture *file, unsigned char *pixels)
{
    size_t row = (size_t)file->photo->width * 4;

    if (setjmp(png_jmpbuf(file->png)))
        return false;
    for (int pass = png_get_interlace_type(file->png, file->info) == PNG_INTERLACE_ADAM7 ? 7 : 1; pass > 0; pass--)
        for (int y = 0; y < file->photo->height; y++)
            png_read_row(file->png, pixels + row * (size_t)y, NULL);
    png_read_end(file->png, NULL);
    return true;
}

void picture_close(picture *file)
{
    if (!file)
        return;
    png_destroy_read_struct(&file->png, &file->info, NULL);
    if (file->file)
        fclose(file->file);
    free(file);
}

/* ---- Writing ------------------------------------------------------------------------------------------------------------ */

static void write_bytes(png_structp png, png_bytep source, size_t size)
{
    picture *file = png_get_io_ptr(png);

    if (fwrite(source, 1, size, file->file) != size) {
        photo_fail(file->photo, "%s: %s", file->photo->output, strerror(errno));
        png_longjmp(png, 1);
    }
}

static void flush_nothing(png_structp png)
{
    (void)png;
}

/* The fastest compression and one fixed filter: encoding is most of the work even so. */
static bool encode(picture *file)
{
    const photo *p = file->photo;

    if (setjmp(png_jmpbuf(file->png)))
        return false;
    png_set_write_fn(file->png, file, write_bytes, flush_nothing);
    png_set_IHDR(file->png, file->info, (png_uint_32)p->width, (png_uint_32)p->height, 8,
                 p->opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(file->png, 1);
    png_set_filter(file->png, 0, PNG_FILTER_SUB);
    png_write_info(file->png, file->info);
    if (p->opaque)
        png_set_filler(file->png, 0, PNG_FILLER_AFTER);
    for (int y = 0; y < p->height; y++)
        png_write_row(file->png, file->pixels + (size_t)p->width * 4 * (size_t)y);
    png_write_end(file->png, NULL);
    return true;
}

/* Open OUTPUT.PID.part, which must not be there: another program may be writing to the same folder. */
static bool open_temporary(picture *file)
{
    photo *p = file->photo;
    size_t size = strlen(p->output) + 32;
    int descriptor;

    file->temporary = malloc(size);
    if (!file->temporary) {
        photo_fail(p, "out of memory");
        return false;
    }
    snprintf(file->temporary, size, "%s.%ld.part", p->output, (long)getpid());
    descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0)
        file->file = fdopen(descriptor, "wb");
    if (file->file)
        return true;
    photo_fail(p, "%s: %s", file->temporary, strerror(errno));
    if (descriptor >= 0) {
        close(descriptor);
        unlink(file->temporary);
    }
    return false;
}

bool picture_write(photo *p, const unsigned char *pixels)
{
    picture file = { .photo = p, .pixels = pixels };

    if (!open_temporary(&file))
        goto out;
    file.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &file, on_error, on_warning);
    file.info = file.png ? png_create_info_struct(file.png) : NULL;
    if (!file.info)
        photo_fail(p, "out of memory");
    else
        encode(&file);
    if (fclose(file.file) != 0 || (!p->failed && rename(file.temporary, p->output) != 0))
        photo_fail(p, "%s: %s", p->output, strerror(errno));
    if (p->failed)
        unlink(file.temporary);
out:
    png_destroy_write_struct(&file.png, &file.info);
    free(file.temporary);
    return !p->failed;
}
