// SPDX-License-Identifier: Apache-2.0
//
// System calls on files and directories, relative to an open directory, and locks on open files.
#define _GNU_SOURCE
#include "CFileCoordinationSystem.h"
#include "result.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

int fcs_open_at(int directory, const char *name, int flags, uint32_t mode) {
    return RESULT_RETRYING(openat(directory, name, flags | O_CLOEXEC | O_NOCTTY, (mode_t)mode));
}

int fcs_open_anchor(const char *path) {
    return RESULT_RETRYING(open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

int fcs_make_directory_at(int directory, const char *name, uint32_t mode) {
    return RESULT(mkdirat(directory, name, (mode_t)mode));
}

int fcs_close(int descriptor) {
    // This is never repeated: on Linux, the number is free again even after EINTR.
    return RESULT(close(descriptor));
}

static int64_t nanoseconds(struct timespec time) {
    return clamped_nanoseconds(time.tv_sec, time.tv_nsec);
}

static int translate(int result, const struct stat *in, struct fcs_status *out) {
    if (result < 0) return result;
    *out = (struct fcs_status){
        .device = in->st_dev,
        .inode = in->st_ino,
        .size = (uint64_t)in->st_size,
        .link_count = in->st_nlink,
        .modified_ns = nanoseconds(in->st_mtim),
        .changed_ns = nanoseconds(in->st_ctim),
        .mode = in->st_mode,
        .owner = in->st_uid,
        .group = in->st_gid,
    };
    return 0;
}

int fcs_status_at(int directory, const char *name, int follow_links, struct fcs_status *out) {
    struct stat status;
    int flags = follow_links ? 0 : AT_SYMLINK_NOFOLLOW;
    return translate(RESULT(fstatat(directory, name, &status, flags)), &status, out);
}

int fcs_status_of(int descriptor, struct fcs_status *out) {
    struct stat status;
    return translate(RESULT(fstat(descriptor, &status)), &status, out);
}

intptr_t fcs_directory_entries(int directory, void *buffer, size_t capacity) {
    return RESULT(getdents64(directory, buffer, capacity));
}

int fcs_rename_at(
    int from_directory, const char *from, int to_directory, const char *to, uint32_t flags) {
    // Without flags this uses the older system call, which all file systems support.
    if (flags == FCS_RENAME_REPLACE)
        return RESULT(renameat(from_directory, from, to_directory, to));
    return RESULT(renameat2(from_directory, from, to_directory, to, flags));
}

static struct flock whole_file(short type) {
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
}

int fcs_try_lock(int file) {
    struct flock lock = whole_file(F_WRLCK);
    int result = RESULT_RETRYING(fcntl(file, F_OFD_SETLK, &lock));
    if (result == -EAGAIN || result == -EACCES) return 0;
    return result < 0 ? result : 1;
}

int fcs_unlock(int file) {
    struct flock lock = whole_file(F_UNLCK);
    return RESULT_RETRYING(fcntl(file, F_OFD_SETLK, &lock));
}

int fcs_is_locked_by_another(int file) {
    struct flock lock = whole_file(F_WRLCK);
    int result = RESULT_RETRYING(fcntl(file, F_OFD_GETLK, &lock));
    return result < 0 ? result : lock.l_type != F_UNLCK;
}

// ---- Writing without signals
//
// If a write would exceed the process's greatest file size (RLIMIT_FSIZE), the call fails with
// EFBIG, and the kernel also sends SIGXFSZ to the calling thread, which ends the program by
// default. The same holds for EPIPE and SIGPIPE. A library must not end the program, and the error
// is enough. So these functions block the two signals during the call, and remove a signal that
// the call caused before they unblock it. A call that copies in the kernel may do both: return how
// much fitted, and have the signal sent for the rest.

static sigset_t only(int signal) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    return set;
}

static sigset_t block_write_signals(void) {
    sigset_t set = only(SIGXFSZ), before;
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    return before;
}

// Removes a signal that is pending only because this file blocks it.
static void discard_signal(int signal, const sigset_t *before) {
    if (sigismember(before, signal)) return;
    const struct timespec none = {0};
    sigset_t set = only(signal);
    while (sigtimedwait(&set, NULL, &none) < 0 && errno == EINTR) {}
}

static intptr_t restore_signals(sigset_t before, intptr_t result) {
    if (result == -EFBIG) discard_signal(SIGXFSZ, &before);
    if (result == -EPIPE) discard_signal(SIGPIPE, &before);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

// The same for a call that copies in the kernel.
static intptr_t restore_signals_after_copy(sigset_t before, intptr_t result) {
    if (result > 0) discard_signal(SIGXFSZ, &before);
    return restore_signals(before, result);
}

#define WITHOUT_SIGNALS(call)                               \
    ({                                                      \
        sigset_t before_ = block_write_signals();           \
        (__typeof__(call))restore_signals(before_, (call)); \
    })

int fcs_reserve(int file, uint64_t length) {
    int error;
    do {
        error = WITHOUT_SIGNALS(-posix_fallocate(file, 0, (off_t)length));
    } while (error == -EINTR);
    return error;
}

int fcs_truncate(int file, uint64_t length) {
    return WITHOUT_SIGNALS(RESULT_RETRYING(ftruncate(file, (off_t)length)));
}

int fcs_synchronize(int file) { return RESULT_RETRYING(fdatasync(file)); }

int fcs_reflink(int from, int to) {
    return WITHOUT_SIGNALS(RESULT_RETRYING(ioctl(to, FICLONE, from)));
}

intptr_t fcs_copy_range(int from, uint64_t from_offset, int to, uint64_t to_offset, size_t length) {
    off_t in = (off_t)from_offset, out = (off_t)to_offset;
    sigset_t before = block_write_signals();
    return restore_signals_after_copy(
        before, RESULT_RETRYING(copy_file_range(from, &in, to, &out, length, 0)));
}

intptr_t fcs_send_file(int from, int to, uint64_t from_offset, size_t length) {
    off_t offset = (off_t)from_offset;
    sigset_t before = block_write_signals();
    return restore_signals_after_copy(
        before, RESULT_RETRYING(sendfile(to, from, &offset, length)));
}

intptr_t fcs_read_at(int file, void *buffer, size_t length, uint64_t offset) {
    return RESULT_RETRYING(pread(file, buffer, length, (off_t)offset));
}

intptr_t fcs_write_at(int file, const void *buffer, size_t length, uint64_t offset) {
    return WITHOUT_SIGNALS(RESULT_RETRYING(pwrite(file, buffer, length, (off_t)offset)));
}

intptr_t fcs_write(int file, const void *buffer, size_t length) {
    return WITHOUT_SIGNALS(RESULT_RETRYING(write(file, buffer, length)));
}

intptr_t fcs_read_link(const char *path, char *buffer, size_t capacity) {
    return RESULT(readlink(path, buffer, capacity));
}
