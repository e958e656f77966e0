// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "echo.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <signal.h>
#include <unistd.h>

static void serve(int socket) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event);
    char message[64];
    for (;;) {
        if (epoll_wait(poller, &event, 1, -1) != 1) continue;
        ssize_t length = recv(socket, message, sizeof message, 0);
        if (length <= 0) _exit(0);
        if (send(socket, message, (size_t)length, MSG_NOSIGNAL) != length) _exit(1);
    }
}

int echo_start(int *server) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) return -errno;
    pid_t child = fork();
    if (child < 0) return -errno;
    if (child == 0) {
        close(pair[0]);
        serve(pair[1]);
    }
    close(pair[1]);
    *server = child;
    return pair[0];
}

int echo_round_trips(int socket, int count) {
    char message[64] = "coordinate";
    for (int i = 0; i < count; i++) {
        if (send(socket, message, sizeof message, MSG_NOSIGNAL) < 0) return -errno;
        if (recv(socket, message, sizeof message, 0) <= 0) return -errno;
    }
    return 0;
}

int flock_pairs(int file, int count) {
    for (int i = 0; i < count; i++) {
        if (flock(file, LOCK_EX) < 0 || flock(file, LOCK_UN) < 0) return -errno;
    }
    return 0;
}

int pin_to_cpu(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) < 0 ? -errno : 0;
}

int open_lock_file(const char *path) {
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return file < 0 ? -errno : file;
}
