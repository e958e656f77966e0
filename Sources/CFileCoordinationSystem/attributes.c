// SPDX-License-Identifier: Apache-2.0
//
// Extended attributes, and writing a file's data and metadata to the device.
#define _GNU_SOURCE
#include "CFileCoordinationSystem.h"
#include "result.h"

#include <sys/xattr.h>
#include <unistd.h>

intptr_t fcs_attribute_names(int file, char *names, size_t capacity) {
    return RESULT(flistxattr(file, names, capacity));
}

intptr_t fcs_attribute(int file, const char *name, void *value, size_t capacity) {
    return RESULT(fgetxattr(file, name, value, capacity));
}

int fcs_set_attribute(int file, const char *name, const void *value, size_t length) {
    return RESULT(fsetxattr(file, name, value, length, 0));
}

int fcs_remove_attribute(int file, const char *name) { return RESULT(fremovexattr(file, name)); }

intptr_t fcs_attribute_size(const char *path, const char *name) {
    return RESULT_RETRYING(lgetxattr(path, name, NULL, 0));
}

int fcs_synchronize_file_system(int file) { return RESULT_RETRYING(syncfs(file)); }
