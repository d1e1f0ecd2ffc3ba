/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of photos. */
#include "photos.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "Usage: photos [OPTION]... [PNG or folder]...\n"
    "Blur pictures on the GPU: decoding, copying, blurring, encoding and writing all go on at once.\n"
    "Without any picture it makes a set of its own.\n"
    "\n"
    "  --backend NAME     cuda or opencl (default: the best device there is)\n"
    "  --device SELECTOR  a device, as cuda:0, opencl:gpu, name~H200\n"
    "  --streams N        pictures in work at a time, 1 to 64 (default 4)\n"
    "  --sigma S          strength of the blur in pixels, 0.1 to 64 (default 3)\n"
    "  --serial           one step after the other, for comparison\n"
    "  --out FOLDER       where the results go (default photos-out)\n"
    "  --quiet            print nothing but errors\n"
    "  --help             print this\n"
    "\n"
    "Exit code: 0, or 1 when a picture failed, 2 when the command line is wrong, 3 when there is no such device.\n";

static int usage(const char *option, const char *value, const char *allowed)
{
    if (option)
        fprintf(stderr, "photos: %s %s: %s\n", option, value, allowed);
    fputs("Try 'photos --help'.\n", stderr);
    return 2;
}

static bool parse_number(const char *text, double low, double high, double *out)
{
    char *end;

    errno = 0;
    *out = strtod(text, &end);
    return errno == 0 && end != text && *end == '\0' && *out >= low && *out <= high;
}

int options_parse(options *o, int argc, char **argv)
{
    enum { BACKEND = 1, DEVICE, STREAMS, SIGMA, SERIAL, OUT, QUIET, HELP };
    static const struct option table[] = {
        { "backend", required_argument, NULL, BACKEND },
        { "device", required_argument, NULL, DEVICE },
        { "streams", required_argument, NULL, STREAMS },
        { "sigma", required_argument, NULL, SIGMA },
        { "serial", no_argument, NULL, SERIAL },
        { "out", required_argument, NULL, OUT },
        { "quiet", no_argument, NULL, QUIET },
        { "help", no_argument, NULL, HELP },
        { NULL, 0, NULL, 0 },
    };
    double number;

    *o = (options){ .out = "photos-out", .streams = 4, .sigma = 3.0 };
    argv[0] = (char *)"photos"; /* which getopt complains by */
    for (int c; (c = getopt_long(argc, argv, "", table, NULL)) != -1;)
        switch (c) {
        case BACKEND:
        case DEVICE:
            if (o->device)
                return usage(c == BACKEND ? "--backend" : "--device", optarg, "give one of --backend and --device, once");
            o->device = optarg;
            break;
        case STREAMS:
            if (!parse_number(optarg, 1, MAX_STREAMS, &number) || number != floor(number))
                return usage("--streams", optarg, "has to be a whole number from 1 to 64");
            o->streams = (int)number;
            break;
        case SIGMA:
            if (!parse_number(optarg, 0.1, MAX_SIGMA, &o->sigma))
                return usage("--sigma", optarg, "has to be a number from 0.1 to 64");
            break;
        case SERIAL:
            o->serial = true;
            break;
        case OUT:
            if (!*optarg)
                return usage("--out", "''", "has to name a folder");
            o->out = optarg;
            break;
        case QUIET:
            o->quiet = true;
            break;
        case HELP:
            fputs(help, stdout);
            return 0;
        default:
            return usage(NULL, NULL, NULL);
        }
    if (o->serial)
        o->streams = 1;
    o->inputs = argv + optind;
    o->input_count = argc - optind;
    return -1;
}
