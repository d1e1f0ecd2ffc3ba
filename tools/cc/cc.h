/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `yoke cc`: a form is one file, in CUDA C++ or in OpenCL C, with the kernels that are in it. */
#ifndef CC_H
#define CC_H

#include "tools/ground/tool.h"
#include "tools/run/run.h"

typedef struct cc_param {
    int32_t kind;      /* YOKE_PARAM_ */
    int32_t read_only; /* as in yoke_param_info */
    uint32_t bytes;    /* 0: not known */
    char name[40], type[40];
} cc_param;

typedef struct cc_kernel {
    char *name;
    bool known; /* its parameters are */
    cc_param *params;
    size_t count;
    char *problem; /* why it cannot be looked up, or NULL */
    yoke_kernel_info info;
} cc_kernel;

/* The compiled form of a text: a program binary, a cubin, PTX or SPIR-V. */
typedef struct cc_code {
    const char *target; /* "sm_90", or "spirv" */
    char *bytes;
    size_t size;
} cc_code;

enum { CC_MOST = 64 }; /* of any option */

typedef enum cc_state { CC_ABSENT, CC_UNTRIED, CC_BROKEN, CC_COMPILED } cc_state;

typedef struct cc_form {
    const char *language, *backend; /* "CUDA", "cuda" */
    const char *path;               /* NULL: there is none */
    char *text;
    size_t size;
    cc_state state;
    char *why;      /* it was not tried, or does not compile */
    char *log;      /* of the compiler */
    char *device;   /* what it was compiled for */
    bool from_text; /* its kernels are read from the text, by cc_read */
    cc_kernel *kernels;
    size_t kernel_count;
    cc_code *codes;
    size_t code_count;
    char *folder, *typed_folder;              /* of the file: absolute, and as the command line has it */
    const char *include_folders[CC_MOST + 1]; /* that one, and those of -I */
} cc_form;

/* What --size n=1000 and its like set: NAME=VALUE, for the parameter of this name. */
typedef struct cc_setting {
    const char *option, *name, *value; /* the name ends at '=' */
    size_t length;                     /* of the name */
    bool used;                         /* some kernel has such a parameter */
} cc_setting;

typedef struct cc_settings {
    cc_setting list[CC_MOST];
    size_t count;
} cc_settings;

/* The options of --run. */
typedef struct cc_run {
    bool wanted;
    const char *replay; /* a record, or a folder of them; NULL: none */
    const char *other;  /* one of the options for --run alone was given */
    const char *either; /* one of those for both */
    const char *kernel; /* NULL: all */
    cc_settings sizes, ranges, files, types;
    uint64_t seed, ulps;
    yoke_dim grid, block; /* x is 0: not given */
    size_t shared;
} cc_run;

typedef struct cc_options {
    cc_form forms[2]; /* CUDA, OpenCL */
    cc_run run;
    const char *devices[CC_MOST], *defines[CC_MOST], *folders[CC_MOST], *name_expressions[CC_MOST], *architectures[CC_MOST];
    const char *typed_folders[CC_MOST]; /* as the command line has them */
    size_t device_count, define_count, folder_count, name_count, architecture_count;
    const char *opencl_std, *cuda_std;
    int32_t math;
    bool spirv;
    const char *output, *name, *depfile; /* NULL: not given */
    char ptx[32];                        /* the newest architecture, as PTX, where no PTX is named */
} cc_options;

/* ---- Forms: form.c ---- */

cc_kernel *cc_add_kernel(cc_form *form, const char *name, size_t length);
cc_param *cc_add_param(cc_kernel *kernel);
/* Takes the bytes over. */
void cc_add_code(cc_form *form, const char *target, char *bytes, size_t size);
void cc_free_form(cc_form *form);

/* The source of a form, which has its text alone. */
yoke_source cc_source(const cc_options *o, const cc_form *form);
/* The text with its includes expanded, to be freed; NULL with a record when that fails. */
char *cc_expand(const cc_options *o, const cc_form *form, size_t *out_size);
/* "scale_float" for "scale<float>": OpenCL C has another spelling for a name of C++. */
void cc_spell_as_opencl(char *name);

/* ---- The command line: options.c ---- */

/* Read it, and the files that it names. Returns an exit code; -1 after --help. */
int cc_read_options(const tool_command *command, int argc, char **argv, cc_options *o);
/* Whether a path ends so, and has more before it; false for NULL. */
bool cc_ends(const char *path, const char *suffix);

/* Whether a rule for make can have this name, escaped where that is certain to work; and what is said of another. */
bool cc_fits_rule(const char *name);
#define CC_NO_RULE "begins with ~ or has one of \" \\ ? : ; * | %% = [ or a control character"

/* The header's name beside o->output; to be freed. NULL: that is not a C file. */
char *cc_header(const cc_options *o);
/* The name of the source: o->name, else the file's, as an identifier; to be freed. */
char *cc_name(const cc_options *o);

/* The options of --run, beyond the letters of the others: run_options.c. Returns an exit code. */
enum { CC_RUN = 256, CC_REPLAY, CC_KERNEL, CC_SIZE, CC_RANGE, CC_DATA, CC_TYPE, CC_SEED, CC_ULPS, CC_GRID, CC_BLOCK, CC_SHARED };
int cc_take_run_option(const tool_command *command, cc_run *run, int option);
/* The setting for a parameter, by either of its names, marked as used; NULL: there is none. */
cc_setting *cc_find_setting(cc_settings *settings, const char *name, const char *other_name);
/* The number that a --size has: a number, or a product of numbers and of other sizes. False: complained. */
bool cc_size_of(const tool_command *command, cc_run *run, const cc_setting *setting, size_t *out_size);
/* The end of `from` and `to`, of "0:1", or twice the same of "2". */
bool cc_range_of(const char *text, double *out_from, double *out_to);

/* A YOKE_PARAM_ in a word: "image"; "" for what is not known. */
const char *cc_kind_word(int32_t kind);

/* ---- Compiling without a device: compile.c, spirv.c ---- */

/* Compile the CUDA form for every architecture; sets its state, codes and kernels. */
void cc_compile_for(const cc_options *o, cc_form *form, uint32_t flags);
/* Name the instances of templates as their twins are named; of compiled code, find the kernels that need an expression. */
void cc_check_names(const cc_options *o, cc_form *form);
/* Compile the OpenCL form to SPIR-V with clang and llvm-spirv. False: form->why says why not. */
bool cc_compile_spirv(const cc_options *o, cc_form *form);

/* ---- Writing: embed.c ---- */

/* Write o->output, FILE.c with FILE.h beside it, or a bare file of code. Returns an exit code. */
int cc_write(const tool_command *command, const cc_options *o);
/* A rule for make that says what o->output is made of; to be freed. NULL: complained. */
char *cc_list_files(const tool_command *command, const cc_options *o);

/* Read the kernels that a text declares, without compiling it: macros are not expanded, and templates are not seen through. */
void cc_read(const cc_options *o, cc_form *form);

/* ---- Running: run.c, generate.c, replay.c ---- */

/* A form that runs on a device. */
typedef struct cc_side {
    cc_form *form;
    yoke_device *device;
    yoke_device_info info;
    yoke_program *program;
    char *name; /* "saxpy.cu on cuda:0" */
} cc_side;

/* The form that the device takes, which the side takes over; or that of the selector. Return an exit code. */
int cc_take_device(const tool_command *command, cc_options *o, yoke_device *device, cc_side *s);
int cc_take_selector(const tool_command *command, cc_options *o, const char *selector, cc_side *s);
int cc_build_side(const tool_command *command, const cc_options *o, cc_side *s);
void cc_free_side(cc_side *s);
/* What the side calls the kernel: an instance of a template has another name in C++. NULL: it has none. */
yoke_kernel *cc_find_kernel(const cc_options *o, const cc_side *s, const char *name);

/* Run what o->run.replay has, a file or a folder, by the forms that there are. Returns an exit code. */
int cc_replay(const tool_command *command, cc_options *o);

/* Launch both forms with the same data, each kernel on a device of each, and compare what they leave. Returns an exit code. */
int cc_run_forms(const tool_command *command, cc_options *o);
/* The launch of a kernel, as both forms declare it, with data for each parameter. Returns an exit code; complains. */
int cc_make_case(const tool_command *command, cc_run *run, yoke_kernel *const kernels[2], run_case *out_case);
/* An open device of the form's backend; NULL: form->why says why there is none. */
yoke_device *cc_open_device(const cc_options *o, cc_form *form);

/* Append a line for each place where two forms differ; returns how many there are. */
size_t cc_compare(const cc_form *cuda, const cc_form *opencl, tool_string *words);

#endif
