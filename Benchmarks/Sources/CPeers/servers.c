// SPDX-License-Identifier: Apache-2.0
//
// Two servers that people lock with: redis, over its socket in the file system, and etcd, through
// the gateway that speaks JSON. One connection each, kept, and requests written by hand.
#define _GNU_SOURCE
#include "peers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int connect_local(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0) return -errno;
    if (connect(connection, (void *)&address, sizeof address) == 0) return connection;
    int failure = -errno;
    close(connection);
    return failure;
}

static struct sockaddr_in local_address(int port) {
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

int connect_port(int port) {
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0) return -errno;
    int yes = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    struct sockaddr_in address = local_address(port);
    if (connect(connection, (void *)&address, sizeof address) == 0) return connection;
    int failure = -errno;
    close(connection);
    return failure;
}

int free_port(void) {
    int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0) return -errno;
    struct sockaddr_in address = local_address(0);
    socklen_t length = sizeof address;
    int port = -EADDRINUSE;
    if (bind(probe, (void *)&address, length) == 0
        && getsockname(probe, (void *)&address, &length) == 0)
        port = ntohs(address.sin_port);
    close(probe);
    return port;
}

static int redis_ask(int connection, const char *request, const char *expected) {
    size_t length = strlen(request);
    if (send(connection, request, length, MSG_NOSIGNAL) != (ssize_t)length) return -errno;
    char answer[256];
    size_t have = 0;
    do {
        ssize_t more = recv(connection, answer + have, sizeof answer - have, 0);
        if (more <= 0) return -EPIPE;
        have += (size_t)more;
    } while (have < sizeof answer && answer[have - 1] != '\n');
    return strncmp(answer, expected, strlen(expected)) ? -EPROTO : 0;
}

int64_t time_redis_pairs(int connection, int count) {
    int64_t start = nanoseconds_now();
    for (int i = 0; i < count; i++) {
        int failure = redis_ask(
            connection,
            "*6\r\n$3\r\nSET\r\n$6\r\nlock:a\r\n$5\r\ntoken\r\n$2\r\nNX\r\n$2\r\nPX\r\n$5\r\n"
            "30000\r\n",
            "+OK");
        if (!failure) failure = redis_ask(connection, "*2\r\n$3\r\nDEL\r\n$6\r\nlock:a\r\n", ":1");
        if (failure) return failure;
    }
    return nanoseconds_now() - start;
}

/// Posts to the gateway; copies one field of the answer, if asked for.
static int etcd_post(int connection, const char *path, const char *body, const char *field,
                     char *value, size_t room) {
    static char answer[65536];
    char request[4096];
    int length = snprintf(request, sizeof request,
                          "POST %s HTTP/1.1\r\nServer: localhost\r\nContent-Length: %zu\r\n\r\n%s",
                          path, strlen(body), body);
    if (send(connection, request, (size_t)length, MSG_NOSIGNAL) != length) return -errno;
    size_t have = 0;
    char *text = NULL;
    while (!text) {
        ssize_t more = recv(connection, answer + have, sizeof answer - 1 - have, 0);
        if (more <= 0) return -EPIPE;
        have += (size_t)more;
        answer[have] = 0;
        char *end = strstr(answer, "\r\n\r\n");
        char *size = strcasestr(answer, "content-length:");
        if (end && size && size < end && answer + have >= end + 4 + atoi(size + 15)) text = end + 4;
        if (end && !size && strstr(end, "\r\n0\r\n\r\n")) text = end + 4;
    }
    if (!field) return 0;
    char *found = strstr(text, field);
    if (!found) return -EPROTO;
    found += strlen(field);
    size_t extent = strcspn(found, "\"");
    if (extent >= room) return -EPROTO;
    memcpy(value, found, extent);
    value[extent] = 0;
    return 0;
}

int64_t time_etcd_pairs(int connection, int count) {
    char lease[64], key[256], body[512];
    int failure = etcd_post(connection, "/v3/lease/grant", "{\"TTL\":600}", "\"ID\":\"", lease,
                            sizeof lease);
    int64_t start = nanoseconds_now();
    for (int i = 0; i < count && !failure; i++) {
        snprintf(body, sizeof body, "{\"name\":\"bG9jaw==\",\"lease\":\"%s\"}", lease);
        failure = etcd_post(connection, "/v3/lock/lock", body, "\"key\":\"", key, sizeof key);
        if (failure) break;
        snprintf(body, sizeof body, "{\"key\":\"%s\"}", key);
        failure = etcd_post(connection, "/v3/lock/unlock", body, NULL, NULL, 0);
    }
    return failure ? failure : nanoseconds_now() - start;
}
