/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of a Windows process. */
#include "base/system/environment.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/system/windows/wide.h"

/* Values that were read, in UTF-8, for the life of the process; a variable that has changed gets another one. Each library has a
 * list of its own, which does no harm. */
typedef struct value {
    struct value *next;
    char *text;
    char name[];
} value;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects `values` */
static value *values;

/* With the lock held. Takes the text over. */
static const char *keep(const char *name, char *text)
{
    for (const value *one = values; one; one = one->next)
        if (strcmp(one->name, name) == 0 && strcmp(one->text, text) == 0) {
            free(text);
            return one->text;
        }
    value *added = malloc(sizeof *added + strlen(name) + 1);
    if (!added) {
        free(text);
        return NULL;
    }
    memcpy(added->name, name, strlen(name) + 1);
    added->text = text;
    added->next = values;
    values = added;
    return text;
}

const char *yk_environment(const char *name)
{
    wchar_t *wide = yk_wide(name);
    const wchar_t *found = wide ? _wgetenv(wide) : NULL;
    char *text = found ? yk_narrow(found, false) : NULL;
    free(wide);
    if (!text)
        return NULL;
    pthread_mutex_lock(&lock);
    const char *kept = keep(name, text);
    pthread_mutex_unlock(&lock);
    return kept;
}

/* A process has the rights of its user here, or those of the user's that an administrator's consent adds. */
bool yk_environment_is_foreign(void)
{
    return false;
}

void yk_environment_set(const char *name, const char *value)
{
    wchar_t *wide = yk_wide(name), *to = yk_wide(value);
    if (wide && to)
        (void)_wputenv_s(wide, to);
    free(to);
    free(wide);
}

void yk_environment_unset(const char *name)
{
    yk_environment_set(name, "");
}

const char *yk_user_cache_folder(const char **out_rest)
{
    const char *local = yk_environment("LOCALAPPDATA");
    *out_rest = local && *local ? "/yoke" : "LOCALAPPDATA";
    return local && *local ? local : NULL;
}
