/* SPDX-License-Identifier: Apache-2.0 */
/* Records of launches of any bytes: what can be read is a launch that yoke cc --replay can make buffers for. */
#include "tools/run/run.h"

#include <string.h>

#include "fuzz.h"

static void check_arg(const run_case *c, size_t index)
{
    const run_arg *arg = &c->args[index];
    size_t sum = 0;
    FUZZ_EXPECT(strlen(arg->name) < sizeof arg->name && arg->same <= index);
    FUZZ_EXPECT(arg->kind == YOKE_PARAM_VALUE || arg->kind == YOKE_PARAM_BUFFER || arg->kind == YOKE_PARAM_LOCAL);
    FUZZ_EXPECT(arg->type.bytes <= 8 && (arg->type.bytes == 0 || arg->size % arg->type.bytes == 0));
    if (arg->same != index) {
        const run_arg *first = &c->args[arg->same];
        FUZZ_EXPECT(arg->kind == YOKE_PARAM_BUFFER && first->kind == YOKE_PARAM_BUFFER && first->size == arg->size);
    }
    for (size_t i = 0; arg->kind == YOKE_PARAM_VALUE && i < arg->size; i++)
        sum += arg->before[i];
    FUZZ_EXPECT(sum <= 255 * arg->size && (arg->kind == YOKE_PARAM_VALUE || !arg->before) && !arg->expected);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    run_case c;
    run_hashes *hashes;
    const char *why = run_parse_record((const char *)bytes, size, &c, &hashes);
    if (why) {
        FUZZ_EXPECT(*why && !hashes && !c.args && !c.kernel && c.count == 0);
        return 0;
    }
    FUZZ_EXPECT(hashes && c.count <= YOKE_MAX_ARGS && c.kernel && c.grid.x > 0 && c.block.z > 0);
    for (size_t i = 0; i < c.count; i++)
        check_arg(&c, i);
    free(hashes);
    run_free_case(&c);
    return 0;
}
