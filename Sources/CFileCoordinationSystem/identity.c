// SPDX-License-Identifier: Apache-2.0
//
// Identifies files more reliably than by inode numbers, which file systems use again: by the time
// of creation, and by the handle with which file servers name the file. Both are obtained for a
// name without opening the file.
#define _GNU_SOURCE
#include "CFileCoordinationSystem.h"
#include "result.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

int fcs_birth_at(int directory, const char *name, struct fcs_birth *out) {
    struct statx status;
    int result =
        RESULT(statx(directory, name, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &status));
    if (result < 0) return result;
    *out = (struct fcs_birth){
        .device = makedev(status.stx_dev_major, status.stx_dev_minor),
        .inode = status.stx_ino,
        .born_ns = clamped_nanoseconds(status.stx_btime.tv_sec, status.stx_btime.tv_nsec),
        .is_born_known = (status.stx_mask & STATX_BTIME) != 0,
    };
    return 0;
}

int fcs_handle_at(
    int directory, const char *name, int32_t *type, void *handle, size_t capacity) {
    union {
        struct file_handle handle;
        char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
    } buffer = {.handle.handle_bytes = MAX_HANDLE_SZ};
    int mount;
    int result = RESULT(name_to_handle_at(directory, name, &buffer.handle, &mount, 0));
    if (result < 0) return result;
    if (buffer.handle.handle_bytes > capacity) return -EOVERFLOW;
    *type = buffer.handle.handle_type;
    memcpy(handle, buffer.handle.f_handle, buffer.handle.handle_bytes);
    return (int)buffer.handle.handle_bytes;
}
