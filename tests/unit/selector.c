/* SPDX-License-Identifier: Apache-2.0 */
/* Selectors: what is understood, what is refused and with which advice, which device is meant, and which comes first. */
#include "device/selector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tap/tap.h"

static void understood(void)
{
    static const struct {
        const char *selector, *backend;
        yk_select_by by;
        int32_t number;
        const char *text;
    } cases[] = {
        { "cuda", "cuda", YK_BY_ANY, 0, "" },
        { "OpenCL", "opencl", YK_BY_ANY, 0, "" },
        { "cuda:0", "cuda", YK_BY_INDEX, 0, "" },
        { "opencl:12", "opencl", YK_BY_INDEX, 12, "" },
        { "opencl:999999999", "opencl", YK_BY_INDEX, 999999999, "" },
        { "opencl:gpu", "opencl", YK_BY_KIND, YOKE_DEVICE_GPU, "" },
        { "opencl:accelerator", "opencl", YK_BY_KIND, YOKE_DEVICE_ACCELERATOR, "" },
        { "opencl:CPU", "opencl", YK_BY_KIND, YOKE_DEVICE_CPU, "" },
        { "opencl:emulator", "opencl", YK_BY_KIND, YOKE_DEVICE_EMULATOR, "" },
        { "uuid:68b8d1d4-5525-541e-965b-bc69d86e3b6f", "", YK_BY_UUID, 0, "68b8d1d45525541e965bbc69d86e3b6f" },
        { "uuid:GPU-68B8D1D4-5525-541e-965b-bc69d86e3b6f", "", YK_BY_UUID, 0, "68b8d1d45525541e965bbc69d86e3b6f" },
        { "cuda:uuid:68b8d1d45525541e965bbc69d86e3b6f", "cuda", YK_BY_UUID, 0, "68b8d1d45525541e965bbc69d86e3b6f" },
        { "pci:0000:17:00.0", "", YK_BY_PCI, 0, "0000:17:00.0" },
        { "pci:17:00.0", "", YK_BY_PCI, 0, "0000:17:00.0" },
        { "pci:17:0", "", YK_BY_PCI, 0, "0000:17:00.0" },
        { "pci:00000000:3D:00.1", "", YK_BY_PCI, 0, "0000:3d:00.1" },
        { "opencl:pci:10000:01:1f.7", "opencl", YK_BY_PCI, 0, "10000:01:1f.7" },
        { "name~H200", "", YK_BY_NAME, 0, "H200" },
        { "opencl:name~a: b~c", "opencl", YK_BY_NAME, 0, "a: b~c" },
    };
    for (size_t i = 0; i < YK_COUNT_OF(cases); i++) {
        yk_selector got;
        yoke_status status = yk_selector_parse(NULL, cases[i].selector, &got);
        tap_ok(status == YOKE_OK && strcmp(got.backend, cases[i].backend) == 0 && got.by == cases[i].by &&
                   got.number == cases[i].number && strcmp(got.text, cases[i].text) == 0,
               "\"%s\" is understood", cases[i].selector);
    }
}

static void refused(void)
{
    static const struct {
        const char *selector, *advice;
    } cases[] = {
        { "", "a selector is a backend (cuda, opencl)" },
        { "cude", "did you mean \"cuda\"?" },
        { "opnecl:0", "did you mean \"opencl\"?" },
        { "gpu", "did you mean \"opencl:gpu\" or \"cuda:gpu\"?" },
        { "CPU", "the backend is missing, did you mean \"opencl:CPU\"" },
        { "emulator", "did you mean \"opencl:emulator\"" },
        { "0", "did you mean \"opencl:0\" or \"cuda:0\"?" },
        { "0x", "is neither a backend" },
        { "gpus", "is neither a backend" },
        { "cuda:", "after the backend" },
        { "opencl:gpuu", "did you mean \"gpu\"?" },
        { "opencl:acelerator", "did you mean \"accelerator\"?" },
        { "cuda:-1", "after the backend" },
        { "cuda:1x", "a number below" },
        { "cuda:1000000000", "a number below" },
        { "cuda:99999999999999999999999", "a number below" },
        { "cuda~0", "is neither a backend" },
        { "uuid:", "32 hexadecimal digits" },
        { "uuid:68b8d1d4-5525-541e-965b-bc69d86e3b6", "32 hexadecimal digits" },
        { "uuid:68b8d1d4-5525-541e-965b-bc69d86e3b6ff", "32 hexadecimal digits" },
        { "uuid:68b8d1d4-5525-541e-965b-bc69d86e3b6g", "32 hexadecimal digits" },
        { "uid:68b8d1d4-5525-541e-965b-bc69d86e3b6f", "did you mean \"uuid:\"?" },
        { "pci:", "0000:17:00.0" },
        { "pci:17", "0000:17:00.0" },
        { "pci:0000:17:00.00", "0000:17:00.0" },
        { "pci: 17:00.0", "0000:17:00.0" },
        { "pci:0x17:00.0", "0000:17:00.0" },
        { "pci:0:0:17:00.0", "0000:17:00.0" },
        { "name~", "a part of a device's name" },
        { "name:H200", "did you mean \"name~\"?" },
    };
    for (size_t i = 0; i < YK_COUNT_OF(cases); i++) {
        yk_selector got;
        yoke_status status = yk_selector_parse("YOKE_DEVICE", cases[i].selector, &got);
        if (!tap_ok(status == YOKE_E_INVALID_ARGUMENT && strstr(yoke_error()->text, cases[i].advice),
                    "\"%s\" is refused, with advice", cases[i].selector))
            tap_diag("%s", yoke_error()->text);
        tap_ok(strncmp(yoke_error()->text, "YOKE_DEVICE=", 12) == 0, "and with who said it");
    }
    char name[400] = "name~";
    memset(name + 5, 'n', sizeof name - 5);
    name[sizeof name - 1] = '\0';
    yk_selector got;
    tap_is(yk_selector_parse(NULL, name, &got), YOKE_E_INVALID_ARGUMENT, "a name without end is refused");
    name[5 + 127] = '\0';
    tap_is(yk_selector_parse(NULL, name, &got), YOKE_OK, "127 characters are not");
}

static void set(const char *backend, const char *device)
{
    if (backend)
        setenv("YOKE_BACKEND", backend, 1);
    else
        unsetenv("YOKE_BACKEND");
    if (device)
        setenv("YOKE_DEVICE", device, 1);
    else
        unsetenv("YOKE_DEVICE");
}

/* What the environment and a selector order together, as "backend/by/origin", or the failure's text. */
static const char *order(const char *backend, const char *device, const char *selector)
{
    static char text[800];
    yk_selector got;
    set(backend, device);
    if (yk_order_read(selector, &got) < 0)
        snprintf(text, sizeof text, "%s", yoke_error()->text);
    else
        snprintf(text, sizeof text, "%s/%d/%s", got.backend, (int)got.by, got.origin);
    set(NULL, NULL);
    return text;
}

static void ordered(void)
{
    tap_is(order(NULL, NULL, NULL), "/0/", "nothing is ordered");
    tap_is(order("", "", NULL), "/0/", "an empty variable is unset");
    tap_is(order("cuda", NULL, NULL), "cuda/0/YOKE_BACKEND=cuda", "YOKE_BACKEND orders");
    tap_is(order(NULL, "opencl:1", NULL), "opencl/1/YOKE_DEVICE=opencl:1", "YOKE_DEVICE orders");
    tap_is(order("opencl", "opencl:1", NULL), "opencl/1/YOKE_DEVICE=opencl:1", "both agree");
    tap_is(order("opencl", "name~x", NULL), "opencl/5/YOKE_DEVICE=name~x with YOKE_BACKEND=opencl", "both complete each other");
    tap_is(order("opencl", "cuda:0", NULL), "YOKE_DEVICE=cuda:0 contradicts YOKE_BACKEND=opencl: unset one of them",
           "both contradict each other");
    tap_is(order(NULL, "opencl:1", "cuda:0"), "cuda/1/selector \"cuda:0\"", "a selector comes before YOKE_DEVICE");
    tap_is(order("opencl", NULL, "cuda:0"), "cuda/1/selector \"cuda:0\"", "and before YOKE_BACKEND when it names a backend");
    tap_is(order("opencl", NULL, "name~x"), "opencl/5/selector \"name~x\" with YOKE_BACKEND=opencl",
           "and keeps it when it names none");
    tap_is(order("opnecl", NULL, NULL), "YOKE_BACKEND=opnecl: no such backend, did you mean \"opencl\"?; use cuda or opencl",
           "an unknown backend is refused");
    tap_is(order("vulkan", NULL, "cuda:0"), "YOKE_BACKEND=vulkan: no such backend; use cuda or opencl",
           "also when a selector names another");
    tap_is(order("cuda:0", NULL, NULL), "YOKE_BACKEND=cuda:0: no such backend, did you mean \"cuda\"?; use cuda or opencl",
           "a device is no backend");
}

static yoke_device_info device(const char *backend, int32_t index, int32_t kind, const char *name)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yk_string_copy(info.backend, sizeof info.backend, backend);
    yk_string_copy(info.name, sizeof info.name, name);
    info.index = index;
    info.kind = kind;
    return info;
}

static bool takes(const char *selector, const yoke_device_info *info)
{
    yk_selector parsed;
    return yk_selector_parse(NULL, selector, &parsed) == YOKE_OK && yk_selector_takes(&parsed, info);
}

static void meant(void)
{
    yoke_device_info gpu = device("cuda", 1, YOKE_DEVICE_GPU, "NVIDIA H200");
    yoke_device_info nowhere = device("opencl", 0, YOKE_DEVICE_CPU, "pthread");
    strcpy(gpu.pci, "0000:3D:00.0");
    strcpy(gpu.uuid, "68b8d1d4-5525-541e-965b-bc69d86e3b6f");
    tap_ok(takes("cuda", &gpu) && !takes("opencl", &gpu), "by backend");
    tap_ok(takes("cuda:1", &gpu) && !takes("cuda:0", &gpu) && !takes("opencl:1", &gpu), "by index");
    tap_ok(takes("cuda:gpu", &gpu) && !takes("cuda:cpu", &gpu), "by kind");
    tap_ok(takes("name~h2", &gpu) && !takes("name~h100", &gpu) && !takes("opencl:name~h2", &gpu),
           "by a part of the name, in any case");
    tap_ok(takes("pci:3d:00.0", &gpu) && !takes("pci:3d:00.1", &gpu), "by PCI address");
    tap_ok(takes("uuid:68B8D1D4-5525-541E-965B-BC69D86E3B6F", &gpu) && !takes("uuid:00000000-5525-541e-965b-bc69d86e3b6f", &gpu),
           "by UUID");
    tap_ok(!takes("pci:00:00.0", &nowhere) && !takes("uuid:00000000000000000000000000000000", &nowhere),
           "a device without them is never meant");
}

static void ranked(void)
{
    yoke_device_info infos[] = {
        device("opencl", 0, YOKE_DEVICE_EMULATOR, "g"),
        device("opencl", 1, YOKE_DEVICE_CPU, "e"),
        device("cuda", 0, YOKE_DEVICE_GPU, "a"),
        device("opencl", 2, YOKE_DEVICE_GPU, "c"),
        device("opencl", 3, 77, "h"),
        device("opencl", 4, YOKE_DEVICE_ACCELERATOR, "d"),
        device("opencl", 5, YOKE_DEVICE_CPU, "f"),
        device("cuda", 1, YOKE_DEVICE_GPU, "b"),
    };
    char names[YK_COUNT_OF(infos) + 1] = "";
    yk_rank(infos, YK_COUNT_OF(infos));
    for (size_t i = 0; i < YK_COUNT_OF(infos); i++)
        strcat(names, infos[i].name);
    tap_is((const char *)names, "abcdefgh", "CUDA, GPU, accelerator, CPU, emulators; else as they were");
    yk_rank(NULL, 0);
    tap_is(yk_device_kind_word(YOKE_DEVICE_EMULATOR), "emulator", "a kind has a word");
    tap_is(yk_device_kind_word(9), "device", "what is no kind has one too");
}

static void near(void)
{
    yoke_device_info infos[] = { device("cuda", 0, YOKE_DEVICE_GPU, "NVIDIA H200 NVL"),
                                 device("opencl", 0, YOKE_DEVICE_CPU, "pthread-Xeon") };
    yk_selector selector;
    char word[64];
    yk_selector_parse(NULL, "name~H20O", &selector);
    tap_ok(yk_selector_nearest_name(&selector, infos, 2, word, sizeof word) && strcmp(word, "H200") == 0,
           "a word of a name is near");
    yk_selector_parse(NULL, "name~Radeon", &selector);
    tap_ok(!yk_selector_nearest_name(&selector, infos, 2, word, sizeof word), "or none is");
    yk_selector_parse(NULL, "cuda:0", &selector);
    tap_ok(!yk_selector_nearest_name(&selector, infos, 2, word, sizeof word), "other selectors have no near name");
}

int main(void)
{
    tap_start(60);
    set(NULL, NULL);
    understood();
    refused();
    ordered();
    meant();
    ranked();
    near();
    return tap_done();
}
