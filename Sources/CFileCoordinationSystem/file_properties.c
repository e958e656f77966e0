// SPDX-License-Identifier: Apache-2.0
//
// Looks at a name: one statx() call gets identity, times and attributes, and name_to_handle_at()
// the handle by which a file server would identify the file. No file is opened, and a symbolic link
// is not followed.
#define _GNU_SOURCE
#include "CFileCoordinationSystem.h"
#include "result.h"

#include <fcntl.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static int64_t nanoseconds(struct statx_timestamp time) {
    return clamped_nanoseconds(time.tv_sec, time.tv_nsec);
}

/// Returns 64-bit FNV-1a of the kind and bytes of the handle, which the version store keeps; 0 if
/// the file system has no handles. It is sufficient for bytes that no user chooses.
static uint64_t handle_digest(int directory, const char *name, int flags) {
    union {
        struct file_handle handle;
        char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
    } buffer = {.handle.handle_bytes = MAX_HANDLE_SZ};
    int mount;
    if (name_to_handle_at(directory, name, &buffer.handle, &mount, flags) < 0) return 0;
    uint64_t digest = 0xcbf29ce484222325;
    for (int i = 0; i < 4; i++) {
        digest ^= ((uint32_t)buffer.handle.handle_type >> (8 * i)) & 0xff;
        digest *= 0x100000001b3;
    }
    for (unsigned i = 0; i < buffer.handle.handle_bytes; i++) {
        digest ^= buffer.handle.f_handle[i];
        digest *= 0x100000001b3;
    }
    return digest == 0 ? 1 : digest;
}

int fcs_file_properties_at(int directory, const char *name, struct fcs_file_properties *out) {
    struct statx status;
    int itself = *name == 0 ? AT_EMPTY_PATH : 0;
    int result = RESULT(statx(
        directory, name, AT_SYMLINK_NOFOLLOW | itself, STATX_BASIC_STATS | STATX_BTIME, &status));
    if (result < 0) return result;
    *out = (struct fcs_file_properties){
        .device = makedev(status.stx_dev_major, status.stx_dev_minor),
        .inode = status.stx_ino,
        .handle = handle_digest(directory, name, itself),
        .size = status.stx_size,
        .link_count = status.stx_nlink,
        .born_ns = status.stx_mask & STATX_BTIME ? nanoseconds(status.stx_btime) : 0,
        .modified_ns = nanoseconds(status.stx_mtime),
        .changed_ns = nanoseconds(status.stx_ctime),
        .mode = status.stx_mode,
        .owner = status.stx_uid,
        .group = status.stx_gid,
    };
    return 0;
}

int fcs_watch_open(int watch, int descriptor, uint32_t mask) {
    char path[64];
    // The kernel resolves this link to the open item, whatever the item's path is now.
    char *end = path + sizeof path;
    char *digit = end;
    *--digit = 0;
    unsigned rest = (unsigned)descriptor;
    do *--digit = (char)('0' + rest % 10);
    while (rest /= 10);
    static const char head[] = "/proc/thread-self/fd/";
    digit -= sizeof head - 1;
    memcpy(digit, head, sizeof head - 1);
    return RESULT(inotify_add_watch(watch, digit, mask));
}
