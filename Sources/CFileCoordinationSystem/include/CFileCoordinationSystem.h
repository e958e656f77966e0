// SPDX-License-Identifier: Apache-2.0
//
// The C functions that the Swift part of this library calls. They exist where Swift cannot import a
// declaration of Glibc, and where Swift code must not run: in signal handlers, and in a child
// between clone() and execve().
//
// Every function that can fail returns a result >= 0, or -errno. This header includes only the two
// headers below, because system headers would clash with the modules from which Swift's own
// overlays are built.
#ifndef CFILECOORDINATIONSYSTEM_H
#define CFILECOORDINATIONSYSTEM_H

#include <stddef.h>
#include <stdint.h>

// ---- file.c: files and directories

struct fcs_status {
    uint64_t device, inode, size, link_count;
    int64_t modified_ns, changed_ns;
    uint32_t mode, owner, group;
};

int fcs_open_at(int directory, const char *_Nonnull name, int flags, uint32_t mode);
/// Opens the item itself without following a final link. The descriptor only identifies the item;
/// it permits no reading.
int fcs_open_anchor(const char *_Nonnull path);
int fcs_make_directory_at(int directory, const char *_Nonnull name, uint32_t mode);
int fcs_close(int descriptor);
int fcs_status_at(
    int directory, const char *_Nonnull name, int follow_links, struct fcs_status *_Nonnull out);
int fcs_status_of(int descriptor, struct fcs_status *_Nonnull out);
/// Fills `buffer` with `struct linux_dirent64` entries. Returns 0 at the end of the directory.
intptr_t fcs_directory_entries(int directory, void *_Nonnull buffer, size_t capacity);

enum { FCS_RENAME_REPLACE = 0, FCS_RENAME_REFUSE = 1, FCS_RENAME_EXCHANGE = 2 };
int fcs_rename_at(
    int from_directory, const char *_Nonnull from, int to_directory, const char *_Nonnull to,
    uint32_t flags);

int fcs_try_lock(int file);    // 1: locked; 0: another open file holds the lock
int fcs_unlock(int file);
int fcs_is_locked_by_another(int file);

/// The functions that write fail without a signal if the file would exceed RLIMIT_FSIZE or the pipe
/// has no reader.
int fcs_reserve(int file, uint64_t length);
int fcs_truncate(int file, uint64_t length);
int fcs_synchronize(int file);
int fcs_reflink(int from, int to);
intptr_t fcs_copy_range(int from, uint64_t from_offset, int to, uint64_t to_offset, size_t length);
intptr_t fcs_send_file(int from, int to, uint64_t from_offset, size_t length);
intptr_t fcs_read_at(int file, void *_Nullable buffer, size_t length, uint64_t offset);
intptr_t fcs_write_at(int file, const void *_Nullable buffer, size_t length, uint64_t offset);
intptr_t fcs_write(int file, const void *_Nullable buffer, size_t length);
intptr_t fcs_read_link(const char *_Nonnull path, char *_Nonnull buffer, size_t capacity);

// ---- attributes.c: extended attributes, and the device

/// Gets the names, each with a terminating zero. If the capacity is 0, returns the required length.
intptr_t fcs_attribute_names(int file, char *_Nullable names, size_t capacity);
/// Gets a value. If the capacity is 0, returns the required length.
intptr_t fcs_attribute(
    int file, const char *_Nonnull name, void *_Nullable value, size_t capacity);
int fcs_set_attribute(
    int file, const char *_Nonnull name, const void *_Nullable value, size_t length);
int fcs_remove_attribute(int file, const char *_Nonnull name);
int fcs_synchronize_file_system(int file);
/// Returns the length of an attribute of the item at the path, which may be a link itself.
intptr_t fcs_attribute_size(const char *_Nonnull path, const char *_Nonnull name);

// ---- memory.c: mappings, futexes, the clock

int fcs_map(
    int file, size_t length, int writable, int inherited_by_fork,
    void *_Nullable *_Nonnull base);
int fcs_unmap(void *_Nonnull base, size_t length);

uint64_t fcs_monotonic_now(void);
/// The processor time that the calling thread has used.
uint64_t fcs_thread_time(void);
/// Makes both functions above return `time` on the calling thread; 0 ends that.
void fcs_set_model_time(uint64_t time);
/// Waits while `*address == expected`. `deadline` is an absolute time in nanoseconds of
/// CLOCK_MONOTONIC; UINT64_MAX means none. Returns 0, -EAGAIN, -ETIMEDOUT, -EINTR or -EFAULT.
int fcs_futex_wait(void *_Nonnull address, uint32_t expected, uint64_t deadline, uint32_t bits);
int fcs_futex_wake(void *_Nonnull address, int32_t count, uint32_t bits);
/// Reads a byte and ignores it, for the fault that this may cause.
void fcs_touch(const void *_Nonnull address);

// ---- guard.c: surviving the truncation of a mapped file

int fcs_mapping_protect(void *_Nonnull base, size_t length);
void fcs_mapping_unprotect(void *_Nonnull base);
int fcs_mapping_was_truncated(void *_Nonnull base);

// ---- fork.c: what a forked child must not keep

// Forks wait while a thread is between these two calls.
void fcs_fork_hold(void);
void fcs_fork_release(void);
void fcs_close_in_child(int descriptor);
void fcs_keep_in_child(int descriptor);
// The address of this process's token, or NULL before its first use. Only this module uses it.
extern uint64_t *_Nullable fcs_token_word;
uint64_t fcs_first_process_token(void);
static inline uint64_t fcs_process_token(void) {
    // This is inline because each access asks for the token several times.
    uint64_t *_Nullable word = __atomic_load_n(&fcs_token_word, __ATOMIC_ACQUIRE);
    return word ? __atomic_load_n(word, __ATOMIC_SEQ_CST) : fcs_first_process_token();
}
void fcs_process_token_rearm(void);

// ---- socket.c: AF_UNIX, SOCK_SEQPACKET

enum { FCS_MAXIMUM_DESCRIPTORS = 16, FCS_MAXIMUM_SOCKET_PATH = 107 };

struct fcs_credentials {
    int32_t process;
    uint32_t user;
};

struct fcs_received {
    int truncated;
    int descriptor_count;
    int descriptors[FCS_MAXIMUM_DESCRIPTORS];
};

int fcs_socket(void);
int fcs_socket_pair(int *_Nonnull first, int *_Nonnull second);
int fcs_socket_bind(int socket, const char *_Nonnull path);
int fcs_socket_listen(int socket, int backlog);
/// Whether this is a local socket of complete messages at which a process listens.
int fcs_socket_is_listener(int socket);
/// `patience` is in nanoseconds; UINT64_MAX means no limit.
int fcs_socket_connect(int socket, const char *_Nonnull path, uint64_t patience);
int fcs_socket_accept(int socket);
intptr_t fcs_socket_send(
    int socket, const void *_Nullable bytes, size_t length, const int *_Nullable descriptors,
    int descriptor_count, int waiting);
intptr_t fcs_socket_receive(
    int socket, void *_Nullable buffer, size_t capacity, int waiting,
    struct fcs_received *_Nonnull out);
int fcs_socket_peer_credentials(int socket, struct fcs_credentials *_Nonnull out);
int fcs_socket_peer_process(int socket);
int fcs_socket_shut_down(int socket);

// ---- poll.c: waiting for descriptors

enum { FCS_READABLE = 1, FCS_WRITABLE = 2, FCS_HANGUP = 4, FCS_EDGE = 8 };
enum { FCS_POLL_ADD = 1, FCS_POLL_REMOVE = 2, FCS_POLL_MODIFY = 3, FCS_POLL_BATCH = 64 };

struct fcs_ready {
    uint64_t token;
    uint32_t events;
};

int fcs_poller(void);
int fcs_poller_control(int poller, int operation, int descriptor, uint64_t token, uint32_t events);
/// `out` must have room for FCS_POLL_BATCH entries. `deadline` is as for futexes.
int fcs_poller_wait(int poller, struct fcs_ready *_Nonnull out, uint64_t deadline);
/// Returns the number of ready descriptors, but at most 1, without waiting.
int fcs_poller_has_ready(int poller);
int fcs_is_readable_now(int descriptor);

int fcs_wake_up(void);
int fcs_wake_up_signal(int wake_up);
int fcs_wake_up_drain(int wake_up);

int fcs_watch(void);
int fcs_watch_add(int watch, const char *_Nonnull path, uint32_t mask);
int fcs_watch_remove(int watch, int identifier);
/// Returns 1 if there is something to read, or else 0.
int fcs_has_input(int descriptor);
/// Returns 1 if only this kernel can change the file system of `path`, or else 0.
int fcs_is_local(const char *_Nonnull path);
/// Returns the kind of the file system of an open item (`f_type`).
int64_t fcs_file_system_kind(int descriptor);
/// Returns 1 if the kernel is Linux 6.13 or newer, or else 0.
int fcs_stamps_finely(void);
intptr_t fcs_read_now(int descriptor, void *_Nonnull buffer, size_t capacity);

// ---- lease.c: read leases

/// Takes a read lease on an open file; the kernel then tells the calling thread, which must block
/// all signals, when another open file breaks it.
int fcs_lease_take(int file);
/// Returns 1 if the lease is held and no process waits for its end.
int fcs_lease_is_held(int file);
int fcs_lease_drop(int file);
/// Makes a descriptor that becomes readable when the kernel tells the thread that polls it.
int fcs_lease_signals(void);
/// Takes what the kernel has told this thread. Signals of the process are left to the program.
int fcs_lease_take_signals(void);
/// Gives an open file another name.
int fcs_link_open(int file, const char *_Nonnull path);

// ---- process.c: processes and threads

int fcs_process_open(int32_t process);
int fcs_process_kill(int process_descriptor, int32_t signal);
/// Gets the inode number of the nsfs file of the namespace in which the process has its own process
/// ID.
int fcs_process_namespace(int process_descriptor, uint64_t *_Nonnull inode);
/// Returns 1 if the program has more rights than the user who started it (set-user-ID and the
/// like).
int fcs_process_has_borrowed_rights(void);
/// Starts a daemon. Returns 0 once it runs the new program. `inherited` becomes its descriptor 3;
/// -1 means none.
int fcs_process_start_detached(
    const char *_Nonnull executable, char *_Nullable const *_Nonnull arguments,
    char *_Nullable const *_Nonnull environment, int inherited);

/// Starts a child that the kernel kills when this thread ends. Returns 0 once the child runs the
/// first of `candidates` that can be executed. A script without "#!" is run with `shell_arguments`,
/// whose second element must be NULL and is set during the call. `mask` is a signal mask in the
/// kernel's format of 8 bytes. `inherited` is a descriptor that the child keeps, or -1. Unless
/// `child` is 0, the caller must reap it, even after an error.
int fcs_process_start_child(
    char *_Nullable const *_Nonnull candidates, char *_Nullable const *_Nonnull arguments,
    char *_Nullable *_Nonnull shell_arguments, char *_Nullable const *_Nonnull environment,
    const void *_Nonnull mask, int input, int output, int inherited, int32_t *_Nonnull child);
/// Calls fork(2), for a program without other threads. Returns 0 in the child.
int fcs_process_fork(void);
/// Sets the signal that this process gets when the thread that forked it ends; 0: none.
int fcs_process_set_death_signal(int signal);
/// Makes a pipe with ends that no child inherits: `ends[0]` to read and `ends[1]` to write.
int fcs_pipe(int *_Nonnull ends);
/// Makes all threads allocate from one heap, which starts faster; for short-lived programs.
void fcs_process_keep_one_heap(void);

/// Makes a thread-local variable. Returns a number >= 0, or -ENOSPC. It uses none of the program's
/// pthread keys, of which there are only 1024.
int fcs_thread_slot(void);
void *_Nullable fcs_thread_slot_value(int slot);
/// Sets the variable. `end` is called with the value when the thread ends.
void fcs_thread_slot_set(
    int slot, void *_Nonnull value, void (*_Nonnull end)(void *_Nonnull));

int fcs_thread_start_detached(
    const char *_Nonnull name, size_t stack_size, void (*_Nonnull body)(void *_Nonnull),
    void *_Nonnull context);

// ---- file_properties.c: what makes a file the same file, and its other properties

struct fcs_file_properties {
    uint64_t device, inode, handle, size, link_count;
    /// 0 if the file system does not store times of creation.
    int64_t born_ns, modified_ns, changed_ns;
    uint32_t mode, owner, group;
};

/// Looks at `name` in an open directory, or at the open item itself if the name is empty.
int fcs_file_properties_at(
    int directory, const char *_Nonnull name, struct fcs_file_properties *_Nonnull out);

struct fcs_stamped_status {
    /// The number that the file system keeps when it is mounted again, where it has one.
    uint64_t file_system;
    uint64_t device, inode, size;
    /// 0 if the file system does not store times of creation.
    int64_t born_ns, modified_ns, changed_ns;
    uint32_t mode, file_system_kind;
};

/// Looks at an item and its file system, in two system calls unless it is a symbolic link.
int fcs_stamped_status_at(
    const char *_Nonnull path, struct fcs_stamped_status *_Nonnull out);
/// Watches an open item, also if it was opened with O_PATH.
int fcs_watch_open(int watch, int descriptor, uint32_t mask);

#endif
