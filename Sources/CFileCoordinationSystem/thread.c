// SPDX-License-Identifier: Apache-2.0
//
// Thread-local variables. A process has only 1024 pthread keys for all its libraries, and file
// coordination must work even if none is left. So these variables are those of the compiler, and
// their destructors are registered with the C library as for C++.
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
    // A call of `fcs_thread_slot_value` during the destructor gets NULL.
    *entry = (struct entry){NULL, NULL};
    if (ended.value) ended.end(ended.value);
}

void fcs_thread_slot_set(int slot, void *value, void (*end)(void *)) {
    struct entry *entry = &entries[slot];
    int is_known = entry->end != NULL;
    *entry = (struct entry){value, end};
    if (!is_known) __cxa_thread_atexit_impl(finish, entry, &__dso_handle);
}
