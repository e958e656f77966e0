// SPDX-License-Identifier: Apache-2.0
//
// Reads the symbol table of the program or of one of its libraries from its file. All values in the
// file are checked against the file's size. The file is read instead of mapped because another
// process may change it.

#define _GNU_SOURCE
#include "CFileCoordinationSystem.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    uintptr_t address, base;
    char path[4096];
    int found;
};

/// Stores the name of the image in whose segments the address is.
static int look_at_image(struct dl_phdr_info *info, size_t size, void *context) {
    struct image *image = context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || image->address < start ||
            image->address - start >= segment->p_memsz)
            continue;
        // Here the name of the program itself is empty.
        const char *path = info->dlpi_name;
        if (!path || !*path)
            // The first shows nothing once the program's first thread has ended.
            path = access("/proc/self/exe", R_OK) == 0 ? "/proc/self/exe" : "/proc/thread-self/exe";
        image->base = info->dlpi_addr;
        image->found = strlen(path) < sizeof image->path;
        if (image->found)
            strcpy(image->path, path);
        return 1;
    }
    return 0;
}

/// Reads a part of the file and appends a zero. Returns NULL if that fails.
static char *part(int file, uint64_t offset, uint64_t size, uint64_t file_size) {
    if (offset > file_size || size > file_size - offset)
        return NULL;
    char *bytes = malloc(size + 1);
    uint64_t done = 0;
    while (bytes && done < size) {
        ssize_t count = pread(file, bytes + done, size - done, (off_t)(offset + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            free(bytes);
            return NULL;
        }
        done += (uint64_t)count;
    }
    if (bytes)
        bytes[size] = 0;
    return bytes;
}

static void scan(
    const Elf64_Sym *symbols, uint64_t count, const char *names, uint64_t names_size,
    uint64_t value, const char *prefix, void *context, void (*found)(void *, const char *)) {
    size_t length = prefix ? strlen(prefix) : 0;
    for (uint64_t i = 0; i < count; i++) {
        if (symbols[i].st_name >= names_size || symbols[i].st_shndx == SHN_UNDEF)
            continue;
        const char *name = names + symbols[i].st_name;
        if (prefix ? strncmp(name, prefix, length) == 0 : symbols[i].st_value == value)
            found(context, name);
    }
}

int fcs_symbols(
    const void *address, const char *prefix, void *context,
    void (*found)(void *context, const char *name)) {
    struct image image = {.address = (uintptr_t)address};
    dl_iterate_phdr(look_at_image, &image);
    if (!image.found)
        return -ENOENT;
    int file = open(image.path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -errno;
    struct stat status;
    uint64_t size = fstat(file, &status) == 0 ? (uint64_t)status.st_size : 0;
    int result = -ENOEXEC;
    Elf64_Ehdr *header = (void *)part(file, 0, sizeof *header, size);
    Elf64_Shdr *sections = NULL;
    if (header && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
        header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_shentsize == sizeof *sections)
        sections = (void *)part(
            file, header->e_shoff, (uint64_t)header->e_shnum * sizeof *sections, size);
    for (int i = 0; sections && i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum)
            continue;
        const Elf64_Shdr *strings = &sections[sections[i].sh_link];
        void *symbols = part(file, sections[i].sh_offset, sections[i].sh_size, size);
        char *names = part(file, strings->sh_offset, strings->sh_size, size);
        if (symbols && names) {
            scan(
                symbols, sections[i].sh_size / sizeof(Elf64_Sym), names, strings->sh_size,
                image.address - image.base, prefix, context, found);
            result = 0;
        }
        free(names);
        free(symbols);
    }
    free(sections);
    free(header);
    close(file);
    return result;
}
