/* SPDX-License-Identifier: Apache-2.0 */
/* The environment, in UTF-8, and the user's folders. */
#ifndef YK_SYSTEM_ENVIRONMENT_H
#define YK_SYSTEM_ENVIRONMENT_H

#include <stdbool.h>

/* A variable; NULL when it is unset, or when the program runs with rights that its user does not have. */
const char *yk_environment(const char *name);
/* Whether the program runs with rights that its user does not have, as far as the environment tells. */
bool yk_environment_is_foreign(void);
void yk_environment_set(const char *name, const char *value);
void yk_environment_unset(const char *name);

/* The folder for what can be made again: a folder that the environment names, and what follows it in the path, as "/.cache/yoke".
 * NULL: the environment names none, and *out_rest is the variable to set. */
const char *yk_user_cache_folder(const char **out_rest);

#endif
