/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking drivers what they have, each in a child process of its own with a time limit: a driver that crashes, hangs or prints does
 * that there. This process itself never starts a driver.
 */
#ifndef PROBE_H
#define PROBE_H

#include <sys/types.h>

#include "tools/ground/tool.h"

/* A device, as its driver tells of it. */
typedef struct probe_device {
    yoke_device_info info;
    char problem[768]; /* why it does not open: what follows is then empty; else "" */
    bool asked_memory;
    yoke_memory_info memory;
    yoke_compiler_info compiler;
    char compiler_problem[768];    /* why there is none; else "" */
    char lacks[YK_CAP_COUNT][256]; /* why it has not this capability; "" where it has */
    size_t tuned;                  /* sizes of products whose tiles have been measured: `yoke tune` */
    char facts[8192];              /* facts_write; "" where it was not asked */
} probe_device;

typedef enum probe_outcome {
    PROBE_ANSWERED,
    PROBE_FAILED,  /* it answered that it cannot: `message` */
    PROBE_LATE,    /* it did not answer in time */
    PROBE_CRASHED, /* `code` is the signal */
    PROBE_ENDED    /* it ended the process: `code` is the exit status */
} probe_outcome;

/* What is asked, and what has come of it. */
typedef struct probe {
    char *what;           /* "cuda", "opencl", or the file of an ICD */
    const char *backend;  /* or NULL for what the environment orders */
    const char *selector; /* open only the device of this selector; NULL: list all and open each */
    bool as_program;      /* open only the device that a program gets that names none, in the way of a program */
    char *icd_folder;     /* OpenCL's loader is to look here alone; NULL: where it always does */
    char *icd_library;    /* what the ICD file names */
    bool ask_library;     /* with no platform in the answer, say why the library cannot be opened */
    bool ask_facts;       /* fill `facts` */

    probe_outcome outcome;
    int code;
    yoke_status status;
    double seconds;      /* that it took */
    char *doing;         /* what it was asked last */
    char *message;       /* the failure of the whole; or NULL */
    char *report;        /* yoke_device_get_report, lines; or NULL */
    char *library_fault; /* why the ICD's library cannot be opened; or NULL */
    char *said;          /* the end of what the driver has printed; or NULL */
    probe_device *devices;
    size_t count;

    /* While it runs. */
    pid_t pid;
    int answer_fd, said_fd;
    tool_string answer, printed;
} probe;

/* Ask all of them at once, and give each so many seconds. Not before a driver is started in this process. */
void probe_run(probe *probes, size_t count, unsigned seconds);

void probe_free(probe *probes, size_t count);

#endif
