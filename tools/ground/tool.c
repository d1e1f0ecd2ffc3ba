/* SPDX-License-Identifier: Apache-2.0 */
/* What the subcommands share: see tool.h. */
#include "tools/ground/tool.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The command line ---- */

static void complain(const tool_command *command, const char *format, va_list args)
{
    fflush(stdout);
    fprintf(stderr, "yoke %s: ", command->name);
    vfprintf(stderr, format, args);
}

void tool_complain(const tool_command *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(command, format, args);
    va_end(args);
    fprintf(stderr, "\n");
}

int tool_misused(const tool_command *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (format)
        complain(command, format, args);
    va_end(args);
    fprintf(stderr, "%s'yoke %s --help' prints the options\n", format ? "; " : "", command->name);
    return TOOL_USAGE;
}

int tool_no_device(const tool_command *command)
{
    yoke_status status = yoke_error()->status;
    tool_complain(command, "%s", yoke_error()->text);
    if (status == YOKE_E_INVALID_ARGUMENT)
        return TOOL_USAGE;
    fprintf(stderr, "'yoke info' says what was tried, and what to do about it.\n");
    return TOOL_NO_DEVICE;
}

bool tool_backend_exists(const tool_command *command)
{
    const char *order = getenv("YOKE_BACKEND");
    bool exists = !order || !*order || strcasecmp(order, "cuda") == 0 || strcasecmp(order, "opencl") == 0;
    if (!exists)
        tool_misused(command, "YOKE_BACKEND=%s: no such backend; the backends are cuda and opencl", order);
    return exists;
}

bool tool_number(const char *text, long least, long most, long *out_number)
{
    char *end;
    errno = 0;
    *out_number = strtol(text, &end, 10);
    return *text && !*end && errno == 0 && *out_number >= least && *out_number <= most;
}

/* ---- Signals ---- */

static struct sigaction of_children, of_sizes; /* the caller's */

void tool_set_signals(void)
{
    struct sigaction usual = { .sa_handler = SIG_DFL }, ignored = { .sa_handler = SIG_IGN };
    sigaction(SIGCHLD, &usual, &of_children);
    sigaction(SIGXFSZ, &ignored, &of_sizes);
}

void tool_restore_signals(void)
{
    sigaction(SIGCHLD, &of_children, NULL);
    sigaction(SIGXFSZ, &of_sizes, NULL);
}

/* ---- Memory ---- */

_Noreturn void tool_no_memory(void)
{
    fprintf(stderr, "yoke: out of memory\n");
    exit(TOOL_WRONG);
}

static void *need(void *memory)
{
    if (!memory)
        tool_no_memory();
    return memory;
}

void *tool_alloc(size_t size)
{
    return need(calloc(1, size ? size : 1));
}

void *tool_grow(void *memory, size_t size)
{
    return need(realloc(memory, size ? size : 1));
}

static void add(tool_string *string, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length >= 0) {
        string->data = tool_grow(string->data, string->length + (size_t)length + 1);
        vsnprintf(string->data + string->length, (size_t)length + 1, format, again);
        string->length += (size_t)length;
    }
    va_end(again);
}

void tool_add(tool_string *string, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(string, format, args);
    va_end(args);
}

void tool_add_bytes(tool_string *string, const char *bytes, size_t size)
{
    string->data = tool_grow(string->data, string->length + size + 1);
    memcpy(string->data + string->length, bytes, size);
    string->length += size;
    string->data[string->length] = '\0';
}

char *tool_text(const char *format, ...)
{
    tool_string string = { 0 };
    va_list args;
    va_start(args, format);
    add(&string, format, args);
    va_end(args);
    return need(string.data);
}

/* What a pipe or a device has beyond this is taken for endless, as /dev/zero is. */
enum { MOST_PIPED = 64 << 20 };

char *tool_read_file(const char *path, size_t *out_size)
{
    char bytes[16384];
    tool_string text = { 0 };
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    struct stat about;
    bool ends = fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode);
    for (size_t got; (ends || text.length <= MOST_PIPED) && (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        tool_add_bytes(&text, bytes, got);
    int error = ferror(file) ? errno : !ends && text.length > MOST_PIPED ? EFBIG : 0;
    fclose(file);
    if (error) {
        free(text.data);
        errno = error;
        return NULL;
    }
    tool_add_bytes(&text, "", 0);
    if (out_size)
        *out_size = text.length;
    return text.data;
}

static bool are_one(const char *path, const char *other)
{
    struct stat one, two;
    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

/* Where a path's last name begins. */
static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool tool_is_same_file(const char *path, const char *other)
{
    if (!path || !other)
        return false;
    if (strcmp(path, other) == 0 || are_one(path, other))
        return true;
    if (strcmp(last_name(path), last_name(other)) != 0)
        return false;
    char *folder = tool_text("%.*s.", (int)(last_name(path) - path), path);
    char *other_folder = tool_text("%.*s.", (int)(last_name(other) - other), other);
    bool same = are_one(folder, other_folder);
    free(folder);
    free(other_folder);
    return same;
}

char *tool_make_folder(const char *name, char **out_why)
{
    const char *parent = getenv("TMPDIR");
    char *folder = tool_text("%s/%s.XXXXXX", parent && *parent ? parent : "/tmp", name);
    if (mkdtemp(folder))
        return folder;
    *out_why = tool_text("no folder for temporary files can be made in %s: %s; TMPDIR names another place",
                         parent && *parent ? parent : "/tmp", strerror(errno));
    free(folder);
    return NULL;
}

/* ---- Output ---- */

const tool_colours *tool_colours_of(FILE *stream)
{
    static const tool_colours some = { "\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[33m", "\033[0m" };
    static const tool_colours none = { "", "", "", "", "", "" };
    const char *order = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool wanted = !(order && *order) && terminal && strcmp(terminal, "dumb") != 0;
    return wanted && isatty(fileno(stream)) ? &some : &none;
}

/* Longer lines are hard to read, and in shorter ones there is no room for an indented text. */
enum { USUAL_WIDTH = 80, LEAST_WIDTH = 40, MOST_WIDTH = 100 };

int tool_width(FILE *stream)
{
    const char *order = getenv("COLUMNS");
    struct winsize size;
    long width = USUAL_WIDTH, columns;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    else if (order && tool_number(order, 1, 10000, &columns))
        width = columns;
    return width < LEAST_WIDTH ? LEAST_WIDTH : width > MOST_WIDTH ? MOST_WIDTH : (int)width;
}

void tool_wrap(FILE *stream, int indent, const char *text)
{
    int column = indent, width = tool_width(stream);
    while (*text) {
        int length = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + length > width) {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
        }
        fprintf(stream, "%s%.*s", column > indent ? " " : "", length, text);
        column += length + (column > indent);
        text += length;
        text += strspn(text, " \n");
    }
    fprintf(stream, "\n");
}

const char *tool_bytes(uint64_t bytes, char text[32])
{
    static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 6; unit++)
        value /= 1024;
    snprintf(text, 32, value == (double)(uint64_t)value ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text;
}

/* How many bytes of UTF-8 are a character here; 0 when they are none. */
static size_t character(const unsigned char *c)
{
    size_t length = c[0] < 0x80                   ? 1
                    : c[0] >= 0xC2 && c[0] < 0xE0 ? 2
                    : (c[0] & 0xF0) == 0xE0       ? 3
                    : c[0] >= 0xF0 && c[0] < 0xF5 ? 4
                                                  : 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    if ((c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] > 0x9F) || (c[0] == 0xF0 && c[1] < 0x90) ||
        (c[0] == 0xF4 && c[1] > 0x8F))
        return 0;
    return length;
}

void tool_clean(char *text)
{
    while (*text) {
        size_t length = character((unsigned char *)text);
        if (length == 0 || ((unsigned char)*text < ' ' && *text != '\n') || *text == 0x7F) {
            *text = *text == '\t' ? ' ' : '?';
            length = 1;
        }
        text += length;
    }
}

const char *tool_kind_word(int32_t kind)
{
    static const char *const words[] = { [0] = "device",
                                         [YOKE_DEVICE_GPU] = "gpu",
                                         [YOKE_DEVICE_ACCELERATOR] = "accelerator",
                                         [YOKE_DEVICE_CPU] = "cpu",
                                         [YOKE_DEVICE_EMULATOR] = "emulator" };
    _Static_assert(YK_COUNT_OF(words) == YOKE_DEVICE_EMULATOR + 1, "a word for each kind of device");
    return words[kind > 0 && (size_t)kind < YK_COUNT_OF(words) ? kind : 0];
}

/* ---- JSON ---- */

#ifdef HAVE_JANSSON
#include <jansson.h>

bool tool_has_json(const tool_command *command)
{
    (void)command;
    return true;
}

json_t *tool_json_text(const char *text)
{
    if (!text || !*text)
        return json_null();
    char *clean = tool_text("%s", text);
    tool_clean(clean);
    json_t *value = need(json_string(clean));
    free(clean);
    return value;
}

void tool_json_set(json_t *object, const char *name, json_t *value)
{
    if (json_object_set_new(object, name, value) != 0)
        need(NULL);
}

void tool_json_append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        need(NULL);
}

void tool_json_print(json_t *document)
{
    char *text = need(json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(9)));
    printf("%s\n", text);
    free(text);
    json_decref(document);
}
#else
bool tool_has_json(const tool_command *command)
{
    tool_complain(command, "--json: this yoke was built without libjansson (Debian: libjansson-dev), so it cannot write JSON");
    return false;
}
#endif
