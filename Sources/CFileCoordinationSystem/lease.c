// SPDX-License-Identifier: Apache-2.0
//
// Read leases. The kernel tells of a broken lease by a signal. It is directed to one thread, which
// blocks it, so it runs no handler, has no default action, and disturbs no other thread.
#define _GNU_SOURCE
#include "CFileCoordinationSystem.h"
#include "result.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// By default this signal is ignored: even where it went astray, it would end no process.
enum { LEASE_SIGNAL = SIGURG };

int fcs_lease_take(int file) {
    struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid)};
    int result = RESULT(fcntl(file, F_SETSIG, LEASE_SIGNAL));
    // Without an owner, the kernel would send the signal to the process.
    if (result >= 0) result = RESULT(fcntl(file, F_SETOWN_EX, &owner));
    return result < 0 ? result : RESULT(fcntl(file, F_SETLEASE, F_RDLCK));
}

int fcs_lease_is_held(int file) { return fcntl(file, F_GETLEASE) == F_RDLCK; }

int fcs_lease_drop(int file) { return RESULT(fcntl(file, F_SETLEASE, F_UNLCK)); }

static sigset_t lease_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, LEASE_SIGNAL);
    return set;
}

int fcs_lease_signals(void) {
    sigset_t set = lease_signals();
    return RESULT(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

/// Whether the signal is pending for this thread itself. A pending signal of the whole process is
/// the program's.
static int is_pending_here(void) {
    int status = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
    if (status < 0) return 1;
    char text[4096];
    ssize_t length = RESULT_RETRYING(read(status, text, sizeof text - 1));
    close(status);
    if (length <= 0) return 1;
    text[length] = 0;
    const char *line = strstr(text, "\nSigPnd:");
    if (!line) return 1;
    return (strtoull(line + sizeof "\nSigPnd:" - 1, NULL, 16) >> (LEASE_SIGNAL - 1)) & 1;
}

int fcs_lease_take_signals(void) {
    sigset_t set = lease_signals();
    struct timespec now = {0};
    int count = 0;
    // The kernel takes a thread's own signals before those of its process.
    while (count < 64 && is_pending_here()) {
        if (syscall(SYS_rt_sigtimedwait, &set, NULL, &now, (size_t)8) < 0) break;
        count++;
    }
    return count;
}

int fcs_link_open(int file, const char *path) {
    char link[48] = "/proc/thread-self/fd/";
    char *end = link + sizeof link - 1, *digit = end;
    unsigned rest = (unsigned)file;
    do *--digit = (char)('0' + rest % 10);
    while (rest /= 10);
    memmove(link + strlen("/proc/thread-self/fd/"), digit, (size_t)(end - digit) + 1);
    return RESULT(linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW));
}
