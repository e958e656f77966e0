// SPDX-License-Identifier: Apache-2.0
//
// A child that does not outlive the thread which starts it. It begins in this program's memory,
// which is suspended for that long, as vfork() has it: nothing is copied, and why it could not
// become another program is simply written down.
#define _GNU_SOURCE
#include "CFileCoordinationSystem.h"
#include "result.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_STACK = 65536, MASK_LENGTH = 8 };

struct child {
    char *const *candidates;
    char *const *arguments;
    char **shell_arguments;
    char *const *environment;
    const void *mask;
    int input, output;
    int inherited;
    pid_t parent;
    int error;
};

// As for daemons: only the kernel is spoken to.
extern int __clone(int (*body)(void *), void *stack, int flags, void *argument, ...);

/// What the kernel has for a signal.
struct disposition {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    char mask[MASK_LENGTH];
};

NOT_INSTRUMENTED static int become_child(void *argument) {
    struct child *child = argument;
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    // It may have died before that was asked for.
    if (syscall(SYS_getppid) != child->parent) syscall(SYS_exit_group, 128 + SIGKILL);
    // No handler of the program's may run here; what is ignored stays ignored.
    const struct disposition standard = {0};
    for (int signal = 1; signal < NSIG; signal++) {
        struct disposition now = {0};
        syscall(SYS_rt_sigaction, signal, NULL, &now, MASK_LENGTH);
        if (now.handler == SIG_DFL || now.handler == SIG_IGN) continue;
        syscall(SYS_rt_sigaction, signal, &standard, NULL, MASK_LENGTH);
    }
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, child->mask, NULL, MASK_LENGTH);
    // Here and not before: this table of descriptors is the child's own, and no other inherits it.
    if (child->inherited >= 0) syscall(SYS_fcntl, child->inherited, F_SETFD, 0);

    // Copies are inherited, what they are made of is not.
    if (child->input >= 0) syscall(SYS_dup3, child->input, STDIN_FILENO, 0);
    if (child->output >= 0) syscall(SYS_dup3, child->output, STDOUT_FILENO, 0);

    int error = ENOENT;
    for (char *const *path = child->candidates; *path; path++) {
        syscall(SYS_execve, *path, child->arguments, child->environment);
        if (errno == ENOEXEC) {
            child->shell_arguments[1] = *path;
            syscall(SYS_execve, "/bin/sh", child->shell_arguments, child->environment);
        }
        // A file that may not be run is worth more mention than none.
        if (errno != ENOENT && errno != ENOTDIR) error = errno;
    }
    child->error = error;
    syscall(SYS_exit_group, 126);
    __builtin_unreachable();
}

int fcs_process_start_child(
    char *const *candidates, char *const *arguments, char **shell_arguments,
    char *const *environment, const void *mask, int input, int output, int inherited,
    int32_t *started) {
    *started = 0;
    char *stack = mmap(
        NULL, CHILD_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) return -errno;
    struct child child = {
        .candidates = candidates,
        .arguments = arguments,
        .shell_arguments = shell_arguments,
        .environment = environment,
        .mask = mask,
        .input = input,
        .output = output,
        .inherited = inherited,
        .parent = getpid(),
    };

    int cancellation;
    sigset_t all, before;
    sigfillset(&all);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int flags = CLONE_VM | CLONE_VFORK | SIGCHLD;
    pid_t process = RESULT(__clone(become_child, stack + CHILD_STACK, flags, &child));
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_setcancelstate(cancellation, NULL);

    munmap(stack, CHILD_STACK);
    // The memory was this program's, too.
    shell_arguments[1] = NULL;
    if (process < 0) return process;
    *started = process;
    return -child.error;
}

int fcs_process_fork(void) { return RESULT(fork()); }

int fcs_pipe(int *ends) {
    if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
    for (int index = 0; index < 2; index++) {
        // Where a standard stream is closed, an end would be taken for that stream.
        if (ends[index] > STDERR_FILENO) continue;
        int raised = fcntl(ends[index], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        int error = errno;
        close(ends[index]);
        if (raised < 0) {
            close(ends[1 - index]);
            return -error;
        }
        ends[index] = raised;
    }
    return 0;
}

void fcs_process_keep_one_heap(void) { mallopt(M_ARENA_MAX, 1); }
