// SPDX-License-Identifier: Apache-2.0
//
// Refers to other processes by descriptors, because process IDs are used again. Starts daemons and
// threads without effects that the program could notice, because this library is a guest in it.
#define _GNU_SOURCE
#include "CFileCoordinationSystem.h"
#include "result.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int fcs_process_open(int32_t process) { return (int)RESULT(syscall(SYS_pidfd_open, process, 0)); }

int fcs_process_kill(int process_descriptor, int32_t signal) {
    return (int)RESULT(syscall(SYS_pidfd_send_signal, process_descriptor, signal, NULL, 0));
}

#ifndef PIDFD_GET_PID_NAMESPACE
#define PIDFD_GET_PID_NAMESPACE _IO(0xFF, 5)    // Linux 6.11; many installed headers are older.
#endif

int fcs_process_namespace(int process_descriptor, uint64_t *inode) {
    int namespace = RESULT(ioctl(process_descriptor, PIDFD_GET_PID_NAMESPACE, 0));
    if (namespace < 0) return namespace;
    struct stat status;
    int result = RESULT(fstat(namespace, &status));
    close(namespace);
    if (result == 0) *inode = status.st_ino;
    return result;
}

int fcs_process_has_borrowed_rights(void) {
    return getauxval(AT_SECURE) != 0 || getuid() != geteuid() || getgid() != getegid();
}

// ---- Daemons
//
//     program ──clone──► intermediate ──clone──► daemon ──exec──► …
//        │ waits for it, unseen by wait()     │ exits; the daemon becomes init's child
//
// As with vfork(), both clones share the program's memory and suspend the process that makes them.
// So a big program is not copied, and the daemon reports a failed execve() by writing it into
// `start`. The clones have no exit signal, so the program gets no SIGCHLD, and its wait() calls,
// which do not use __WCLONE, do not find a child.

enum { STACK = 65536, INHERITED_AS = 3 };

struct start {
    const char *executable;
    char *const *arguments;
    char *const *environment;
    int inherited;
    int error;
    char *daemon_stack;
};

// Both clones run in the program's memory. They must run neither the program's signal handlers nor
// a sanitizer's bookkeeping of threads, files and signals. So they make system calls directly, and
// are cloned by a function that sanitizers do not intercept.

extern int __clone(int (*body)(void *), void *stack, int flags, void *argument, ...);

NOT_INSTRUMENTED static int duplicate(int descriptor) {
    // The result is above all numbers that will be filled.
    return (int)syscall(SYS_fcntl, descriptor, F_DUPFD, INHERITED_AS + 1);
}

NOT_INSTRUMENTED static void close_from(unsigned first) {
    if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
    struct rlimit limit = {.rlim_cur = 65536};
    getrlimit(RLIMIT_NOFILE, &limit);
    for (unsigned i = first; i < limit.rlim_cur && i < 1048576; i++) syscall(SYS_close, i);
}

NOT_INSTRUMENTED static int become_daemon(void *argument) {
    struct start *start = argument;
    // A structure of zeros means the default action. All signals are still blocked.
    const char standard[64] = {0};
    for (int signal = 1; signal < NSIG; signal++)
        syscall(SYS_rt_sigaction, signal, standard, NULL, NSIG / 8);

    int inherited = -1;
    if (start->inherited >= 0 && (inherited = duplicate(start->inherited)) < 0) goto failed;
    int null = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR);
    if (null < 0 || (null = duplicate(null)) < 0) goto failed;
    for (int i = 0; i < 3; i++)
        if (syscall(SYS_dup3, null, i, 0) < 0) goto failed;
    if (inherited >= 0 && syscall(SYS_dup3, inherited, INHERITED_AS, 0) < 0) goto failed;
    close_from(inherited >= 0 ? INHERITED_AS + 1 : INHERITED_AS);
    if (syscall(SYS_setsid) < 0 || syscall(SYS_chdir, "/") < 0) goto failed;

    const char none[64] = {0};
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, NULL, NSIG / 8);
    syscall(SYS_execve, start->executable, start->arguments, start->environment);
failed:
    start->error = errno;
    syscall(SYS_exit_group, 127);
    __builtin_unreachable();
}

NOT_INSTRUMENTED static int become_intermediate(void *argument) {
    struct start *start = argument;
    if (__clone(become_daemon, start->daemon_stack, CLONE_VM | CLONE_VFORK, start) < 0)
        start->error = errno;
    syscall(SYS_exit_group, 0);
    __builtin_unreachable();
}

int fcs_process_start_detached(
    const char *executable, char *const *arguments, char *const *environment, int inherited) {
    char *stacks = mmap(
        NULL, 2 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stacks == MAP_FAILED) return -errno;
    struct start start = {
        .executable = executable,
        .arguments = arguments,
        .environment = environment,
        .inherited = inherited,
        .daemon_stack = stacks + 2 * STACK,
    };

    int cancellation;
    sigset_t all, before;
    sigfillset(&all);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid_t intermediate =
        RESULT(__clone(become_intermediate, stacks + STACK, CLONE_VM | CLONE_VFORK, &start));
    if (intermediate >= 0) RESULT_RETRYING(waitpid(intermediate, NULL, __WCLONE));
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_setcancelstate(cancellation, NULL);

    munmap(stacks, 2 * STACK);
    return intermediate < 0 ? intermediate : -start.error;
}

// ---- Threads

struct thread {
    void (*body)(void *);
    void *context;
    char name[16];
};

static void *run_thread(void *argument) {
    struct thread thread = *(struct thread *)argument;
    free(argument);
    pthread_setname_np(pthread_self(), thread.name);
    thread.body(thread.context);
    return NULL;
}

int fcs_thread_start_detached(
    const char *name, size_t stack_size, void (*body)(void *), void *context) {
    struct thread *thread = calloc(1, sizeof *thread);
    if (!thread) return -ENOMEM;
    thread->body = body;
    thread->context = context;
    strncpy(thread->name, name, sizeof thread->name - 1);

    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = pthread_attr_setstacksize(&attributes, stack_size);

    // The program's signals must only be delivered to its own threads. Faults stay unblocked,
    // because the kernel kills a process that causes a blocked one; and SIGPROF, by which the
    // Swift runtime suspends the threads of a program that crashes, before it prints their stacks.
    sigset_t blocked, before;
    sigfillset(&blocked);
    const int let_in[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF};
    for (size_t i = 0; i < sizeof let_in / sizeof *let_in; i++) sigdelset(&blocked, let_in[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    pthread_t started;
    if (!error) error = pthread_create(&started, &attributes, run_thread, thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);

    pthread_attr_destroy(&attributes);
    if (error) free(thread);
    return -error;
}
