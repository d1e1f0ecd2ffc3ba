/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names from the program or a driver: truncated at character boundaries and made valid UTF-8, because messages, traces and JSON
 * contain them. And strings that live as long as the process, in a growing hash table.
 */
#include "base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Letters ---- */

/* The valid second bytes depend on the first: no overlong encodings, and no surrogates. */
static bool may_follow(unsigned char first, unsigned char second)
{
    unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= least && second <= most;
}

static size_t length_from(unsigned char first)
{
    return first < 0x80 ? 1 : first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

size_t yk_letter(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = length_from(bytes[0]);
    if (length > 1 && !may_follow(bytes[0], bytes[1]))
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

void yk_make_utf8(char *text)
{
    for (size_t length; *text; text += length) {
        length = yk_letter(text);
        if (length == 0) {
            *text = '?';
            length = 1;
        }
    }
}

/* How many of these bytes are whole characters, when the text was truncated behind them. */
static size_t whole_letters(const char *text, size_t length)
{
    size_t back = 0;
    while (back < length && back < 3 && ((unsigned char)text[length - 1 - back] & 0xc0) == 0x80)
        back++;
    return back < length && length_from((unsigned char)text[length - 1 - back]) > back + 1 ? length - 1 - back : length;
}

void yk_string_copy(char *target, size_t size, const char *source)
{
    if (size == 0)
        return;
    size_t length = source ? strnlen(source, size - 1) : 0;
    if (length > 0 && length == size - 1)
        length = whole_letters(source, length);
    if (length > 0)
        memmove(target, source, length);
    target[length] = '\0';
}

void yk_name_copy(char *target, size_t size, const char *name)
{
    yk_string_copy(target, size, name);
    if (size > 0)
        yk_make_utf8(target);
}

void yk_label(char label[YK_LABEL_SIZE], const char *name, uint64_t number)
{
    char kept[YK_NAME_SIZE];
    yk_name_copy(kept, sizeof kept, name);
    if (*kept)
        snprintf(label, YK_LABEL_SIZE, "'%s'", kept);
    else
        snprintf(label, YK_LABEL_SIZE, "%" PRIu64, number);
}

/* ---- Lasting texts ---- */

typedef struct lasting {
    struct lasting *next; /* in the same chain */
    uint64_t hash;
    char text[];
} lasting;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows */
static lasting **chains;                                 /* a power of two */
static size_t chain_count, lasting_count;

/* FNV-1a. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

/* With the lock held. Double the chains once there is a text for each; without memory for them, the chains only grow longer. */
static void make_room(void)
{
    size_t count = chain_count > 0 ? 2 * chain_count : 64;
    if (lasting_count < chain_count)
        return;
    lasting **grown = calloc(count, sizeof(lasting *));
    if (!grown)
        return;
    for (size_t i = 0; i < chain_count; i++) {
        for (lasting *one = chains[i], *next; one; one = next) {
            next = one->next;
            one->next = grown[one->hash & (count - 1)];
            grown[one->hash & (count - 1)] = one;
        }
    }
    free(chains);
    chains = grown;
    chain_count = count;
}

/* With the lock held. */
static lasting *find(const char *text, uint64_t hash)
{
    lasting *found = chain_count > 0 ? chains[hash & (chain_count - 1)] : NULL;
    while (found && (found->hash != hash || strcmp(found->text, text) != 0))
        found = found->next;
    return found;
}

/* With the lock held. */
static lasting *add(const char *text, uint64_t hash)
{
    size_t size = strlen(text) + 1;
    make_room();
    lasting *added = chain_count > 0 ? malloc(sizeof *added + size) : NULL;
    if (!added)
        return NULL;
    memcpy(added->text, text, size);
    added->hash = hash;
    added->next = chains[hash & (chain_count - 1)];
    chains[hash & (chain_count - 1)] = added;
    lasting_count++;
    return added;
}

void yk_intern_lock(void)
{
    pthread_mutex_lock(&lock);
}

void yk_intern_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

const char *yk_intern(const char *text)
{
    uint64_t hash = hash_of(text);
    pthread_mutex_lock(&lock);
    lasting *found = find(text, hash);
    if (!found)
        found = add(text, hash);
    pthread_mutex_unlock(&lock);
    if (!found)
        yk_no_memory("a name");
    return found ? found->text : NULL;
}

size_t yk_intern_longest(void)
{
    size_t longest = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < chain_count; i++) {
        size_t length = 0;
        for (const lasting *one = chains[i]; one; one = one->next)
            length++;
        longest = length > longest ? length : longest;
    }
    pthread_mutex_unlock(&lock);
    return longest;
}
