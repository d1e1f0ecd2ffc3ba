/* SPDX-License-Identifier: Apache-2.0 */
/* What `yoke bench` has measured, for those who print it: as a table or as JSON. */
#ifndef FIGURES_H
#define FIGURES_H

#include "tools/ground/tool.h"
#include "tools/measure/cases.h"

/* So many samples are kept of a distribution, evenly from the smallest to the largest. */
enum { FIGURE_SAMPLES = 256 };

typedef struct distribution {
    size_t count; /* that were taken; 0: there is none */
    double samples[FIGURE_SAMPLES];
} distribution;

/* One measurement. Times are nanoseconds of one operation; speeds of copies, bytes in a nanosecond. */
typedef struct figure {
    int32_t group;            /* a measure_group */
    char name[32], words[64]; /* "launch", "launch, the call alone" */
    uint64_t size;            /* bytes of a copy; else 0 */
    double ratio;             /* of Yoke's time to the driver's, the median of neighbours; 0 without raw */
    distribution yoke, raw;
} figure;

typedef struct figures {
    yoke_device_info info;
    char *problem; /* why there is nothing more; or NULL */
    figure *all;
    size_t count;
} figures;

/* Where and when it was measured, and how busy the machine was. */
typedef struct place {
    char host[65], date[32]; /* "" when the system does not tell; the date is UTC, as "2026-01-31T12:00:00Z" */
    double load;             /* the load average of the last minute; negative when the system does not tell */
    long processors;
} place;

/* Measure an opened device for about so many seconds, all cases or the few that a report has; each figure goes to `tell` as soon as
 * it is there. Ends the process where something fails. */
void figures_measure(yoke_device *device, double seconds, bool raw, bool few, void (*tell)(const figure *one));

/* Of a distribution, at 0 to 1. */
double distribution_at(const distribution *d, double quantile);

/* "1.23 us" of nanoseconds. */
const char *figure_time(double nanoseconds, char text[32]);

extern const char *const figure_group_names[MEASURE_GROUPS], *const figure_group_words[MEASURE_GROUPS];

void figures_print(const figures *devices, size_t count, const place *here);
void figures_print_json(const figures *devices, size_t count, long seconds, const place *here);

/* Lines "KEY: VALUE" about the device of this number in a report. */
void figures_write_lines(const figures *device, const char *selector, size_t number, FILE *out);

#endif
