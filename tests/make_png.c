/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes PNG files for tests/photos.sh: make_png KIND WIDTH HEIGHT FILE. KIND is rgb, rgba, grey, grey1, grey16, rgb16, palette,
 * interlaced, or header: a file that holds a header with this size, whatever it is, and no pixel. Or compares: make_png same A B.
 */
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A picture of 8-bit red, green, blue and alpha, by libpng's simple interface: another way than the one that is tested. */
static png_bytep read_simply(const char *path, png_image *image)
{
    png_bytep pixels = NULL;

    memset(image, 0, sizeof *image);
    image->version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(image, path)) {
        image->format = PNG_FORMAT_RGBA;
        pixels = malloc(PNG_IMAGE_SIZE(*image));
        if (pixels && !png_image_finish_read(image, NULL, pixels, 0, NULL)) {
            free(pixels);
            pixels = NULL;
        }
    }
    if (!pixels)
        fprintf(stderr, "make_png: %s: %s\n", path, image->message);
    return pixels;
}

/* The exit code: 0 when both files hold the same pixels. */
static int compare(const char *a, const char *b)
{
    png_image first, second;
    png_bytep x = read_simply(a, &first), y = read_simply(b, &second);
    int same = x && y && first.width == second.width && first.height == second.height && memcmp(x, y, PNG_IMAGE_SIZE(first)) == 0;

    free(x);
    free(y);
    return !same;
}

static void put_be32(unsigned char *out, unsigned long value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> (24 - 8 * i));
}

static void write_header_only(png_structp png, unsigned long width, unsigned long height)
{
    unsigned char header[13] = { 0 };

    put_be32(header, width);
    put_be32(header + 4, height);
    header[8] = 8;
    header[9] = PNG_COLOR_TYPE_RGB;
    png_write_sig(png);
    png_write_chunk(png, (png_const_bytep) "IHDR", header, sizeof header);
    png_write_chunk(png, (png_const_bytep) "IDAT", header, 0);
}

static void write_picture(png_structp png, png_infop info, const char *kind, unsigned width, unsigned height)
{
    int colour = strcmp(kind, "rgba") == 0       ? PNG_COLOR_TYPE_RGB_ALPHA
                 : strcmp(kind, "palette") == 0  ? PNG_COLOR_TYPE_PALETTE
                 : strncmp(kind, "grey", 4) == 0 ? PNG_COLOR_TYPE_GRAY
                                                 : PNG_COLOR_TYPE_RGB;
    int depth = strstr(kind, "16") ? 16 : strcmp(kind, "grey1") == 0 ? 1 : 8;
    int passes = 1;

    png_set_IHDR(png, info, width, height, depth, colour,
                 strcmp(kind, "interlaced") == 0 ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (colour == PNG_COLOR_TYPE_PALETTE) {
        png_color palette[256];
        for (int i = 0; i < 256; i++)
            palette[i] = (png_color){ (png_byte)i, (png_byte)(255 - i), (png_byte)(i * 7) };
        png_set_PLTE(png, info, palette, 256);
    }
    png_write_info(png, info);
    passes = png_set_interlace_handling(png);

    size_t size = png_get_rowbytes(png, info);
    png_bytep row = png_malloc(png, size);
    for (int pass = 0; pass < passes; pass++)
        for (unsigned y = 0; y < height; y++) {
            unsigned long state = y * 2654435761ul + 1;
            for (size_t i = 0; i < size; i++) {
                state = state * 1103515245ul + 12345;
                row[i] = (png_byte)(state >> 16 & 0xff);
            }
            png_write_row(png, row);
        }
    png_free(png, row);
    png_write_end(png, NULL);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "same") == 0)
        return compare(argv[2], argv[3]);
    if (argc != 5) {
        fputs("Usage: make_png KIND WIDTH HEIGHT FILE, or make_png same FILE FILE\n", stderr);
        return 2;
    }
    unsigned long width = strtoul(argv[2], NULL, 10), height = strtoul(argv[3], NULL, 10);
    FILE *file = fopen(argv[4], "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    volatile int code = 1;

    if (!file || !info) {
        perror(argv[4]);
        goto out;
    }
    if (setjmp(png_jmpbuf(png)))
        goto out;
    png_init_io(png, file);
    if (strcmp(argv[1], "header") == 0)
        write_header_only(png, width, height);
    else
        write_picture(png, info, argv[1], (unsigned)width, (unsigned)height);
    code = 0;
out:
    png_destroy_write_struct(&png, &info);
    if (file && fclose(file) != 0) {
        perror(argv[4]);
        code = 1;
    }
    return code;
}
