// SPDX-License-Identifier: Apache-2.0
//
// What Swift cannot import from Glibc, and what must run where Swift must not: in signal handlers
// and in half-made processes.
//
// Every function returns a result >= 0, or -errno. This header includes nothing but the two below:
// system headers here would clash with the modules that Swift's own overlays are built from.
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
/// Opens the item itself, a final link not followed, for its identity and nothing else.
int fcs_open_anchor(const char *_Nonnull path);
int fcs_make_directory_at(int directory, const char *_Nonnull name, uint32_t mode);
int fcs_close(int descriptor);
int fcs_status_at(
    int directory, const char *_Nonnull name, int follow_links, struct fcs_status *_Nonnull out);
int fcs_status_of(int descriptor, struct fcs_status *_Nonnull out);
int fcs_remove_at(int directory, const char *_Nonnull name, int is_directory);
/// Fills `buffer` with `struct linux_dirent64`s; 0 at the end.
intptr_t fcs_directory_entries(int directory, void *_Nonnull buffer, size_t capacity);

enum { FCS_RENAME_REPLACE = 0, FCS_RENAME_REFUSE = 1, FCS_RENAME_EXCHANGE = 2 };
int fcs_rename_at(
    int from_directory, const char *_Nonnull from, int to_directory, const char *_Nonnull to,
    uint32_t flags);

int fcs_try_lock(int file);    // 1: locked, 0: another process has it
int fcs_lock_waiting(int file);
int fcs_unlock(int file);
int fcs_is_locked_by_another(int file);

/// A write beyond RLIMIT_FSIZE, or to a pipe without a reader, fails without the signal.
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

// ---- identity.c: what makes a file the same file

struct fcs_birth {
    uint64_t device, inode;
    int64_t born_ns;
    int is_born_known;
};

int fcs_birth_at(int directory, const char *_Nonnull name, struct fcs_birth *_Nonnull out);
/// The kernel's handle; its length, or -EOVERFLOW if it is longer than `capacity`.
int fcs_handle_at(
    int directory, const char *_Nonnull name, int32_t *_Nonnull type, void *_Nonnull handle,
    size_t capacity);

// ---- attributes.c: extended attributes, and the device

/// With a capacity of 0 the length that it takes; the names, each with its zero.
intptr_t fcs_attribute_names(int file, char *_Nullable names, size_t capacity);
/// With a capacity of 0 the length that it takes.
intptr_t fcs_attribute(
    int file, const char *_Nonnull name, void *_Nullable value, size_t capacity);
int fcs_set_attribute(
    int file, const char *_Nonnull name, const void *_Nullable value, size_t length);
int fcs_remove_attribute(int file, const char *_Nonnull name);
int fcs_synchronize_file_system(int file);
/// Of what the path names, a link itself included: its length.
intptr_t fcs_attribute_size(const char *_Nonnull path, const char *_Nonnull name);
int fcs_attribute_set(
    const char *_Nonnull path, const char *_Nonnull name, const void *_Nullable value,
    size_t length);

// ---- symbols.c: the program's own symbol table

/// Calls `found` for each symbol whose name begins with `prefix`, or without a prefix for each at
/// the address, of the program or library that holds the address.
int fcs_symbols(
    const void *_Nonnull address, const char *_Nullable prefix, void *_Nullable context,
    void (*_Nonnull found)(void *_Nullable context, const char *_Nonnull name));

// ---- memory.c: mappings, futexes, the clock

int fcs_memory_file(const char *_Nonnull name);
int fcs_map(
    int file, size_t length, int writable, int inherited_by_fork,
    void *_Nullable *_Nonnull base);
int fcs_unmap(void *_Nonnull base, size_t length);

uint64_t fcs_monotonic_now(void);
/// The processor's time that the calling thread has had.
uint64_t fcs_thread_time(void);
/// Makes `time` the answer of both on the calling thread; 0: what the kernel says, as ever.
void fcs_set_model_time(uint64_t time);
/// Waits while `*address == expected`; `deadline` is absolute, in nanoseconds of CLOCK_MONOTONIC,
/// UINT64_MAX for never. 0, -EAGAIN, -ETIMEDOUT, -EINTR, or -EFAULT.
int fcs_futex_wait(void *_Nonnull address, uint32_t expected, uint64_t deadline, uint32_t bits);
int fcs_futex_wake(void *_Nonnull address, int32_t count, uint32_t bits);
/// Reads a byte and throws it away: for the fault that it may cause.
void fcs_touch(const void *_Nonnull address);

// ---- guard.c: surviving the truncation of a mapped file

int fcs_mapping_protect(void *_Nonnull base, size_t length);
void fcs_mapping_unprotect(void *_Nonnull base);
int fcs_mapping_was_truncated(void *_Nonnull base);

// ---- fork.c: what a forked child must not keep

enum { FCS_GUARDED_DESCRIPTORS = 65536 };
int fcs_fork_guard_install(void);
// Forks wait between these two.
void fcs_fork_hold(void);
void fcs_fork_release(void);
void fcs_close_in_child(int descriptor);
void fcs_keep_in_child(int descriptor);
// Where the process's token is; NULL before the first use. Not to be used but here.
extern uint64_t *_Nullable fcs_token_word;
uint64_t fcs_first_process_token(void);
static inline uint64_t fcs_process_token(void) {
    // Asked for several times in each access.
    uint64_t *_Nullable word = __atomic_load_n(&fcs_token_word, __ATOMIC_ACQUIRE);
    return word ? __atomic_load_n(word, __ATOMIC_SEQ_CST) : fcs_first_process_token();
}
void fcs_process_token_rearm(void);

// ---- socket.c: AF_UNIX, SOCK_SEQPACKET

enum { FCS_MAXIMUM_DESCRIPTORS = 16, FCS_MAXIMUM_SOCKET_PATH = 107 };

struct fcs_credentials {
    int32_t process;
    uint32_t user, group;
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
/// `patience` in nanoseconds, UINT64_MAX for ever.
int fcs_socket_connect(int socket, const char *_Nonnull path, uint64_t patience);
/// In the abstract namespace, where every user may take any name.
int fcs_socket_bind_abstract(int socket, const char *_Nonnull name);
/// Never waits: -EAGAIN if too many do already.
int fcs_socket_connect_abstract(int socket, const char *_Nonnull name);
int fcs_socket_accept(int socket);
intptr_t fcs_socket_send(
    int socket, const void *_Nullable bytes, size_t length, const int *_Nullable descriptors,
    int descriptor_count, int waiting);
intptr_t fcs_socket_receive(
    int socket, void *_Nullable buffer, size_t capacity, int waiting,
    struct fcs_received *_Nonnull out);
int fcs_socket_peer_credentials(int socket, struct fcs_credentials *_Nonnull out);
int fcs_socket_peer_process(int socket);
int fcs_socket_send_buffer(int socket);
int fcs_socket_shut_down(int socket);

// ---- poll.c: waiting for descriptors

enum { FCS_READABLE = 1, FCS_WRITABLE = 2, FCS_HANGUP = 4 };
enum { FCS_POLL_ADD = 1, FCS_POLL_REMOVE = 2, FCS_POLL_MODIFY = 3, FCS_POLL_BATCH = 64 };

struct fcs_ready {
    uint64_t token;
    uint32_t events;
};

int fcs_poller(void);
int fcs_poller_control(int poller, int operation, int descriptor, uint64_t token, uint32_t events);
/// `out` has room for FCS_POLL_BATCH; `deadline` as for futexes.
int fcs_poller_wait(int poller, struct fcs_ready *_Nonnull out, uint64_t deadline);
/// How many descriptors are ready, 1 at most; without waiting.
int fcs_poller_has_ready(int poller);
int fcs_is_readable_now(int descriptor);

int fcs_wake_up(void);
int fcs_wake_up_signal(int wake_up);
int fcs_wake_up_drain(int wake_up);

int fcs_watch(void);
int fcs_watch_add(int watch, const char *_Nonnull path, uint32_t mask);
int fcs_watch_remove(int watch, int identifier);
/// 1 if there is something to read; 0 if not.
int fcs_has_input(int descriptor);
/// 1 if `path` is on a file system all of whose changes this kernel makes; 0 if not.
int fcs_is_local(const char *_Nonnull path);
intptr_t fcs_read_now(int descriptor, void *_Nonnull buffer, size_t capacity);

// ---- process.c: processes and threads

int fcs_process_open(int32_t process);
int fcs_process_kill(int process_descriptor, int32_t signal);
/// Tells the namespace in which a process has its own number: the inode of its file in nsfs.
int fcs_process_namespace(int process_descriptor, uint64_t *_Nonnull inode);
/// 1 if the program runs with rights that its starter need not have (set-user-ID and the like).
int fcs_process_has_borrowed_rights(void);
/// Starts a daemon; 0 once it runs the new program. `inherited` becomes descriptor 3; -1 for none.
int fcs_process_start_detached(
    const char *_Nonnull executable, char *_Nullable const *_Nonnull arguments,
    char *_Nullable const *_Nonnull environment, int inherited);

/// Starts a child that is killed when this thread ends. 0 once it runs the first of `candidates`
/// that can be run; a script without "#!" is run by `shell_arguments`, whose second is NULL and
/// filled in for that time. `mask` is the kernel's, 8 bytes. `inherited` is a descriptor that the
/// child keeps; -1 for none. `child` is to be reaped also after an error, unless it is 0.
int fcs_process_start_child(
    char *_Nullable const *_Nonnull candidates, char *_Nullable const *_Nonnull arguments,
    char *_Nullable *_Nonnull shell_arguments, char *_Nullable const *_Nonnull environment,
    const void *_Nonnull mask, int input, int output, int inherited, int32_t *_Nonnull child);
/// fork(2), for a program that has no other threads: 0 in the child.
int fcs_process_fork(void);
/// A pipe whose ends no child inherits: `ends[0]` to read, `ends[1]` to write.
int fcs_pipe(int *_Nonnull ends);
/// Has all threads take memory from one heap; for programs that live for a moment.
void fcs_process_keep_one_heap(void);

/// A variable of each thread's own, to be made once: >= 0, or -ENOSPC. Takes no key of the
/// program's, of which there are but 1024.
int fcs_thread_slot(void);
void *_Nullable fcs_thread_slot_value(int slot);
/// `end` is called with the value when the thread ends.
void fcs_thread_slot_set(
    int slot, void *_Nonnull value, void (*_Nonnull end)(void *_Nonnull));

int fcs_thread_start_detached(
    const char *_Nonnull name, size_t stack_size, void (*_Nonnull body)(void *_Nonnull),
    void *_Nonnull context);

// ---- look.c: looks for change watching

struct fcs_look {
    uint64_t device, inode, handle, size, link_count;
    /// 0 where the file system keeps no time of birth.
    int64_t born_ns, modified_ns, changed_ns;
    uint32_t mode, owner, group;
};

/// Looks at `name` in an open directory, or at what is open itself if the name is empty.
int fcs_look_at(int directory, const char *_Nonnull name, struct fcs_look *_Nonnull out);
/// Watches what is open, also if it was opened for nothing but its identity.
int fcs_watch_open(int watch, int descriptor, uint32_t mask);

#endif
