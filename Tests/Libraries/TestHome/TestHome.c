/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives the process that runs the tests an environment of its own. The version store, the package
 * configuration, the trash and the arbiter of the person who runs them are never used, whichever
 * command runs the tests. All tests are one program, so one constructor serves them all; and the
 * programs that tests start inherit what it sets, unless a test sets its own.
 */
#define _GNU_SOURCE
#include "TestHome.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A socket's address has room for 108 bytes, and tests make directories inside. */
enum { LONGEST_PARENT = 40 };

static char root[PATH_MAX];
static pid_t owner;

const char *test_home_root(void) { return root; }

int test_use_up_descriptors(void) {
    if (unshare(CLONE_FILES) != 0) return errno;
    while (dup(STDERR_FILENO) >= 0) continue;
    return errno == EMFILE ? 0 : errno;
}

static void fail(const char *what, const char *path) {
    fprintf(stderr,
            "The tests need a home directory of their own, so that they do not use yours.\n"
            "%s %s: %s. Set TMPDIR to a directory in which this user can write.\n",
            what, path, strerror(errno));
    _exit(70);
}

/* Removes one entry of a tree; what cannot be removed stays. */
static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status;
    (void)place;
    if (kind == FTW_DP || kind == FTW_D || kind == FTW_DNR)
        rmdir(path);
    else
        unlink(path);
    return 0;
}

/* Makes a directory accessible to its owner, so that what is inside can be removed. */
static int open_entry(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status;
    (void)place;
    if (kind == FTW_D || kind == FTW_DNR) chmod(path, 0700);
    return 0;
}

/* Does not leave the file system: a test may have mounted another one. */
static void remove_tree(const char *path) {
    nftw(path, open_entry, 16, FTW_PHYS | FTW_MOUNT);
    nftw(path, remove_entry, 16, FTW_PHYS | FTW_MOUNT | FTW_DEPTH);
}

/* Takes the lock of a directory; its descriptor, or -1 if another process has it. The lock lasts as
 * long as the process, and is how another run sees whether the directory is in use. */
static int lock_directory(const char *path, int options) {
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0) return -1;
    if (flock(directory, LOCK_EX | options) == 0) return directory;
    close(directory);
    return -1;
}

/* Removes the directories of test processes that were killed. */
static void remove_stale(const char *parent) {
    DIR *directory = opendir(parent);
    if (directory == NULL) return;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (fnmatch("fct-??????", entry->d_name, 0) != 0) continue;
        char path[PATH_MAX];
        if (snprintf(path, sizeof path, "%s/%s", parent, entry->d_name) >= PATH_MAX) continue;
        struct stat status;
        if (lstat(path, &status) != 0 || status.st_uid != geteuid()) continue;
        int lock = lock_directory(path, LOCK_NB);
        if (lock < 0) continue;
        remove_tree(path);
        close(lock);
    }
    closedir(directory);
}

static void remove_root(void) {
    /* A forked child that exits is not the one whose directory it is. */
    if (getpid() == owner) remove_tree(root);
}

/* Makes and locks the directory of this process. */
static void make_root(const char *parent) {
    while (1) {
        snprintf(root, sizeof root, "%s/fct-XXXXXX", parent);
        if (mkdtemp(root) == NULL) fail("Cannot make a directory in", parent);
        int lock = lock_directory(root, 0);
        struct stat status;
        /* Another run may have taken it for stale before it was locked. */
        if (lock >= 0 && fstat(lock, &status) == 0 && status.st_nlink > 0) break;
        if (lock >= 0) close(lock);
    }
    /* Others may pass, and not look: some tests start programs of other users. */
    if (chmod(root, 0711) != 0) fail("Cannot open", root);
}

/* Sets a variable to a path inside the directory; makes that directory if asked to. */
static void lead(const char *variable, const char *name, int makes) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", root, name);
    if (makes && mkdir(path, 0700) != 0 && errno != EEXIST) fail("Cannot make", path);
    if (setenv(variable, path, 1) != 0) fail("Cannot set a variable to", path);
}

/* Whether other users may pass each directory of a path. */
static int is_open_to_others(const char *path) {
    char part[PATH_MAX];
    struct stat status;
    size_t length = strlen(path);
    memcpy(part, path, length + 1);
    for (size_t end = length; end > 0; end--) {
        if (part[end] != '/' && part[end] != 0) continue;
        part[end] = 0;
        if (stat(part, &status) != 0 || (status.st_mode & S_IXOTH) == 0) return 0;
    }
    return 1;
}

static const char *parent_directory(char *buffer) {
    const char *chosen = getenv("TMPDIR");
    if (chosen != NULL && realpath(chosen, buffer) != NULL && strlen(buffer) <= LONGEST_PARENT &&
        access(buffer, W_OK) == 0 && is_open_to_others(buffer))
        return buffer;
    return "/tmp";
}

__attribute__((constructor)) static void arrange(void) {
    char buffer[PATH_MAX];
    const char *parent = parent_directory(buffer);
    remove_stale(parent);
    make_root(parent);
    owner = getpid();
    atexit(remove_root);
    lead("HOME", "home", 1);
    lead("XDG_DATA_HOME", "home/.local/share", 0);
    lead("XDG_STATE_HOME", "home/.local/state", 0);
    lead("XDG_CONFIG_HOME", "home/.config", 0);
    lead("XDG_CACHE_HOME", "home/.cache", 0);
    lead("XDG_RUNTIME_DIR", "session", 1);
    lead("FILECOORDINATION_RUNTIME_DIR", "run", 1);
    if (getenv("TMPDIR") == NULL) lead("TMPDIR", "tmp", 1);
    // Servers of debug builds check everything after each event.
    setenv("FILECOORDINATION_INVARIANTS", "check", 1);
    unsetenv("FILECOORDINATION_VERSIONS_DIR");
    unsetenv("CFFIXED_USER_HOME");
}
