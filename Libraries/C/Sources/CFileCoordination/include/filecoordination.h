/* SPDX-License-Identifier: Apache-2.0
 *
 * File coordination for C: read and write files in turn with every other program that coordinates,
 * and be asked before another program uses a file that this one has open.
 *
 *     fc_error *error;
 *     fc_hold *hold = fc_begin_writing(NULL, "notes.txt", 0, 5.0, &error);
 *     if (!hold) { fputs(fc_error_message(error), stderr); fc_error_free(error); return 1; }
 *     ... write to fc_hold_path(hold, 0) ...
 *     fc_end(hold);
 *
 * Rules for all of it
 *
 * - Claims: an access is asked for by a claim on one or several items, which waits until no other
 *   claim conflicts with it and the presenters that must make way have answered. An item is what is
 *   at a path, whether or not anything is there.
 * - Threads: every function may be called on any thread, at the same time. A function that waits
 *   says so; no other one does. Each callback says on which thread it is called.
 * - Memory: a handle that a function returns, or that a callback is given "to own", is yours until
 *   you pass it, once, to the function that its comment names. Do not use it after that, on any
 *   thread. Text that a function returns belongs to the handle that was asked, and lasts as long as
 *   the handle. Text that a callback gets lasts until the callback returns. The library copies what
 *   you pass. It never looks at a context: it only hands it to your callbacks.
 * - NULL: every function takes NULL for a handle. A function that returns nothing then does
 *   nothing. A question returns NULL, an empty text, 0, or what its comment says. Any other call is
 *   FC_ERROR_USAGE, unless NULL stands for a coordinator that is made for the call.
 * - Errors: a function with an fc_error ** stores NULL there if it succeeds, and an error if it
 *   fails; free that with fc_error_free. Pass NULL if you do not want it. Beside a pointer that is
 *   NULL on failure, functions return FC_OK or the code of the error.
 * - Paths are bytes, as the kernel takes them. Relative ones start at the working directory. Other
 *   texts are UTF-8.
 * - fork(): the child holds nothing of its parent's, and presents nothing. It may free handles, and
 *   coordinate anew: it gets a connection of its own. No callback is called in it for what its
 *   parent began. Do not fork in a callback.
 * - The process's death ends all that it holds and presents, at once, whatever kills it.
 * - The library starts threads of its own, which take no signals. It must not be unloaded.
 *
 * Functions and constants are only ever added. struct fc_item never changes; a struct that may grow
 * begins with its size. The shared library is libfilecoordination.so.1, and its symbols carry the
 * version FC_1.0, whatever FC_VERSION is.
 */
#ifndef FILECOORDINATION_H
#define FILECOORDINATION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; fc_version() is that of the library. */
#define FC_VERSION "0.2.0"

/* Returns the version of the library, as "0.2.0"; the text is never freed. */
const char *fc_version(void);

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Why a call failed. The numbers do not change; new ones may be added. */
#define FC_OK 0
#define FC_ERROR_TIMED_OUT 1   /* the timeout passed; fc_error_holder names who is in the way */
#define FC_ERROR_CANCELLED 2   /* fc_coordinator_cancel was called */
#define FC_ERROR_REFUSED 3     /* a presenter refused: fc_error_domain and _number are its own;
                                  or a user ended the wait with filecoord release */
#define FC_ERROR_DEADLOCK 4    /* it would wait for itself, by way of others: fc_error_holder */
#define FC_ERROR_UNAVAILABLE 5 /* no server can be reached or started */
#define FC_ERROR_LIMIT 6       /* too many claims, presenters or threads, of process or user */
#define FC_ERROR_PATH 7        /* a path cannot name an item; fc_error_item says which one */
#define FC_ERROR_USAGE 8       /* an argument is wrong, such as NULL or an unknown option */
#define FC_ERROR_COPY 9        /* the copy for FC_READ_FOR_UPLOADING could not be made */
#define FC_ERROR_STALE 10      /* an item is not as the caller has seen it; fc_error_item */
#define FC_ERROR_FILE 11       /* a file could not be looked at, or not be replaced */

/* Why one call failed. It never changes. */
typedef struct fc_error fc_error;

/* Returns one of FC_ERROR_*; FC_OK for NULL. */
int32_t fc_error_code(const fc_error *error);
/* Returns a sentence or two for people, in English: what failed, who is in the way, what to do. */
const char *fc_error_message(const fc_error *error);
/* Returns whose number fc_error_number is: "filecoordination" (then it is the code), "errno", or
 * the domain of the presenter that refused. */
const char *fc_error_domain(const fc_error *error);
/* Returns the number, in that domain. */
int64_t fc_error_number(const fc_error *error);
/* Returns which item of the call is at fault, from 0 on; -1 if that is not known, and for NULL. */
int64_t fc_error_item(const fc_error *error);
/* Returns how many processes are known to be in the way, after a timeout or in a deadlock. */
size_t fc_error_holder_count(const fc_error *error);
/* Returns a sentence about one of them; NULL if index is not below the count. */
const char *fc_error_holder(const fc_error *error, size_t index);
/* Returns its process number; 0 if index is not below the count. */
int64_t fc_error_holder_pid(const fc_error *error, size_t index);
/* Frees an error with its texts. */
void fc_error_free(fc_error *error);

/* ---- Coordinators ---------------------------------------------------------------------------- */

/* On whose behalf a program acts. Accesses of one purpose do not wait for each other; those of a
 * presenter do not ask that presenter. Where a call takes a coordinator, NULL stands for a new one
 * that is used for this call alone. A coordinator is of use until it is cancelled. */
typedef struct fc_coordinator fc_coordinator;
/* A registered presenter: it shows an item, and is asked before other programs use it. */
typedef struct fc_presenter fc_presenter;
/* Access that is held. It belongs to no thread. An access of another purpose to the same item waits
 * for it, also on the thread that has it. Such a wait for oneself is refused only if
 * fc_coordinator_set_enclosing was told of the hold. Better ask for all items at once. */
typedef struct fc_hold fc_hold;

/* Makes a coordinator. purpose: NULL for one of its own, else any text that is not empty. label:
 * what people are shown for its accesses; NULL for the label of the process. Returns NULL if the
 * purpose is empty or not UTF-8. Free it with fc_coordinator_free. */
fc_coordinator *fc_coordinator_new(const char *purpose, const char *label);
/* Makes a coordinator that acts on behalf of a presenter. It keeps what it needs of the presenter
 * after fc_presenter_remove. Returns NULL for NULL. Free it with fc_coordinator_free. */
fc_coordinator *fc_coordinator_new_for_presenter(fc_presenter *presenter, const char *label);
/* Returns its purpose; hand it to another process that is to share its accesses. */
const char *fc_coordinator_purpose(const fc_coordinator *coordinator);
/* Says which claims of other processes wait for this process: the value of FILECOORD_CLAIM in the
 * environment, or NULL for none. An access that would wait for one of them is then
 * FC_ERROR_DEADLOCK, instead of waiting for ever. Call it before the first access. */
void fc_coordinator_set_surroundings(fc_coordinator *coordinator, const char *claims);
/* Says that the code which waits by this coordinator releases these holds only afterwards; a later
 * call replaces them. An access that would wait for one of them, directly or by way of others, is
 * then FC_ERROR_DEADLOCK. Call it before that access. The holds stay yours. */
void fc_coordinator_set_enclosing(fc_coordinator *coordinator, fc_hold *const *holds,
                                  size_t count);
/* Ends all its waits with FC_ERROR_CANCELLED, and every later one. What was granted stays. */
void fc_coordinator_cancel(fc_coordinator *coordinator);
/* Frees a coordinator. What it holds or waits for goes on. */
void fc_coordinator_free(fc_coordinator *coordinator);

/* ---- Access ---------------------------------------------------------------------------------- */

#define FC_READ 1
#define FC_WRITE 2

/* Options of a read. */
#define FC_READ_WITHOUT_CHANGES 0x1u       /* presenters are not asked to save */
#define FC_READ_RESOLVES_SYMBOLIC_LINK 0x2u /* as without it; not with FC_NO_FOLLOW */
#define FC_READ_METADATA_ONLY 0x4u         /* only what is known of it without a download */
#define FC_READ_FOR_UPLOADING 0x8u         /* the accessor gets a copy, of a directory an archive,
                                              which is removed when it returns; not in fc_begin* */
/* Options of a write. */
#define FC_WRITE_FOR_DELETING 0x1u         /* presenters are asked to accommodate the deletion */
#define FC_WRITE_FOR_MOVING 0x2u           /* say where to: fc_hold_item_moved, fc_item_moved */
#define FC_WRITE_FOR_MERGING 0x4u          /* on top of what is there: presenters save first */
#define FC_WRITE_FOR_REPLACING 0x8u        /* presenters are asked as before a deletion */
#define FC_WRITE_METADATA_ONLY 0x10u       /* of the item, not of its content */
/* Of both: a directory with everything inside. */
#define FC_RECURSIVE 0x40u
/* Of both: a final symbolic link itself. Without it the link is followed, as by open(2): access is
 * to what it leads to, and its path is what the accessor gets. Pass it to delete or move a link. */
#define FC_NO_FOLLOW 0x20u

/* An item that is asked for. */
typedef struct fc_item {
    const char *path;
    uint32_t access; /* FC_READ or FC_WRITE */
    uint32_t options; /* of that access, combined with | */
} fc_item;

/* A timeout is the number of seconds that a call may wait; it does not bound the access. With any
 * negative number the call waits for as long as it takes. NaN is FC_ERROR_USAGE. 0 is too short for
 * every claim that needs the server, even if no process is in the way. */
#define FC_NO_TIMEOUT (-1.0)

/* Waits for access to all items, in one claim. Returns the hold, which fc_end releases and frees;
 * NULL if it fails, with any code but FC_ERROR_COPY. */
fc_hold *fc_begin(fc_coordinator *coordinator, const fc_item *items, size_t count, double timeout,
                  fc_error **error);
/* The same for one item to read. */
fc_hold *fc_begin_reading(fc_coordinator *coordinator, const char *path, uint32_t options,
                          double timeout, fc_error **error);
/* The same for one item to write. */
fc_hold *fc_begin_writing(fc_coordinator *coordinator, const char *path, uint32_t options,
                          double timeout, fc_error **error);

/* What fc_begin_async calls, to own either a hold (then error is NULL) or an error (then hold is
 * NULL): end the one with fc_end, free the other with fc_error_free. */
typedef void (*fc_granted)(fc_hold *hold, fc_error *error, void *context);
/* The same as fc_begin without waiting. No thread is occupied meanwhile. Calls granted once, on a
 * thread of the library that other waits need too and that has a stack of 512 KiB, or on this
 * thread before it returns: do not wait there. granted is not called after fc_end_callbacks, nor if
 * it is NULL: then nothing is done. */
void fc_begin_async(fc_coordinator *coordinator, const fc_item *items, size_t count,
                    double timeout, fc_granted granted, void *context);

/* Returns how many items it has. */
size_t fc_hold_count(const fc_hold *hold);
/* Returns where an item was when access was granted, which is not always where it was asked for;
 * NULL if index is not below the count. Items are in the order of the call. */
const char *fc_hold_path(const fc_hold *hold, size_t index);
/* Returns 1 if this process holds it; 0 in a forked child. */
int32_t fc_hold_is_held(const fc_hold *hold);
/* Returns variables for the environment of a child that is to work under the hold: "NAME=value"
 * texts, then NULL. They last as long as the hold. A filecoord that the child starts with
 * --purpose "$FILECOORD_PURPOSE" runs inside the hold. */
const char *const *fc_hold_environment(const fc_hold *hold);
/* Says that an item was moved while it is held, so that presenters follow. Has no effect in a
 * forked child. Fails only if the hold or a path cannot be used. */
int32_t fc_hold_item_moved(fc_hold *hold, const char *from, const char *to, fc_error **error);
/* Releases the access, and frees the hold; in a forked child it only frees. Never waits. */
void fc_end(fc_hold *hold);

/* Runs with access, on the thread that called fc_coordinate, fc_read or fc_write. paths: where the
 * items are, in the order of the call, or the copies of FC_READ_FOR_UPLOADING. */
typedef void (*fc_accessor)(size_t count, const char *const *paths, void *context);
/* Waits for access to all items, in one claim, calls accessor on this thread, and releases the
 * access. An access inside the accessor that would wait for it is FC_ERROR_DEADLOCK. If it fails,
 * with whatever code, accessor was not called. */
int32_t fc_coordinate(fc_coordinator *coordinator, const fc_item *items, size_t count,
                      double timeout, fc_accessor accessor, void *context, fc_error **error);
/* The same for one item to read. */
int32_t fc_read(fc_coordinator *coordinator, const char *path, uint32_t options, double timeout,
                fc_accessor accessor, void *context, fc_error **error);
/* The same for one item to write. */
int32_t fc_write(fc_coordinator *coordinator, const char *path, uint32_t options, double timeout,
                 fc_accessor accessor, void *context, fc_error **error);
/* The same inside an accessor of this coordinator that writes; without one it has no effect. */
int32_t fc_item_moved(fc_coordinator *coordinator, const char *from, const char *to,
                      fc_error **error);

/* ---- Tokens ---------------------------------------------------------------------------------- */

/* A token says which state of an item was seen, as a text that can be stored. A write on the
 * condition that nothing has changed since, by whomever, overwrites nothing unseen. "absent" says
 * that there is nothing. */
#define FC_TOKEN_SIZE 201
/* The token has a digest of the contents: then equal contents count as unchanged. */
#define FC_DIGEST 0x100u

/* Looks at what is at path, and stores its token, with a final NUL, in FC_TOKEN_SIZE bytes. Take it
 * before you read. options: FC_NO_FOLLOW and FC_DIGEST. Where a file system has coarse time stamps
 * it may wait, for some seconds at most. */
int32_t fc_token(const char *path, uint32_t options, char *token, fc_error **error);
/* Returns FC_OK if the item at path is as the token says, and FC_ERROR_STALE if not. */
int32_t fc_token_check(const char *path, uint32_t options, const char *token, fc_error **error);
/* Says in which states the items of the coordinator's next call must be: one token for each, NULL
 * for any state; a count of 0 for none. If one is not, that call is FC_ERROR_STALE. Presenters save
 * before. One that does not answer makes it FC_ERROR_REFUSED. From this to that call, use the
 * coordinator on one thread. */
int32_t fc_coordinator_set_only_if(fc_coordinator *coordinator, const char *const *tokens,
                                   size_t count, fc_error **error);
/* Stores the token of a held item: of one to read, of its state when access was granted; of one to
 * write, of its state now. May wait as fc_token does. */
int32_t fc_hold_token(fc_hold *hold, size_t index, char *token, fc_error **error);
/* Puts new contents in the place of a file that is held for writing, in one step, so that a reader
 * finds the old or the new ones; keeps mode, owner, lists, attributes. contents: NULL removes the
 * file. seen: the token of the state in which it must be, or NULL. token: gets that of what was
 * left, an empty text if another program has changed it by now; or NULL. Waits until the contents
 * are on the device. If it fails, with FC_ERROR_STALE or FC_ERROR_FILE, the file is as it was. */
int32_t fc_hold_replace(fc_hold *hold, size_t index, const char *seen, const void *contents,
                        size_t length, char *token, fc_error **error);

/* ---- Presenters ------------------------------------------------------------------------------ */

/* A question to a presenter, for the callback to own. Answer it once, on any thread, in the
 * callback or later, also after fc_presenter_remove: that frees it. The asking program waits, for
 * 30 seconds at most unless fc_set_answer_limit says otherwise. */
typedef struct fc_answer fc_answer;

/* Answers that it is done, and frees the answer. */
void fc_answer_done(fc_answer *answer);
/* Refuses, and frees the answer; the asking program gets domain, number and message (for people) in
 * its error. domain: NULL for the program's name. message: NULL for a general one. A relinquishment
 * cannot be refused: there it is fc_answer_done. */
void fc_answer_refuse(fc_answer *answer, const char *domain, int64_t number, const char *message);

/* What happened was done by a program that does not coordinate; found by watching the disk. */
#define FC_UNCOORDINATED 0x1u

/* What a presenter is asked and told. Leave NULL what it does not need: then it is not asked, which
 * is quicker. All are called on a thread that the library has for this presenter, one at a time, on
 * a stack of 8 MiB, or of 512 KiB where there is no room for that. They do not own presenter. */
typedef struct fc_presenter_callbacks {
    size_t size; /* sizeof(fc_presenter_callbacks) */
    /* Another program is about to read, or to write: stop using the item, then answer. */
    void (*relinquish_to_reader)(fc_presenter *presenter, fc_answer *answer, void *context);
    void (*relinquish_to_writer)(fc_presenter *presenter, fc_answer *answer, void *context);
    /* It is done: use the item again; after a writer, look at it again. */
    void (*reacquire_from_reader)(fc_presenter *presenter, void *context);
    void (*reacquire_from_writer)(fc_presenter *presenter, void *context);
    /* Save what is unsaved, under a coordinator made for this presenter, then answer. */
    void (*save)(fc_presenter *presenter, fc_answer *answer, void *context);
    /* The item, or the item at path inside it, is about to be deleted. */
    void (*accommodate_deletion)(fc_presenter *presenter, fc_answer *answer, void *context);
    void (*accommodate_subitem_deletion)(fc_presenter *presenter, const char *path,
                                         fc_answer *answer, void *context);
    /* flags: 0 or FC_UNCOORDINATED. */
    void (*did_move)(fc_presenter *presenter, const char *path, uint32_t flags, void *context);
    void (*did_change)(fc_presenter *presenter, uint32_t flags, void *context);
    void (*subitem_did_appear)(fc_presenter *presenter, const char *path, uint32_t flags,
                               void *context);
    void (*subitem_did_change)(fc_presenter *presenter, const char *path, uint32_t flags,
                               void *context);
    void (*subitem_did_move)(fc_presenter *presenter, const char *from, const char *to,
                             uint32_t flags, void *context);
    /* The last call of all, after fc_presenter_remove: context may be freed. */
    void (*removed)(void *context);
} fc_presenter_callbacks;

/* Registers a presenter of the item at path, which need not exist. When this returns, it is asked
 * and told; it waits for the server, not for other programs. context: what callbacks get. label as
 * in fc_coordinator_new. Returns NULL if it fails, with FC_ERROR_UNAVAILABLE, _LIMIT, _PATH or
 * _USAGE; then removed is not called. End it with fc_presenter_remove. If a callback has done that
 * before this returns, what is returned is freed already. */
fc_presenter *fc_presenter_add(const char *path, const fc_presenter_callbacks *callbacks,
                               void *context, const char *label, fc_error **error);
/* Copies the path at which its item is by now, with a final NUL, into buffer; nothing if size does
 * not suffice. Returns the length without the NUL, so that the call can be made again. */
size_t fc_presenter_path(const fc_presenter *presenter, char *buffer, size_t size);
/* Ends the registration and frees the handle. No callback is called after this but removed. One
 * that runs, or has just been called on the presenter's thread, goes on and is not waited for: it
 * may be the caller. So free what callbacks use in removed. In a forked child it only frees, and
 * calls nothing. */
void fc_presenter_remove(fc_presenter *presenter);

/* ---- This process ---------------------------------------------------------------------------- */

/* Sets what people are shown for this process; NULL or empty: its program's name. */
void fc_set_label(const char *label);
/* Sets how many seconds presenters of this process that are added later may take to answer;
 * negative: as long as they like. NaN changes nothing. */
void fc_set_answer_limit(double seconds);
/* For a program that takes down what its callbacks need before it ends, as an interpreter does: the
 * library's threads start no callback after this, and there is no way back. Questions stay without
 * an answer, and others wait for them, until the process ends. Waits until no callback runs, for so
 * many seconds at most. Returns 1, or 0 if one still runs. Not to be called in a callback. */
int32_t fc_end_callbacks(double seconds);

#ifdef __cplusplus
}
#endif

#endif
