// SPDX-License-Identifier: Apache-2.0
//
// Starts a child process that the kernel kills when the thread that started it ends. As with
// vfork(), the child runs in the parent's memory, and the calling thread is suspended until the
// child has called execve() or exited. So no memory is copied, and the child reports its error by
// writing it to a variable.
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

// The child makes system calls directly, and is cloned by this function, for the reasons given for
// daemons in process.c.
extern int __clone(int (*body)(void *), void *stack, int flags, void *argument, ...);

/// The kernel's structure for the action of a signal.
struct disposition {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    char mask[MASK_LENGTH];
};

NOT_INSTRUMENTED static int become_child(void *argument) {
    struct child *child = argument;
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    // The parent may have died before the call above took effect.
    if (syscall(SYS_getppid) != child->parent) syscall(SYS_exit_group, 128 + SIGKILL);
    // The program's signal handlers must not run here. Ignored signals stay ignored.
    const struct disposition standard = {0};
    for (int signal = 1; signal < NSIG; signal++) {
        struct disposition now = {0};
        syscall(SYS_rt_sigaction, signal, NULL, &now, MASK_LENGTH);
        if (now.handler == SIG_DFL || now.handler == SIG_IGN) continue;
        syscall(SYS_rt_sigaction, signal, &standard, NULL, MASK_LENGTH);
    }
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, child->mask, NULL, MASK_LENGTH);
    // The flag is cleared here because the child has a descriptor table of its own. In the parent,
    // another child could inherit the descriptor meanwhile.
    if (child->inherited >= 0) syscall(SYS_fcntl, child->inherited, F_SETFD, 0);

    // dup3() without flags makes the standard streams inheritable, while the original descriptors
    // stay close-on-exec.
    if (child->input >= 0) syscall(SYS_dup3, child->input, STDIN_FILENO, 0);
    if (child->output >= 0) syscall(SYS_dup3, child->output, STDOUT_FILENO, 0);

    int error = ENOENT;
    for (char *const *path = child->candidates; *path; path++) {
        syscall(SYS_execve, *path, child->arguments, child->environment);
        if (errno == ENOEXEC) {
            child->shell_arguments[1] = *path;
            syscall(SYS_execve, "/bin/sh", child->shell_arguments, child->environment);
        }
        // An error of a file that exists is more useful to report than the absence of others.
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
    // The child wrote to this array, because it shares the parent's memory.
    shell_arguments[1] = NULL;
    if (process < 0) return process;
    *started = process;
    return -child.error;
}

int fcs_process_fork(void) { return RESULT(fork()); }

int fcs_process_set_death_signal(int signal) { return RESULT(prctl(PR_SET_PDEATHSIG, signal)); }

int fcs_pipe(int *ends) {
    if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
    for (int index = 0; index < 2; index++) {
        // If a standard stream is closed, the pipe gets its number and would be taken for that
        // stream.
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
