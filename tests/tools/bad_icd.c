/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL driver that is broken: copies of it do, as soon as they are loaded, what their file's name says: crash, hang, exit.
 * Under any other name it loads and is no driver.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void misbehave(void)
{
    static int here;
    Dl_info own;
    const char *name = dladdr(&here, &own) && own.dli_fname ? strrchr(own.dli_fname, '/') : NULL;
    if (!name)
        return;
    fprintf(stderr, "this is the driver%s\n", name);
    if (strstr(name, "crash"))
        raise(SIGSEGV);
    if (strstr(name, "exit"))
        _exit(7);
    while (strstr(name, "hang"))
        pause();
}
