/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program with Yoke opens and where it keeps things, told line by line: rights.sh runs it as different users. Yoke is inside
 * of it, since the loader takes a set-user-id program's libraries from the system's folders only.
 */
#include <stdio.h>
#include <sys/auxv.h>

#include <yoke/yoke.h>

#include "../../backends/cuda/driver.h"
#include "program/cache/program_cache.h"
#include "trace/trace.h"

int main(void)
{
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    yk_text key = { 0 }, image = { 0 }, log = { 0 };
    size_t count = 0;

    printf("other rights: %s\n", getauxval(AT_SECURE) ? "yes" : "no");
    if (yoke_device_count(&count) < 0)
        printf("devices: %s\n", yoke_error()->text);
    printf("report: %s\n", yoke_device_get_report());
    printf("NVRTC: %s\n", yk_nvrtc_load(&log) < 0 ? yoke_error()->text : "found");
    printf("trace: %s\n", yk_trace_file_open(1) ? "yes" : "no");
    yk_text_add(&key, "key");
    yk_text_add(&image, "image");
    yk_cache_store(&key, &image);
    if (yoke_cache_get_info(&info) < 0)
        return 1;
    printf("cache: %s %s\n", info.mode == YOKE_CACHE_OFF ? "off" : info.folder, info.reason);
    yk_text_free(&key);
    yk_text_free(&image);
    yk_text_free(&log);
    return 0;
}
