// SPDX-License-Identifier: Apache-2.0
//
// Sockets that preserve message boundaries, can pass descriptors, and identify the peer process.
#define _GNU_SOURCE
#include "CFileCoordinationSystem.h"
#include "result.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77    // Linux 6.5; many installed headers are older.
#endif

_Static_assert(
    sizeof(((struct sockaddr_un *)0)->sun_path) == FCS_MAXIMUM_SOCKET_PATH + 1, "room for a path");

union control {
    char bytes[CMSG_SPACE(sizeof(int) * FCS_MAXIMUM_DESCRIPTORS)];
    struct cmsghdr alignment;
};

static int address_of(const char *path, struct sockaddr_un *address) {
    size_t length = strlen(path);
    if (length == 0 || length > FCS_MAXIMUM_SOCKET_PATH) return -ENAMETOOLONG;
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path, path, length);
    return 0;
}

int fcs_socket(void) { return RESULT(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)); }

int fcs_socket_pair(int *first, int *second) {
    int ends[2];
    int result = RESULT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends));
    if (result < 0) return result;
    *first = ends[0];
    *second = ends[1];
    return 0;
}

int fcs_socket_bind(int socket, const char *path) {
    struct sockaddr_un address;
    int result = address_of(path, &address);
    if (result < 0) return result;
    // Setting the mode before bind() makes the file get it at once, so that it never has wider
    // permissions.
    result = RESULT(fchmod(socket, 0600));
    if (result < 0) return result;
    return RESULT(bind(socket, (struct sockaddr *)&address, sizeof address));
}

int fcs_socket_listen(int socket, int backlog) {
    int result = RESULT(fcntl(socket, F_SETFL, O_NONBLOCK));
    return result < 0 ? result : RESULT(listen(socket, backlog));
}

/// Returns the value of a socket's own option, or -1.
static int own_option(int socket, int name) {
    int value = -1;
    socklen_t length = sizeof value;
    return getsockopt(socket, SOL_SOCKET, name, &value, &length) == 0 ? value : -1;
}

int fcs_socket_is_listener(int socket) {
    return own_option(socket, SO_DOMAIN) == AF_UNIX && own_option(socket, SO_TYPE) == SOCK_SEQPACKET
        && own_option(socket, SO_ACCEPTCONN) == 1;
}

int fcs_socket_connect(int socket, const char *path, uint64_t patience) {
    struct sockaddr_un address;
    int result = address_of(path, &address);
    if (result < 0) return result;
    struct timeval limit = {0};    // No limit.
    if (patience != UINT64_MAX) {
        limit.tv_sec = (time_t)(patience / 1000000000);
        limit.tv_usec = (suseconds_t)(patience % 1000000000 / 1000);
        if (limit.tv_sec == 0 && limit.tv_usec == 0) limit.tv_usec = 1;
    }
    result = RESULT(setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit));
    if (result < 0) return result;
    result = RESULT_RETRYING(connect(socket, (struct sockaddr *)&address, sizeof address));
    if (result < 0) return result == -EAGAIN ? -ETIMEDOUT : result;
    limit = (struct timeval){0};
    return RESULT(setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit));
}

int fcs_socket_accept(int socket) {
    return RESULT_RETRYING(accept4(socket, NULL, NULL, SOCK_CLOEXEC));
}

intptr_t fcs_socket_send(
    int socket, const void *bytes, size_t length, const int *descriptors, int descriptor_count,
    int waiting) {
    if (descriptor_count < 0 || descriptor_count > FCS_MAXIMUM_DESCRIPTORS) return -EINVAL;
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    union control control;
    if (descriptor_count > 0) {
        size_t size = sizeof(int) * (size_t)descriptor_count;
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(size);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(header), descriptors, size);
    }
    int flags = MSG_NOSIGNAL | (waiting ? 0 : MSG_DONTWAIT);
    return RESULT_RETRYING(sendmsg(socket, &message, flags));
}

intptr_t fcs_socket_receive(
    int socket, void *buffer, size_t capacity, int waiting, struct fcs_received *out) {
    struct iovec part = {.iov_base = buffer, .iov_len = capacity};
    union control control;
    struct msghdr message;
    int flags = MSG_CMSG_CLOEXEC | (waiting ? 0 : MSG_DONTWAIT);
    intptr_t result;
    int resets = 0;
    do {
        message = (struct msghdr){
            .msg_iov = &part,
            .msg_iovlen = 1,
            .msg_control = control.bytes,
            .msg_controllen = sizeof control.bytes,
        };
        result = RESULT_RETRYING(recvmsg(socket, &message, flags));
        // If a peer died with unread messages, the kernel reports that once, before the messages
        // that the peer had sent. These can still be read.
    } while (result == -ECONNRESET && resets++ < 4);

    *out = (struct fcs_received){0};
    if (result == -ECONNRESET) return 0;
    if (result < 0) return result;
    out->truncated = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
            if (out->descriptor_count < FCS_MAXIMUM_DESCRIPTORS)
                out->descriptors[out->descriptor_count++] = descriptor;
            else
                close(descriptor);
        }
    }
    return result;
}

int fcs_socket_peer_credentials(int socket, struct fcs_credentials *out) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    int result = RESULT(getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length));
    if (result < 0) return result;
    *out = (struct fcs_credentials){.process = peer.pid, .user = peer.uid};
    return 0;
}

int fcs_socket_peer_process(int socket) {
    int descriptor = -1;
    socklen_t length = sizeof descriptor;
    int result = RESULT(getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &descriptor, &length));
    if (result == 0) return descriptor;
    if (result != -ENOPROTOOPT) return result;
    // For older kernels. The process ID may have been given to another process meanwhile.
    struct fcs_credentials peer;
    result = fcs_socket_peer_credentials(socket, &peer);
    return result < 0 ? result : fcs_process_open(peer.process);
}

int fcs_socket_shut_down(int socket) { return RESULT(shutdown(socket, SHUT_RDWR)); }
