/* SPDX-License-Identifier: Apache-2.0
 *
 *     open-watch DIRECTORY [--except NAME]... -- COMMAND...
 *
 * Runs a command, and fails if any process opens, makes, changes or removes anything in the file
 * system that DIRECTORY is the root of; NAME is a path in DIRECTORY of which that is allowed. For
 * root: the kernel (fanotify) reports every process in every namespace. Status 1 if something was
 * used, 69 if the kernel cannot watch here (then the command was not run), else the command's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT_WATCH = 69, MOST_NAMES = 16, MOST_REPORTS = 40, BUFFER = 1 << 16 };

static const char *watched;
static int watched_fd;
static const char *excepted[MOST_NAMES];
static int excepted_count;
static long uses;

/* Writes the path of a directory that an event names by its handle. */
static void directory_path(struct file_handle *handle, char *path, size_t size) {
    char link[64];
    ssize_t length = -1;
    /* Opening only a path is no event. */
    int directory = open_by_handle_at(watched_fd, handle, O_PATH);
    if (directory >= 0) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
        length = readlink(link, path, size - 1);
        close(directory);
    }
    if (length < 0) length = snprintf(path, size, "%s/(removed)", watched);
    path[length] = 0;
}

static int is_excepted(const char *path) {
    size_t length = strlen(watched);
    if (strncmp(path, watched, length) != 0 || path[length] != '/') return 0;
    const char *rest = path + length + 1;
    for (int index = 0; index < excepted_count; index++) {
        size_t part = strlen(excepted[index]);
        if (strncmp(rest, excepted[index], part) == 0 && (rest[part] == 0 || rest[part] == '/'))
            return 1;
    }
    return 0;
}

/* Writes the words with which a process was started. */
static void command_of(int process, char *text, size_t size) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/cmdline", process);
    int file = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, size - 1);
    if (file >= 0) close(file);
    if (length <= 0) length = snprintf(text, size, "a process that has ended");
    text[length] = 0;
    for (ssize_t index = 0; index < length; index++)
        if (text[index] == 0) text[index] = ' ';
}

static const char *verb(unsigned long long mask) {
    if (mask & FAN_CREATE) return "made";
    if (mask & FAN_DELETE) return "removed";
    if (mask & (FAN_MOVED_FROM | FAN_MOVED_TO)) return "renamed";
    if (mask & FAN_ATTRIB) return "changed the attributes of";
    return "opened";
}

static void report(const struct fanotify_event_metadata *event) {
    char directory[PATH_MAX], path[2 * PATH_MAX], command[256];
    const char *info = (const char *)(event + 1);
    const struct fanotify_event_info_fid *fid = (const void *)info;
    if (event->event_len <= sizeof *event ||
        fid->hdr.info_type != FAN_EVENT_INFO_TYPE_DFID_NAME)
        return;
    struct file_handle *handle = (struct file_handle *)fid->handle;
    const char *name = (const char *)handle->f_handle + handle->handle_bytes;
    directory_path(handle, directory, sizeof directory);
    if (strcmp(name, ".") == 0)
        snprintf(path, sizeof path, "%s", directory);
    else
        snprintf(path, sizeof path, "%s/%s", directory, name);
    if (is_excepted(path)) return;
    if (uses++ >= MOST_REPORTS) return;
    command_of(event->pid, command, sizeof command);
    fprintf(stderr, "open-watch: process %d %s %s: %s\n", event->pid, verb(event->mask), path,
            command);
}

/* Reads the events that there are. */
static void drain(int watch) {
    static char buffer[BUFFER] __attribute__((aligned(8)));
    ssize_t length;
    while ((length = read(watch, buffer, sizeof buffer)) > 0) {
        const struct fanotify_event_metadata *event = (const void *)buffer;
        for (; FAN_EVENT_OK(event, length); event = FAN_EVENT_NEXT(event, length)) report(event);
    }
}

/* Runs the command; its status, as a shell would say it. */
static int run(char **command, int watch) {
    pid_t child = fork();
    if (child == 0) {
        execvp(command[0], command);
        fprintf(stderr, "open-watch: %s: %s\n", command[0], strerror(errno));
        _exit(127);
    }
    int status = 0;
    if (child < 0) return 126;
    while (waitpid(child, &status, WNOHANG) == 0) {
        struct pollfd events = {.fd = watch, .events = POLLIN};
        poll(&events, 1, 200);
        drain(watch);
    }
    drain(watch);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int count, char **words) {
    int next = 2;
    for (; next + 1 < count && strcmp(words[next], "--except") == 0; next += 2)
        if (excepted_count < MOST_NAMES) excepted[excepted_count++] = words[next + 1];
    if (next + 1 >= count || strcmp(words[next], "--") != 0) {
        fprintf(stderr, "usage: open-watch DIRECTORY [--except NAME]... -- COMMAND...\n");
        return 64;
    }
    watched = words[1];
    watched_fd = open(watched, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int watch = fanotify_init(
        FAN_CLASS_NOTIF | FAN_REPORT_DFID_NAME | FAN_UNLIMITED_QUEUE | FAN_NONBLOCK | FAN_CLOEXEC,
        O_RDONLY);
    unsigned long long mask = FAN_OPEN | FAN_CREATE | FAN_DELETE | FAN_MOVED_FROM | FAN_MOVED_TO |
                              FAN_ATTRIB | FAN_ONDIR;
    if (watched_fd < 0 || watch < 0 ||
        fanotify_mark(watch, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, mask, AT_FDCWD, watched) != 0) {
        fprintf(stderr, "open-watch: %s cannot be watched: %s\n", watched, strerror(errno));
        return CANNOT_WATCH;
    }
    int status = run(words + next + 1, watch);
    if (uses > 0) {
        fprintf(stderr, "open-watch: %ld uses of what is in %s\n", uses, watched);
        return 1;
    }
    fprintf(stderr, "open-watch: nothing in %s was opened\n", watched);
    return status;
}
