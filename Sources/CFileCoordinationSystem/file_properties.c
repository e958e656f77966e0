// SPDX-License-Identifier: Apache-2.0
//
// Looks at a name: one statx() call gets identity, times and attributes, name_to_handle_at() the
// handle by which a file server would identify the file, statfs() the file system. No file is
// opened for reading, and a symbolic link is not followed.
#define _GNU_SOURCE
#include "CFileCoordinationSystem.h"
#include "result.h"

#include <fcntl.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

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

/// Fills in what `status` and `system` say about one item.
static void stamp(
    const struct statx *status, const struct statfs *system, struct fcs_stamped_status *out) {
    uint64_t id = 0;
    memcpy(&id, &system->f_fsid, sizeof system->f_fsid);
    uint64_t device = makedev(status->stx_dev_major, status->stx_dev_minor);
    *out = (struct fcs_stamped_status){
        // Some file systems, such as those in user space, have no number of their own.
        .file_system = id == 0 ? device : id,
        .device = device,
        .inode = status->stx_ino,
        .size = status->stx_size,
        .born_ns = status->stx_mask & STATX_BTIME ? nanoseconds(status->stx_btime) : 0,
        .modified_ns = nanoseconds(status->stx_mtime),
        .changed_ns = nanoseconds(status->stx_ctime),
        .mode = status->stx_mode,
        .file_system_kind = (uint32_t)system->f_type,
    };
}

int fcs_stamped_status_at(const char *path, struct fcs_stamped_status *out) {
    const unsigned wanted = STATX_BASIC_STATS | STATX_BTIME;
    struct statx status;
    struct statfs system;
    int result = RESULT(statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, wanted, &status));
    if (result < 0) return result;
    if (!S_ISLNK(status.stx_mode)) {
        result = RESULT(statfs(path, &system));
    } else {
        // statfs() follows links, so the link itself is opened.
        int link = RESULT(open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC));
        if (link < 0) return link;
        result = RESULT(statx(link, "", AT_EMPTY_PATH, wanted, &status));
        if (result >= 0) result = RESULT(fstatfs(link, &system));
        close(link);
    }
    if (result >= 0) stamp(&status, &system, out);
    return result;
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
