// SPDX-License-Identifier: Apache-2.0
//
// What a coordinated access is measured against, in C and without any layer in between, so that
// no peer looks slower than it is. What times something returns nanoseconds for all of `count`;
// every function returns -errno on failure.
#ifndef PEERS_H
#define PEERS_H

#include <stdint.h>

// Processes

/// The number of the nth CPU that this process may use; -1 if there are not so many.
int allowed_cpu(int nth);
/// Whether a directory is on a tmpfs that has room for a big run.
int is_roomy_tmpfs(const char *directory);
/// Keeps this thread, and what it starts, on one CPU.
int pin_to_cpu(int cpu);
/// Has this process, and those that it starts, go before others of the machine.
int take_precedence(void);
/// Starts a program on one CPU, with pipes for its standard streams; returns its process.
///
/// It ends when the calling thread does. `errors_too`: its errors come through the pipe as well.
int start_program(char *const arguments[], char *const environment[], int cpu, int errors_too,
                  int *input, int *output);
/// Runs a program to its end, `count` times.
int64_t time_programs(char *const arguments[], char *const environment[], int count);
/// A file's first bytes, shared with all processes that map them; null on failure.
uint64_t *map_words(const char *path, int count);
/// A monotonic clock.
int64_t nanoseconds_now(void);
/// Waits until something can be read: 1, or 0 when the time is over.
int wait_readable(int file, int milliseconds);

// The kernel's locks

/// Opens a file, making it if need be.
int open_lock_file(const char *path);
/// Locks and unlocks an open file.
int64_t time_flock_pairs(int file, int count);
/// The same with a record lock of the open file description.
int64_t time_ofd_pairs(int file, int count);
/// Opens a file, locks it, closes it.
int64_t time_open_flock_close(const char *path, int count);
/// The same, shared, for each of the files f0, f1, f2 ... of a directory.
int64_t time_open_flock_close_each(const char *directory, int count);
/// Locks a file, or unlocks it: `exclusive` is 1, 0 for shared, -1 for unlock.
int lock_file(int file, int exclusive);
/// One of two processes that pass three locks around a ring, so that each step waits for the other.
///
/// Both wait at the barrier file first. `ready` is written to standard output before.
int64_t walk_flock_ring(const char *directory, int role, int barrier, int rounds);

// Servers

/// Starts a server that waits in epoll and answers; returns the socket, and the process.
int echo_start(int cpu, int *server);
/// Sends 64 bytes over SOCK_SEQPACKET and waits for the answer.
int64_t time_echo(int socket, int count);

/// Listens for the connection of a relay; returns the listening socket.
int answer_listen(const char *path);
/// The connection of a relay.
int answer_accept(int listener);
/// Waits for a message of a relay; 0 at the end.
int answer_receive(int connection);
/// Answers a message of a relay.
int answer_send(int connection);
/// Starts a server that passes messages on to the listener at `path`, and answers back; returns
/// the socket, for ``time_echo``.
int relay_start(const char *path);

/// Connects to a stream socket in the file system.
int connect_local(const char *path);
/// Connects to a port of this machine.
int connect_port(int port);
/// A port on which no process listens.
int free_port(void);
/// SET NX PX and DEL of one key of redis.
int64_t time_redis_pairs(int socket, int count);
/// Lock and unlock of one name in etcd, through its gateway.
int64_t time_etcd_pairs(int socket, int count);

/// A database that is opened with the system's SQLite; null with the reason.
void *sqlite_open_for_locking(const char *path, const char **reason);
/// BEGIN IMMEDIATE and COMMIT.
int64_t time_sqlite_pairs(void *database, int count);

/// A connection to a message bus, through the system's libdbus; null with the reason.
void *bus_connect(const char *address, const char **reason);
/// Takes the echo's name, says `ok` on standard output, and answers until the bus ends.
int bus_serve(void *connection);
/// Calls the echo.
int64_t time_bus_calls(void *connection, int count);

#endif
