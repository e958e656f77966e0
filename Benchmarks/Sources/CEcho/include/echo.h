// SPDX-License-Identifier: Apache-2.0
//
// The bare thing to compare with: a message over AF_UNIX SOCK_SEQPACKET to a server that waits in
// epoll, and its answer. Functions return -errno on failure.
#ifndef ECHO_H
#define ECHO_H

/// Starts a server process; returns the connected socket, and the process in *server.
int echo_start(int *server);
/// Sends 64 bytes and waits for the answer, `count` times.
int echo_round_trips(int socket, int count);
/// Takes and gives back a flock on an open file, `count` times.
int flock_pairs(int file, int count);
/// Runs this process, and those that it starts, on one CPU.
int pin_to_cpu(int cpu);
/// Opens a file for flock_pairs.
int open_lock_file(const char *path);

#endif
