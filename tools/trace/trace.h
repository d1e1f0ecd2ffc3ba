/* SPDX-License-Identifier: Apache-2.0 */
/* A trace that a program has left: reading it, what it says about the program's time, and its picture. Times are microseconds since
 * the program's start where that is known, else since the first entry. */
#ifndef TRACE_H
#define TRACE_H

#include "tools/ground/run.h"
#include "tools/ground/tool.h"

typedef enum trace_kind {
    TRACE_LAUNCH,
    TRACE_TRANSFER, /* between host and device */
    TRACE_COPY,     /* within the device, and fills */
    TRACE_BETWEEN,  /* between two devices */
    TRACE_GRAPH,
    TRACE_FUNCTION, /* of the host, in a stream's order */
    TRACE_WAIT,     /* of a stream, for an event of another stream */
    TRACE_OPEN,     /* of a device, by the program, as all that follow */
    TRACE_BUILD,    /* of a kernel program */
    TRACE_ALLOCATE,
    TRACE_PROGRAM, /* the program waits for a stream */
    TRACE_KINDS
} trace_kind;

typedef struct trace_slice {
    trace_kind kind;
    const char *name, *where; /* `where` may be NULL, as the next three */
    const char *awaited;      /* stream */
    const char *recorded;     /* where the event that is waited for was recorded */
    const char *how;          /* a program was built */
    long awaited_device;      /* its process; 0: not known */
    double begin, end, enqueued;
    double bytes;
    double shape[6]; /* grid and block of a launch */
    bool pageable, failed;
    bool deferred; /* it was enqueued at some time before `enqueued` */
    bool first;    /* a launch that the driver compiled for: set by trace_find */
} trace_slice;

typedef struct trace_row {
    long process, thread;
    const char *title;   /* "stream 2: host functions" */
    trace_slice *slices; /* by their beginnings */
    size_t count;
} trace_row;

typedef struct trace_device {
    long process; /* 0: the program */
    const char *name;
    bool in_host_memory, mapped; /* it works in the host's memory, and has YOKE_MEMORY_MAPPED */
} trace_device;

typedef struct trace {
    char *text; /* the file's; holds all strings */
    trace_row *rows;
    size_t count;
    trace_device *devices;
    size_t device_count;
    double end; /* of the program where that is known, else of the last slice */
    bool whole; /* times count from the program's start */
    bool marks; /* the library marks the end of a program that ends in order */
    bool complete;
    int signal;            /* that ended the program; 0: none, or not known */
    const char *submitted; /* the operation that was given to a device last, padded with blanks; NULL: none, or not known */
} trace;

/* ---- Reading: json.c, read.c ---- */

typedef struct trace_value {
    const char *name, *text; /* `text` is NULL for anything but a string */
    double numbers[3];       /* a number, or the first of an array */
    bool is_true;
} trace_value;

/* An object of the array, and its member "args". */
enum { TRACE_VALUES = 24 };
typedef struct trace_event {
    trace_value members[TRACE_VALUES], args[TRACE_VALUES];
    size_t member_count, arg_count;
} trace_event;

/* Call `each` for each object of a JSON array, whose text this changes and whose strings it terminates. Returns NULL, or why the
 * text is not such an array. */
const char *trace_json(char *text, void (*each)(const trace_event *event, void *context), void *context);

/* Whether the file could be read; else complains. */
bool trace_read(const tool_command *command, const char *path, trace *out_trace);
void trace_free(trace *self);
/* Add to a trace how its program ran; complains when that cannot be written. */
void trace_add_run(const tool_command *command, const char *path, const tool_run *run);

/* The device of a process; never NULL. */
const trace_device *trace_device_of(const trace *self, long process);
/* Whether the slice is a device's work, and not what the host does for a stream. */
bool trace_is_of_device(const trace_slice *slice);

/* ---- Spans of time: spans.c ---- */

typedef struct trace_span {
    double begin, end;
} trace_span;

/* Start from { 0 }; free `list`. */
typedef struct trace_spans {
    trace_span *list;
    size_t count;
} trace_spans;

void trace_spans_add(trace_spans *self, double begin, double end);
/* Sort them, and unite what overlaps: the functions below take only such spans. */
void trace_spans_unite(trace_spans *self);
double trace_spans_length(const trace_spans *self);
/* Leave what the others do not cover; returns the length of what they do. */
double trace_spans_subtract(trace_spans *self, const trace_spans *others);
/* When this device worked; process 0: any device. */
void trace_busy(const trace *self, long process, trace_spans *out_spans);

/* ---- Findings: why.c, idle.c ---- */

enum { TRACE_FINDINGS = 5 };

/* What took the time, the most first: a text for each cause, with its advice. */
typedef struct trace_findings {
    struct trace_finding {
        char *text;
        double cost;
    } list[TRACE_FINDINGS];
    size_t count;
    trace_span time; /* in which; percentages are of its length */
} trace_findings;

/* Add a finding, whose text this owns; nothing if `least` exceeds the cost. */
void trace_findings_add(trace_findings *self, double least, double cost, tool_string *text);
void trace_find(trace *self, trace_span time, trace_findings *out_findings);
void trace_findings_free(trace_findings *self);
/* A finding with its time and percentage, to be freed. */
char *trace_finding_text(const trace_findings *self, size_t i);
/* Add why no device worked, as far as each reason cost at least that much. */
void trace_find_idle(const trace *self, double least, trace_findings *found);
/* From the first to the last thing that a stream did. */
trace_span trace_active(const trace *self);

/* "3 kernels", and so on. */
const char *trace_kind_words(trace_kind kind, size_t count);
/* " at first.c:57, 58, 60": the places of slices, at most four. */
typedef struct trace_places {
    const char *list[5];
    size_t count;
} trace_places;
void trace_places_add(trace_places *self, const char *where);
void trace_places_text(const trace_places *self, tool_string *text);

/* "12.4 ms". */
const char *trace_time(double microseconds, char text[32]);

/* The program's time in words; and the picture. */
void trace_explain(trace *self, FILE *stream);
void trace_draw(trace *self, const char *title, FILE *stream);
/* A line about a program that did not end in order; NULL: it did. To be freed. */
char *trace_ending(const trace *self);

#endif
