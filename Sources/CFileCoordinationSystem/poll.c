// SPDX-License-Identifier: Apache-2.0
//
// Waiting for many descriptors, waking another thread, and inotify.
#define _GNU_SOURCE
#include "CFileCoordinationSystem.h"
#include "result.h"

#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

int fcs_poller(void) { return RESULT(epoll_create1(EPOLL_CLOEXEC)); }

int fcs_poller_control(int poller, int operation, int descriptor, uint64_t token, uint32_t events) {
    static const int operations[] = {
        [FCS_POLL_ADD] = EPOLL_CTL_ADD,
        [FCS_POLL_REMOVE] = EPOLL_CTL_DEL,
        [FCS_POLL_MODIFY] = EPOLL_CTL_MOD,
    };
    struct epoll_event event = {.data.u64 = token};
    if (events & FCS_READABLE) event.events |= EPOLLIN | EPOLLRDHUP;
    if (events & FCS_WRITABLE) event.events |= EPOLLOUT;
    if (events & FCS_EDGE) event.events |= EPOLLET;
    return RESULT(epoll_ctl(poller, operations[operation], descriptor, &event));
}

/// Rounds up, so that no caller wakes before its deadline and finds nothing to do.
static int milliseconds_until(uint64_t deadline) {
    if (deadline == UINT64_MAX) return -1;
    uint64_t now = fcs_monotonic_now();
    if (now >= deadline) return 0;
    uint64_t left = (deadline - now + 999999) / 1000000;
    return left > INT_MAX ? INT_MAX : (int)left;
}

int fcs_poller_wait(int poller, struct fcs_ready *out, uint64_t deadline) {
    struct epoll_event events[FCS_POLL_BATCH];
    int count =
        RESULT_RETRYING(epoll_wait(poller, events, FCS_POLL_BATCH, milliseconds_until(deadline)));
    for (int i = 0; i < count; i++) {
        uint32_t seen = events[i].events;
        out[i].token = events[i].data.u64;
        out[i].events = 0;
        if (seen & EPOLLIN) out[i].events |= FCS_READABLE;
        if (seen & EPOLLOUT) out[i].events |= FCS_WRITABLE;
        if (seen & (EPOLLHUP | EPOLLRDHUP | EPOLLERR)) out[i].events |= FCS_HANGUP;
    }
    return count;
}

int fcs_poller_has_ready(int poller) {
    // This makes the system call directly, because epoll_wait() of the C library is a cancellation
    // point, which costs as much as the call itself.
    struct epoll_event event;
    return (int)RESULT(syscall(SYS_epoll_pwait, poller, &event, 1, 0, NULL, (size_t)8));
}

int fcs_is_readable_now(int descriptor) {
    struct pollfd entry = {.fd = descriptor, .events = POLLIN};
    return RESULT_RETRYING(poll(&entry, 1, 0));
}

int fcs_wake_up(void) { return RESULT(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int fcs_wake_up_signal(int wake_up) {
    uint64_t one = 1;
    intptr_t result = RESULT_RETRYING(write(wake_up, &one, sizeof one));
    // If the counter is full, the event has been signalled already.
    return result < 0 && result != -EAGAIN ? (int)result : 0;
}

int fcs_wake_up_drain(int wake_up) {
    uint64_t count;
    intptr_t result = RESULT_RETRYING(read(wake_up, &count, sizeof count));
    if (result == -EAGAIN) return 0;
    return result < 0 ? (int)result : 1;
}

int fcs_watch(void) { return RESULT(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)); }

int fcs_watch_add(int watch, const char *path, uint32_t mask) {
    return RESULT(inotify_add_watch(watch, path, mask));
}

int fcs_watch_remove(int watch, int identifier) {
    return RESULT(inotify_rm_watch(watch, identifier));
}

int fcs_has_input(int descriptor) {
    // This is cheaper than poll(), which prepares a wait even if it does not wait.
    int bytes = 0;
    int result = RESULT(ioctl(descriptor, FIONREAD, &bytes));
    return result < 0 ? result : bytes > 0;
}

int fcs_is_local(const char *path) {
    // ext, XFS, Btrfs, tmpfs, ramfs, F2FS, bcachefs, ZFS, JFS, overlayfs.
    static const uint32_t local[] = {0xEF53,     0x58465342, 0x9123683E, 0x01021994, 0x858458F6,
                                     0xF2F52010, 0xCA451A4E, 0x2FC12FC1, 0x3153464A, 0x794C7630};
    struct statfs status;
    int result = RESULT(statfs(path, &status));
    if (result < 0) return result;
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if ((uint32_t)status.f_type == local[i]) return 1;
    return 0;
}

int fcs_stamps_finely(void) {
    // Asked once, because the answer stays.
    enum { UNKNOWN, NO, YES };
    static _Atomic int answer = UNKNOWN;
    int known = atomic_load_explicit(&answer, memory_order_relaxed);
    if (known == UNKNOWN) {
        struct utsname kernel;
        int major = 0, minor = 0;
        int is_new = uname(&kernel) == 0 &&
                    sscanf(kernel.release, "%d.%d", &major, &minor) == 2 &&
                    (major > 6 || (major == 6 && minor >= 13));
        known = is_new ? YES : NO;
        atomic_store_explicit(&answer, known, memory_order_relaxed);
    }
    return known == YES;
}

int64_t fcs_file_system_kind(int descriptor) {
    struct statfs status;
    int result = RESULT(fstatfs(descriptor, &status));
    return result < 0 ? result : (int64_t)(uint32_t)status.f_type;
}

intptr_t fcs_read_now(int descriptor, void *buffer, size_t capacity) {
    return RESULT_RETRYING(read(descriptor, buffer, capacity));
}
