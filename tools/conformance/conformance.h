/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yoke-conformance runs the programs of the conformance suite, which speak TAP, and reports what they found. A run is one program
 * on all asked devices of one backend; a result belongs to the place that its line names: a device, or none.
 */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <yoke/yoke.h>

#include "base/macros.h"

typedef enum verdict {
    PASSED,
    FAILED,
    SKIPPED,
    BROKEN, /* not a case: the program crashed, hung, or ended before its last case */
    VERDICTS
} verdict;

typedef struct result {
    verdict verdict;
    size_t place; /* in suite->devices; their number stands for cases without a device */
    char *name;
    char *text; /* why it was skipped or how the program broke, or what was said before the failure, in lines; or "" */
    double seconds;
} result;

typedef struct run {
    const char *program, *backend;
    char devices[512]; /* their selectors, as YOKE_TEST_DEVICES takes them */
    result *results;
    size_t count;
} run;

enum { MOST_DEVICES = 32, MOST_JOBS = 64 };

typedef struct suite {
    const char *folder; /* where the programs are; absolute */
    char **programs;    /* their names, sorted */
    size_t program_count;
    yoke_device_info devices[MOST_DEVICES];
    size_t device_count;
    run *runs;
    size_t run_count;
    unsigned jobs, seconds; /* children at a time, and how long each may be silent */
    bool verbose, progress;
    bool interrupted; /* so that only the first `begun` of the runs have any results */
    size_t begun;
} suite;

/* ---- run.c ---- */

/* Run all of suite->runs, or as many as there are before a signal interrupts it. False, and it has been said why, when that cannot
 * be done. */
bool run_all(suite *s);

/* ---- results.c ---- */

void run_add(run *r, verdict v, size_t place, const char *name, size_t name_length, const char *text, double seconds);
const char *place_name(const suite *s, size_t place);
/* How many results of a run, or of all of them where r is NULL, are such, at this place or, where it is ANYWHERE, at any. */
size_t results_count(const suite *s, const run *r, size_t place, verdict v);
enum { ANYWHERE = -1 };

/* realloc and strdup, which end the program when there is no memory. */
void *grown(void *memory, size_t count, size_t size);
char *copy_text(const char *text, size_t length);

/* ---- text.c, tap.c, junit.c, lines.c: reports ---- */

void report_text(const suite *s, FILE *out);
void report_tap(const suite *s, FILE *out);
void report_junit(const suite *s, FILE *out);
void report_lines(const suite *s, FILE *out);
/* One result as one line of --verbose. */
void print_result(const suite *s, const run *r, const result *one, FILE *out);

#endif
