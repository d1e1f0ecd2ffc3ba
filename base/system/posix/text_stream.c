/* SPDX-License-Identifier: Apache-2.0 */
/* Streams to memory, which POSIX has. */
#include "base/system/text_stream.h"

#include <stdlib.h>

bool yk_text_stream_open(yk_text_stream *stream)
{
    *stream = (yk_text_stream){ 0 };
    stream->file = open_memstream(&stream->text, &stream->size);
    return stream->file;
}

char *yk_text_stream_close(yk_text_stream *stream)
{
    bool whole = !ferror(stream->file);
    if (fclose(stream->file) == 0 && whole)
        return stream->text;
    free(stream->text);
    return NULL;
}
