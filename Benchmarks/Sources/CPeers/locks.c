// SPDX-License-Identifier: Apache-2.0
//
// The kernel's own locks: the cheapest that processes which trust each other can agree upon.
#define _GNU_SOURCE
#include "peers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

int open_lock_file(const char *path) {
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return file < 0 ? -errno : file;
}

int lock_file(int file, int exclusive) {
    int operation = exclusive < 0 ? LOCK_UN : exclusive ? LOCK_EX : LOCK_SH;
    while (flock(file, operation) < 0) {
        if (errno != EINTR) return -errno;
    }
    return 0;
}

int64_t time_flock_pairs(int file, int count) {
    int64_t start = nanoseconds_now();
    for (int i = 0; i < count; i++) {
        if (flock(file, LOCK_EX) < 0 || flock(file, LOCK_UN) < 0) return -errno;
    }
    return nanoseconds_now() - start;
}

static int set_range(int file, short type) {
    struct flock range = {.l_type = type, .l_whence = SEEK_SET};
    return fcntl(file, F_OFD_SETLKW, &range);
}

int64_t time_ofd_pairs(int file, int count) {
    int64_t start = nanoseconds_now();
    for (int i = 0; i < count; i++) {
        if (set_range(file, F_WRLCK) < 0 || set_range(file, F_UNLCK) < 0) return -errno;
    }
    return nanoseconds_now() - start;
}

static int open_flock_close(const char *path, int flags, int operation) {
    int file = open(path, flags | O_CLOEXEC);
    if (file < 0) return -errno;
    int failure = flock(file, operation) < 0 ? -errno : 0;
    close(file);
    return failure;
}

int64_t time_open_flock_close(const char *path, int count) {
    int64_t start = nanoseconds_now();
    for (int i = 0; i < count; i++) {
        int failure = open_flock_close(path, O_RDWR, LOCK_EX);
        if (failure) return failure;
    }
    return nanoseconds_now() - start;
}

int64_t time_open_flock_close_each(const char *directory, int count) {
    // The names are made beforehand, as URLs are in hand on the other side.
    size_t room = strlen(directory) + 16;
    char *names = malloc(room * (size_t)count);
    if (!names) return -ENOMEM;
    for (int i = 0; i < count; i++)
        snprintf(names + room * (size_t)i, room, "%s/f%d", directory, i);
    int64_t start = nanoseconds_now();
    int failure = 0;
    for (int i = 0; i < count && !failure; i++)
        failure = open_flock_close(names + room * (size_t)i, O_RDONLY, LOCK_SH);
    int64_t time = nanoseconds_now() - start;
    free(names);
    return failure ? failure : time;
}

int64_t walk_flock_ring(const char *directory, int role, int barrier, int rounds) {
    int files[3];
    for (int i = 0; i < 3; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/ring%d", directory, i);
        files[i] = open_lock_file(path);
        if (files[i] < 0) return files[i];
    }
    // The first has lock 0, the second lock 2; the free one is always what the first needs next.
    int held = role == 0 ? 0 : 2;
    int failure = lock_file(files[held], 1);
    if (failure) return failure;
    if (write(1, "ready\n", 6) != 6 || lock_file(barrier, 0) < 0) return -EPIPE;
    int64_t start = nanoseconds_now();
    for (int i = 0; i < rounds && !failure; i++) {
        int next = (held + 1) % 3;
        failure = lock_file(files[next], 1);
        if (!failure) failure = lock_file(files[held], -1);
        held = next;
    }
    int64_t time = nanoseconds_now() - start;
    for (int i = 0; i < 3; i++) close(files[i]);
    lock_file(barrier, -1);
    return failure ? failure : time;
}
