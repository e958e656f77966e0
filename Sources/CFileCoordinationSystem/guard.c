// SPDX-License-Identifier: Apache-2.0
//
// Keeps the program alive when a mapped file is truncated. Accessing a mapping beyond the end of
// its file raises SIGBUS, and every process that may write the file can truncate it. As display
// servers do for the buffers of their clients, the handler maps a page of zeros in place of the
// missing one and notes that it did. It runs as a signal handler, so the table consists of atomic
// variables.
//
// The fault may occur inside a sanitizer's runtime, which performs atomic accesses itself and holds
// locks meanwhile. So the handler is installed and runs without any function that sanitizers
// intercept.
#define _GNU_SOURCE
#include "CFileCoordinationSystem.h"
#include "result.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern int __sigaction(int signal, const struct sigaction *new, struct sigaction *old);

enum { CAPACITY = 16384, RESERVED = 1 };

struct entry {
    _Atomic uintptr_t base;    // 0: free; RESERVED: being filled in
    _Atomic size_t length;
    _Atomic int truncated;
};

static struct entry table[CAPACITY];
static _Atomic size_t used;    // the number of entries used so far
static struct sigaction previous;
static size_t page_size;
static int install_error;
static _Atomic int has_faults;    // whether any page was ever missing

NOT_INSTRUMENTED static struct entry *entry_over(uintptr_t address) {
    size_t count = atomic_load(&used);
    for (size_t i = 0; i < count; i++) {
        uintptr_t base = atomic_load(&table[i].base);
        if (base <= RESERVED || address < base) continue;
        if (address - base >= atomic_load(&table[i].length)) continue;
        if (atomic_load(&table[i].base) == base) return &table[i];
    }
    return NULL;
}

static struct entry *entry_at(uintptr_t base) {
    size_t count = atomic_load(&used);
    for (size_t i = 0; i < count; i++)
        if (atomic_load(&table[i].base) == base) return &table[i];
    return NULL;
}

NOT_INSTRUMENTED static void hand_on(int signal, siginfo_t *info, void *context) {
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(signal, info, context);
    } else if (previous.sa_handler == SIG_IGN && info->si_code <= 0) {
        return;    // A process sent it. Faults are not ignored.
    } else if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
        // The signal is blocked while this handler runs, and ends the process when the handler
        // returns.
        struct sigaction fatal = {.sa_handler = SIG_DFL};
        __sigaction(signal, &fatal, NULL);
        syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), signal);
    } else {
        previous.sa_handler(signal);
    }
}

NOT_INSTRUMENTED static void handle(int signal, siginfo_t *info, void *context) {
    int saved = errno;
    uintptr_t address = (uintptr_t)info->si_addr;
    struct entry *entry = info->si_code == BUS_ADRERR ? entry_over(address) : NULL;
    if (entry) {
        // This is noted before the page is mapped, so that a thread that reads zeros can look up
        // why.
        atomic_store(&has_faults, 1);
        atomic_store(&entry->truncated, 1);
        uintptr_t page = address & ~(uintptr_t)(page_size - 1);
        long mapped = syscall(
            SYS_mmap, page, page_size, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (mapped == -1) entry = NULL;
    }
    if (!entry) hand_on(signal, info, context);
    errno = saved;
}

static void install(void) {
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (__sigaction(SIGBUS, NULL, &previous) < 0 || __sigaction(SIGBUS, &action, NULL) < 0)
        install_error = -errno;
}

int fcs_mapping_protect(void *base, size_t length) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    if (install_error < 0) return install_error;
    if (entry_at((uintptr_t)base)) return 0;
    for (size_t i = 0; i < CAPACITY; i++) {
        uintptr_t expected = 0;
        if (!atomic_compare_exchange_strong(&table[i].base, &expected, RESERVED)) continue;
        atomic_store(&table[i].length, length);
        atomic_store(&table[i].truncated, 0);
        size_t count = atomic_load(&used);
        while (count < i + 1 && !atomic_compare_exchange_weak(&used, &count, i + 1)) {}
        atomic_store(&table[i].base, (uintptr_t)base);
        return 0;
    }
    return -ENOSPC;
}

void fcs_mapping_unprotect(void *base) {
    size_t count = atomic_load(&used);
    for (size_t i = 0; i < count; i++) {
        uintptr_t expected = (uintptr_t)base;
        atomic_compare_exchange_strong(&table[i].base, &expected, 0);
    }
}

int fcs_mapping_was_truncated(void *base) {
    // This check is made before each claim, so its usual case must be fast.
    if (!atomic_load(&has_faults)) return 0;
    struct entry *entry = entry_at((uintptr_t)base);
    return entry && atomic_load(&entry->truncated);
}
