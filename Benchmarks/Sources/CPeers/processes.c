// SPDX-License-Identifier: Apache-2.0
//
// Starting programs on a CPU of one's choice, such that none outlives the measurement.
#define _GNU_SOURCE
#include "peers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int allowed_cpu(int nth) {
    // Asked once, before anything is pinned.
    static cpu_set_t allowed;
    static int known;
    if (!known && sched_getaffinity(0, sizeof allowed, &allowed) < 0) return -errno;
    known = 1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &allowed) && nth-- == 0) return cpu;
    }
    return -1;
}

int is_roomy_tmpfs(const char *directory) {
    struct statfs system;
    if (statfs(directory, &system) < 0 || system.f_type != TMPFS_MAGIC) return 0;
    // A hundred thousand presenters need a tenth of that.
    return (unsigned long long)system.f_bavail * system.f_bsize >= 1ULL << 30;
}

int pin_to_cpu(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) < 0 ? -errno : 0;
}

int take_precedence(void) {
    // Not niceness: that counts inside a session only, and daemons have sessions of their own.
    struct sched_param lowest = {.sched_priority = 1};
    return sched_setscheduler(0, SCHED_RR, &lowest) < 0 ? -errno : 0;
}

static void become(char *const arguments[], char *const environment[], int cpu, int errors_too,
                   int input, int output) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Out of reach of the terminal's signals: the measurement ends its programs itself.
    setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    if (cpu >= 0) pin_to_cpu(cpu);
    if (dup2(input, 0) < 0 || dup2(output, 1) < 0) _exit(126);
    if (errors_too && dup2(output, 2) < 0) _exit(126);
    execve(arguments[0], arguments, environment);
    _exit(127);
}

int start_program(char *const arguments[], char *const environment[], int cpu, int errors_too,
                  int *input, int *output) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) < 0) return -errno;
    if (pipe2(out, O_CLOEXEC) < 0) return -errno;
    pid_t child = fork();
    if (child < 0) return -errno;
    if (child == 0) become(arguments, environment, cpu, errors_too, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    *input = in[1];
    *output = out[0];
    return child;
}

int64_t time_programs(char *const arguments[], char *const environment[], int count) {
    int64_t start = nanoseconds_now();
    for (int i = 0; i < count; i++) {
        pid_t child;
        int status;
        int failure = posix_spawn(&child, arguments[0], NULL, NULL, arguments, environment);
        if (failure) return -failure;
        if (waitpid(child, &status, 0) < 0) return -errno;
        if (status != 0) return -ECHILD;
    }
    return nanoseconds_now() - start;
}

uint64_t *map_words(const char *path, int count) {
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return NULL;
    size_t size = (size_t)count * sizeof(uint64_t);
    void *words = MAP_FAILED;
    if (ftruncate(file, (off_t)size) == 0)
        words = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return words == MAP_FAILED ? NULL : words;
}

int64_t nanoseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int wait_readable(int file, int milliseconds) {
    struct pollfd entry = {.fd = file, .events = POLLIN};
    int ready = poll(&entry, 1, milliseconds);
    return ready < 0 ? -errno : ready;
}
