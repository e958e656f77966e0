// SPDX-License-Identifier: Apache-2.0
//
// Memory that is shared between processes, futexes, and clocks.
#define _GNU_SOURCE
#include "CFileCoordinationSystem.h"
#include "result.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(((struct timespec *)0)->tv_sec) == 8, "the futex call is given 64-bit time");

enum { SHORT_MAPPING = 1 << 16 };

int fcs_map(int file, size_t length, int writable, int inherited_by_fork, void **base) {
    int protection = PROT_READ | (writable ? PROT_WRITE : 0);
    // A fork between mmap() and madvise() would let the child inherit the mapping.
    if (!inherited_by_fork) fcs_fork_hold();
    int error = 0;
    // If the program locks all its memory (mlockall with MCL_FUTURE), the kernel would allocate
    // every page of the file at once. So the mapping is made without access rights, is unlocked,
    // and then gets its access rights; its pages are allocated when they are used, as in other
    // programs.
    int is_long = length > SHORT_MAPPING;
    void *mapped = mmap(NULL, length, is_long ? PROT_NONE : protection, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) {
        error = errno;
    } else if (is_long && (munlock(mapped, length), mprotect(mapped, length, protection) < 0)) {
        error = errno;
        munmap(mapped, length);
    } else if (!inherited_by_fork && madvise(mapped, length, MADV_DONTFORK) < 0) {
        error = errno;
        munmap(mapped, length);
    }
    if (!inherited_by_fork) fcs_fork_release();
    // Pages are accessed in random order and most of them are holes. Without this advice, some file
    // systems allocate dozens of pages around each. It does not matter if the advice is refused.
    if (!error) madvise(mapped, length, MADV_RANDOM);
    if (error) return -error;
    *base = mapped;
    return 0;
}

int fcs_unmap(void *base, size_t length) { return RESULT(munmap(base, length)); }

static uint64_t time_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

// The time that a simulation sets for its thread, or 0 outside simulations.
static _Thread_local uint64_t model_time;

void fcs_set_model_time(uint64_t time) { model_time = time; }

uint64_t fcs_monotonic_now(void) { return model_time ? model_time : time_of(CLOCK_MONOTONIC); }

uint64_t fcs_thread_time(void) {
    return model_time ? model_time : time_of(CLOCK_THREAD_CPUTIME_ID);
}

int fcs_futex_wait(void *address, uint32_t expected, uint64_t deadline, uint32_t bits) {
    struct timespec until = {
        .tv_sec = (time_t)(deadline / 1000000000), .tv_nsec = (long)(deadline % 1000000000)};
    // This form takes an absolute time, which is of CLOCK_MONOTONIC unless a flag says otherwise.
    return (int)RESULT(syscall(
        SYS_futex, address, FUTEX_WAIT_BITSET, expected, deadline == UINT64_MAX ? NULL : &until,
        NULL, bits));
}

int fcs_futex_wake(void *address, int32_t count, uint32_t bits) {
    return (int)RESULT(syscall(SYS_futex, address, FUTEX_WAKE_BITSET, count, NULL, NULL, bits));
}

void fcs_touch(const void *address) { (void)*(const volatile char *)address; }
