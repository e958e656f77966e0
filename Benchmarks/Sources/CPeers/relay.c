// SPDX-License-Identifier: Apache-2.0
//
// The bare messages of a question to a presenter: one to a server, which passes it on to a third
// process, and the answer on the same way back. Nothing is decided anywhere. The third process
// answers as a presenter must: a thread receives, and an operation of Foundation's queue answers.
#define _GNU_SOURCE
#include "peers.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int address_of(const char *path, struct sockaddr_un *address) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path) return -ENAMETOOLONG;
    strcpy(address->sun_path, path);
    return 0;
}

int answer_listen(const char *path) {
    struct sockaddr_un address;
    if (address_of(path, &address) < 0) return -ENAMETOOLONG;
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (listener < 0) return -errno;
    if (bind(listener, (void *)&address, sizeof address) < 0 || listen(listener, 1) < 0)
        return -errno;
    return listener;
}

int answer_accept(int listener) {
    int connection = accept4(listener, 0, 0, SOCK_CLOEXEC);
    return connection < 0 ? -errno : connection;
}

int answer_receive(int connection) {
    char message[64];
    ssize_t length = recv(connection, message, sizeof message, 0);
    return length < 0 ? -errno : (int)length;
}

int answer_send(int connection) {
    char message[64] = "answer";
    ssize_t length = send(connection, message, sizeof message, MSG_NOSIGNAL);
    return length < 0 ? -errno : 0;
}

/// Passes each message on to the other side.
static void relay(int sides[2]) {
    int poller = epoll_create1(EPOLL_CLOEXEC);
    for (int side = 0; side < 2; side++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)side};
        epoll_ctl(poller, EPOLL_CTL_ADD, sides[side], &event);
    }
    for (;;) {
        struct epoll_event event;
        if (epoll_wait(poller, &event, 1, -1) != 1) continue;
        char message[64];
        ssize_t length = recv(sides[event.data.u32], message, sizeof message, 0);
        if (length <= 0) _exit(0);
        int other = sides[1 - event.data.u32];
        if (send(other, message, (size_t)length, MSG_NOSIGNAL) != length) _exit(1);
    }
}

int relay_start(const char *path) {
    struct sockaddr_un address;
    if (address_of(path, &address) < 0) return -ENAMETOOLONG;
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) return -errno;
    pid_t child = fork();
    if (child < 0) return -errno;
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(pair[0]);
        int onward = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        if (onward < 0 || connect(onward, (void *)&address, sizeof address) < 0) _exit(1);
        relay((int[]){pair[1], onward});
    }
    close(pair[1]);
    return pair[0];
}
