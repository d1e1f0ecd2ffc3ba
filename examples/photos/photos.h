/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What photos.c needs besides Yoke: options, the list of pictures, PNG files, the blur's arithmetic on the CPU, and what is shown.
 * Nothing here but report.c prints, and a picture that fails only fails itself: the reason is kept in its photo.
 */
#ifndef PHOTOS_H
#define PHOTOS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A stretch of time, in seconds as now() tells them. */
typedef struct span {
    double start, end; /* end 0: it never was */
} span;

/* One picture: where it comes from and goes to, and what became of it. */
typedef struct photo {
    char *input, *output;
    dev_t disk; /* of the input file, with its inode: tells files apart whatever they are called */
    ino_t inode;
    int width, height;
    bool opaque;       /* no pixel is transparent */
    int depth;         /* of a picture that is computed; 0: it is read from the input */
    span device, host; /* its work on the device, and its host function */
    bool failed;
    char error[512]; /* why it failed */
} photo;

typedef struct photo_list {
    photo *items;
    size_t count, capacity;
} photo_list;

/* Mark the photo as failed and say why. The first reason stays. */
void photo_fail(photo *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Seconds, monotonic. */
double now(void);

/* ---- options.c ---- */

enum { MAX_STREAMS = 64 };

typedef struct options {
    const char *device; /* a selector, or NULL: the best there is */
    const char *out;
    int streams;
    double sigma;
    bool serial, quiet;
    char **inputs;
    int input_count;
} options;

/* -1: go on. Otherwise the program's exit code: help was asked for and is printed, or the command line is wrong. */
int options_parse(options *o, int argc, char **argv);

/* ---- files.c ---- */

/* Make the folder unless it is there. */
bool folder_make(const char *path, char *error, size_t size);
/* Append a photo; its result is FOLDER/NAME.png, or nothing when name is NULL. Strings are copied. false: out of memory. */
bool photos_add(photo_list *list, const char *input, const char *folder, const char *name);
/* Every PNG that the arguments name, by itself or through its folder. What cannot be read becomes a photo that has failed already.
 * false: out of memory. */
bool photos_find(photo_list *list, char **arguments, int count, const char *out);
void photos_free(photo_list *list);

/* ---- picture.c ---- */

enum { MAX_PIXELS = 1 << 26 }; /* of one picture */

typedef struct picture picture; /* a PNG file that is being read */

/* Read the header: width, height and opaque are set. NULL, and the photo has failed, when it is no PNG that can be read. */
picture *picture_open(photo *p);
/* Decode into width * height pixels of 4 bytes: red, green, blue, alpha. */
bool picture_read(picture *file, unsigned char *pixels);
void picture_close(picture *file);
/* Encode to the photo's output: under another name first, so that no half-written file ever has that name. */
bool picture_write(photo *p, const unsigned char *pixels);

/* ---- blur.c ---- */

enum { MAX_SIGMA = 64, MAX_RADIUS = 3 * MAX_SIGMA };

typedef struct blur {
    int radius;
    double weights[2 * MAX_RADIUS + 1];
} blur;

void blur_set(blur *b, double sigma);

enum { SAMPLES = 16 };

/* Compute a few pixels of the blurred picture on the CPU and compare. `tolerance`: by how much a byte may be off. */
bool blur_check(const blur *b, photo *p, const unsigned char *before, const unsigned char *after, int tolerance);

/* ---- report.c ---- */

/* Seconds of work on the device and of host functions. */
typedef struct times {
    double device_sum, host_sum; /* of all streams together */
    double device, host;         /* in which at least one stream was at it */
    double both;                 /* in which some stream was at the one and some stream at the other */
} times;

/* false: out of memory. */
bool times_of(const photo_list *photos, times *out);

typedef struct report {
    bool quiet, bar;  /* bar: a progress bar is shown, for standard output is a terminal */
    const char *what; /* the bar's heading */
    size_t done, failed, total;
    double pixels;
} report;

void report_start(report *r, const char *what, size_t total);
/* A photo is finished, or has failed: then the reason is printed. */
void report_photo(report *r, const photo *p);
void report_end(report *r);

#endif
