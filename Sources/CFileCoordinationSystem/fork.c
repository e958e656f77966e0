// SPDX-License-Identifier: Apache-2.0
//
// A forked child inherits every descriptor, and the kernel and other processes would take it for
// its parent. So the descriptors in this table are closed in the child before fork() returns there.
// A word in memory that the kernel sets to zero in the child (MADV_WIPEONFORK) shows that a process
// is a forked child. The handler may only do what is async-signal-safe, so the table has one bit
// per descriptor and no lock.
#define _GNU_SOURCE
#include "CFileCoordinationSystem.h"
#include "result.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

enum { DESCRIPTORS = 65536, BITS = 64, WORDS = DESCRIPTORS / BITS };

static _Atomic uint64_t guarded[WORDS];
static uint64_t fallback_token;
uint64_t *_Nullable fcs_token_word;

static void install_guard(void);

// Held during fork(), and while a mapping is made that a child must not inherit. The kernel cannot
// make such a mapping in one call, so a fork between the two calls must be prevented.
static pthread_mutex_t making_mapping = PTHREAD_MUTEX_INITIALIZER;

void fcs_fork_hold(void) {
    install_guard();
    pthread_mutex_lock(&making_mapping);
}

void fcs_fork_release(void) { pthread_mutex_unlock(&making_mapping); }

static void before_fork(void) { pthread_mutex_lock(&making_mapping); }

static void in_parent(void) { pthread_mutex_unlock(&making_mapping); }

static void in_child(void) {
    int saved = errno;
    // This thread locked it in `before_fork`.
    pthread_mutex_unlock(&making_mapping);
    for (int i = 0; i < WORDS; i++) {
        uint64_t word = atomic_exchange(&guarded[i], 0);
        while (word) {
            close(i * BITS + __builtin_ctzll(word));
            word &= word - 1;
        }
    }
    // The kernel has wiped the page already, unless it is too old to support that.
    __atomic_store_n(fcs_token_word, 0, __ATOMIC_SEQ_CST);
    errno = saved;
}

static void arm(uint64_t *word) {
    uint64_t value = 0;
    // This blocks only while a machine boots. The fallback value still differs from the parent's.
    if (getrandom(&value, sizeof value, 0) != sizeof value)
        value = fcs_monotonic_now() ^ ((uint64_t)getpid() << 32);
    // A token that is set already is kept, because objects remember the token of their process.
    uint64_t expected = 0;
    __atomic_compare_exchange_n(
        word, &expected, value | 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void install(void) {
    uint64_t *word = &fallback_token;
    void *page = mmap(
        NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
        -1, 0);
    if (page != MAP_FAILED) {
        madvise(page, (size_t)sysconf(_SC_PAGESIZE), MADV_WIPEONFORK);
        word = page;
    }
    // The token is set before other threads see the word, because 0 means a forked child.
    arm(word);
    __atomic_store_n(&fcs_token_word, word, __ATOMIC_RELEASE);
    pthread_atfork(before_fork, in_parent, in_child);
}

static void install_guard(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
}

void fcs_close_in_child(int descriptor) {
    install_guard();
    if (descriptor < 0 || descriptor >= DESCRIPTORS) return;
    atomic_fetch_or(&guarded[descriptor / BITS], UINT64_C(1) << (descriptor % BITS));
}

void fcs_keep_in_child(int descriptor) {
    if (descriptor < 0 || descriptor >= DESCRIPTORS) return;
    atomic_fetch_and(&guarded[descriptor / BITS], ~(UINT64_C(1) << (descriptor % BITS)));
}

uint64_t fcs_first_process_token(void) {
    install_guard();
    return fcs_process_token();
}

void fcs_process_token_rearm(void) {
    install_guard();
    arm(fcs_token_word);
}
