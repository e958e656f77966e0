// SPDX-License-Identifier: Apache-2.0
//
// Variables of each thread's own. A process has 1024 pthread keys for all its libraries, and one
// that has none left must be able to coordinate; so these are the compiler's, and their ends are
// registered with the C library, as C++ does it.
#define _GNU_SOURCE
#include "CFileCoordinationSystem.h"
#include "result.h"

#include <stdatomic.h>

extern int __cxa_thread_atexit_impl(void (*end)(void *), void *value, void *library);
extern void *__dso_handle;

enum { SLOTS = 64 };

struct entry {
    void *value;
    void (*end)(void *);
};

static _Thread_local struct entry entries[SLOTS];
static _Atomic int taken;

int fcs_thread_slot(void) {
    int slot = atomic_fetch_add(&taken, 1);
    return slot < SLOTS ? slot : -ENOSPC;
}

void *fcs_thread_slot_value(int slot) { return entries[slot].value; }

static void finish(void *argument) {
    struct entry *entry = argument;
    struct entry ended = *entry;
    // What looks while it ends finds nothing.
    *entry = (struct entry){NULL, NULL};
    if (ended.value) ended.end(ended.value);
}

void fcs_thread_slot_set(int slot, void *value, void (*end)(void *)) {
    struct entry *entry = &entries[slot];
    int is_known = entry->end != NULL;
    *entry = (struct entry){value, end};
    if (!is_known) __cxa_thread_atexit_impl(finish, entry, &__dso_handle);
}
