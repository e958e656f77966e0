// SPDX-License-Identifier: Apache-2.0
//
// A method call over a message bus to another process that answers with what it was told. Through
// the reference library, which is opened when it is there.
#define _GNU_SOURCE
#include "peers.h"

#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

typedef struct DBusConnection DBusConnection;
typedef struct DBusMessage DBusMessage;
typedef struct {
    const char *name, *message;
    unsigned int flags;
    void *padding;
} DBusError;

static struct {
    DBusConnection *(*open)(const char *, DBusError *);
    unsigned (*hello)(DBusConnection *, DBusError *);
    int (*take_name)(DBusConnection *, const char *, unsigned, DBusError *);
    unsigned (*wait)(DBusConnection *, int);
    DBusMessage *(*next)(DBusConnection *);
    DBusMessage *(*answer_to)(DBusMessage *);
    DBusMessage *(*new_call)(const char *, const char *, const char *, const char *);
    DBusMessage *(*call)(DBusConnection *, DBusMessage *, int, DBusError *);
    unsigned (*put)(DBusMessage *, int, ...);
    unsigned (*get)(DBusMessage *, DBusError *, int, ...);
    unsigned (*is_call)(DBusMessage *, const char *, const char *);
    unsigned (*send)(DBusConnection *, DBusMessage *, unsigned *);
    void (*flush)(DBusConnection *);
    void (*unref)(DBusMessage *);
} bus;

static const char *const echo_name = "org.example.Echo";

static int load(void) {
    void *library = dlopen("libdbus-1.so.3", RTLD_NOW);
    if (!library) return 0;
    const struct {
        void *function;
        const char *name;
    } wanted[] = {
        {&bus.open, "dbus_connection_open_private"},
        {&bus.hello, "dbus_bus_register"},
        {&bus.take_name, "dbus_bus_request_name"},
        {&bus.wait, "dbus_connection_read_write"},
        {&bus.next, "dbus_connection_pop_message"},
        {&bus.answer_to, "dbus_message_new_method_return"},
        {&bus.new_call, "dbus_message_new_method_call"},
        {&bus.call, "dbus_connection_send_with_reply_and_block"},
        {&bus.put, "dbus_message_append_args"},
        {&bus.get, "dbus_message_get_args"},
        {&bus.is_call, "dbus_message_is_method_call"},
        {&bus.send, "dbus_connection_send"},
        {&bus.flush, "dbus_connection_flush"},
        {&bus.unref, "dbus_message_unref"},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *found = dlsym(library, wanted[i].name);
        if (!found) return 0;
        *(void **)wanted[i].function = found;
    }
    return 1;
}

void *bus_connect(const char *address, const char **reason) {
    *reason = "libdbus-1.so.3 is not installed";
    if (!load()) return NULL;
    DBusError error = {0};
    DBusConnection *connection = bus.open(address, &error);
    *reason = "the bus does not answer";
    if (!connection || !bus.hello(connection, &error)) return NULL;
    return connection;
}

int bus_serve(void *connection) {
    DBusError error = {0};
    if (bus.take_name(connection, echo_name, 0, &error) != 1) return -EEXIST;
    if (write(1, "ok\n", 3) != 3) return -errno;
    while (bus.wait(connection, -1)) {
        DBusMessage *message;
        while ((message = bus.next(connection))) {
            const char *text;
            if (bus.is_call(message, echo_name, "Echo")
                && bus.get(message, &error, 's', &text, 0)) {
                DBusMessage *answer = bus.answer_to(message);
                bus.put(answer, 's', &text, 0);
                bus.send(connection, answer, NULL);
                bus.flush(connection);
                bus.unref(answer);
            }
            bus.unref(message);
        }
    }
    return 0;
}

int64_t time_bus_calls(void *connection, int count) {
    const char *text = "/home/user/Documents/report.txt";
    int64_t start = nanoseconds_now();
    for (int i = 0; i < count; i++) {
        DBusError error = {0};
        DBusMessage *call = bus.new_call(echo_name, "/echo", echo_name, "Echo");
        bus.put(call, 's', &text, 0);
        DBusMessage *answer = bus.call(connection, call, 10000, &error);
        bus.unref(call);
        if (!answer) return -EIO;
        bus.unref(answer);
    }
    return nanoseconds_now() - start;
}
