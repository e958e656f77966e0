// SPDX-License-Identifier: Apache-2.0
//
// The bare thing: a message over AF_UNIX SOCK_SEQPACKET to a server that waits in epoll, and its
// answer. No arbiter that is a process can be faster than this.
#define _GNU_SOURCE
#include "peers.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static void serve(int socket, int cpu) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (cpu >= 0) pin_to_cpu(cpu);
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

int echo_start(int cpu, int *server) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) return -errno;
    pid_t child = fork();
    if (child < 0) return -errno;
    if (child == 0) {
        close(pair[0]);
        serve(pair[1], cpu);
    }
    close(pair[1]);
    *server = child;
    return pair[0];
}

int64_t time_echo(int socket, int count) {
    char message[64] = "coordinate";
    int64_t start = nanoseconds_now();
    for (int i = 0; i < count; i++) {
        if (send(socket, message, sizeof message, MSG_NOSIGNAL) < 0) return -errno;
        ssize_t length = recv(socket, message, sizeof message, 0);
        if (length <= 0) return length < 0 ? -errno : -ECONNRESET;
    }
    return nanoseconds_now() - start;
}
