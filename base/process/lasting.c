/* SPDX-License-Identifier: Apache-2.0 */
/* Strings that live as long as the process, in a growing hash table. */
#include "base/process/lasting.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/error.h"

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
