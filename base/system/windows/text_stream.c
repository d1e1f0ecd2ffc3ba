/* SPDX-License-Identifier: Apache-2.0 */
/* Streams to memory, by way of a file for temporary use, which the system keeps in memory and removes when it is closed. */
#include "base/system/text_stream.h"

#include <stdlib.h>
#include <windows.h>

bool yk_text_stream_open(yk_text_stream *stream)
{
    wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 1];
    *stream = (yk_text_stream){ 0 };
    if (GetTempPathW(MAX_PATH, folder) > 0 && GetTempFileNameW(folder, L"yk", 0, path) != 0)
        stream->file = _wfopen(path, L"w+bTD");
    return stream->file;
}

char *yk_text_stream_close(yk_text_stream *stream)
{
    long size = ftell(stream->file);
    bool whole = !ferror(stream->file) && size >= 0;
    char *text = whole ? malloc((size_t)size + 1) : NULL;
    rewind(stream->file);
    if (text && fread(text, 1, (size_t)size, stream->file) != (size_t)size) {
        free(text);
        text = NULL;
    }
    fclose(stream->file);
    if (text)
        text[size] = '\0';
    stream->size = text ? (size_t)size : 0;
    return stream->text = text;
}
