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
 * - Threads: every function may be called on any thread, at the same time. A function that waits
 *   says so; no other one does. Callbacks say on which thread they come.
 * - Memory: what a function named *_new, *_add or fc_begin* returns is yours until you hand it to
 *   the function that its comment names, once. Text that a function returns belongs to the handle
 *   it was asked of, and lasts as long. Text that a callback gets lasts until the callback returns.
 *   The library copies what you pass.
 * - NULL: every function takes NULL for a handle. To free NULL does nothing; to ask NULL gives
 *   NULL, 0 or an empty text; any other use is FC_ERROR_USAGE.
 * - Errors: a function with an fc_error ** writes NULL there if it succeeds, and an error that you
 *   free if it fails. Pass NULL if you do not want it.
 * - Paths are bytes, as the kernel takes them. Relative ones start at the working directory.
 * - fork(): the child holds nothing of its parent's, and presents nothing. It may free handles, and
 *   coordinate anew: it gets a connection of its own. Callbacks never come in it for what its
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

/* The version of the library, as "0.2.0". */
const char *fc_version(void);

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Why a call failed. The numbers do not change; new ones may be added. */
#define FC_OK 0
#define FC_ERROR_TIMED_OUT 1   /* the timeout passed; fc_error_holder_* name who is in the way */
#define FC_ERROR_CANCELLED 2   /* fc_coordinator_cancel was called */
#define FC_ERROR_REFUSED 3     /* a presenter refused; fc_error_domain and _number are its own;
                                  or a user ended the wait with filecoord release */
#define FC_ERROR_DEADLOCK 4    /* it would wait for itself, by way of others: fc_error_holder_* */
#define FC_ERROR_UNAVAILABLE 5 /* no server can be reached or started */
#define FC_ERROR_LIMIT 6       /* this process, or its user, has too many claims or presenters */
#define FC_ERROR_PATH 7        /* a path names no place; fc_error_item says which */
#define FC_ERROR_USAGE 8       /* the call means nothing, such as an unknown option */
#define FC_ERROR_COPY 9        /* the copy for FC_READ_FOR_UPLOADING could not be made */

typedef struct fc_error fc_error;

/* One of FC_ERROR_*; FC_OK for NULL. */
int32_t fc_error_code(const fc_error *error);
/* A sentence or two for people, in English, that name who is in the way. */
const char *fc_error_message(const fc_error *error);
/* Whose number fc_error_number is: "filecoordination" (then it is the code), "errno", or what the
 * presenter that refused said. */
const char *fc_error_domain(const fc_error *error);
int64_t fc_error_number(const fc_error *error);
/* Which item of the call is at fault, from 0 on; -1 if that is not known. */
int64_t fc_error_item(const fc_error *error);
/* The processes in the way, if that is known: how many, and of each a sentence and its number. */
size_t fc_error_holder_count(const fc_error *error);
const char *fc_error_holder(const fc_error *error, size_t index);
int64_t fc_error_holder_pid(const fc_error *error, size_t index);
void fc_error_free(fc_error *error);

/* ---- Coordinators ---------------------------------------------------------------------------- */

/* On whose behalf a program acts. Accesses of one purpose do not wait for each other; those of a
 * presenter do not ask that presenter. Every function takes NULL for a coordinator that is used for
 * this one call. A coordinator is used until it is cancelled. */
typedef struct fc_coordinator fc_coordinator;
typedef struct fc_presenter fc_presenter;
/* Access that is held. It belongs to no thread. While a thread holds one, an access of another
 * purpose to the same item waits for it, also on that thread, and that is found only if
 * fc_coordinator_set_enclosing says so. Better ask for all items at once. */
typedef struct fc_hold fc_hold;

/* Makes one. purpose: NULL for one of its own, else any text that is not empty. label: what people
 * are shown for its accesses; NULL for that of the process. NULL if the purpose is empty or not
 * UTF-8. Free it with fc_coordinator_free. */
fc_coordinator *fc_coordinator_new(const char *purpose, const char *label);
/* Makes one that acts on behalf of a presenter, which it keeps. NULL for NULL. */
fc_coordinator *fc_coordinator_new_for_presenter(fc_presenter *presenter, const char *label);
/* What it is for; to be handed to another process that is to share its accesses. */
const char *fc_coordinator_purpose(const fc_coordinator *coordinator);
/* Says which claims of other processes wait for this process: the value of FILECOORD_CLAIM in the
 * environment. An access that would wait for one of them is then FC_ERROR_DEADLOCK, instead of
 * waiting for ever. Call it before the first access. */
void fc_coordinator_set_surroundings(fc_coordinator *coordinator, const char *claims);
/* Says that the code which waits by this coordinator releases these holds only afterwards. An
 * access that would wait for one of them, directly or by way of others, is then FC_ERROR_DEADLOCK.
 * Call it before the first access. The holds stay yours. */
void fc_coordinator_set_enclosing(fc_coordinator *coordinator, fc_hold *const *holds,
                                  size_t count);
/* Ends all its waits with FC_ERROR_CANCELLED, and every later one. What was granted stays. */
void fc_coordinator_cancel(fc_coordinator *coordinator);
/* Frees it. What it holds or waits for goes on. */
void fc_coordinator_free(fc_coordinator *coordinator);

/* ---- Access ---------------------------------------------------------------------------------- */

#define FC_READ 1
#define FC_WRITE 2

/* Options of a read. */
#define FC_READ_WITHOUT_CHANGES 0x1u       /* presenters are not asked to save */
#define FC_READ_RESOLVES_SYMBOLIC_LINK 0x2u /* reads what a final link leads to */
#define FC_READ_METADATA_ONLY 0x4u         /* only what is known of it without a download */
#define FC_READ_FOR_UPLOADING 0x8u         /* gets a copy, of a directory an archive */
/* Options of a write. */
#define FC_WRITE_FOR_DELETING 0x1u
#define FC_WRITE_FOR_MOVING 0x2u
#define FC_WRITE_FOR_MERGING 0x4u
#define FC_WRITE_FOR_REPLACING 0x8u
#define FC_WRITE_METADATA_ONLY 0x10u       /* of the item, not of its content */
/* Of both: a directory with everything inside. */
#define FC_RECURSIVE 0x40u

/* An item that is asked for. */
typedef struct fc_item {
    const char *path;
    uint32_t access; /* FC_READ or FC_WRITE */
    uint32_t options; /* of that access, combined with | */
} fc_item;

/* Seconds that a call may wait; the bound on the wait is none on the access. With any negative
 * number it waits for as long as it takes. 0 is too short for every claim that needs the server. */
#define FC_NO_TIMEOUT (-1.0)

/* Waits for access to all items, in one claim; NULL if it fails. Release it with fc_end. */
fc_hold *fc_begin(fc_coordinator *coordinator, const fc_item *items, size_t count, double timeout,
                  fc_error **error);
fc_hold *fc_begin_reading(fc_coordinator *coordinator, const char *path, uint32_t options,
                          double timeout, fc_error **error);
fc_hold *fc_begin_writing(fc_coordinator *coordinator, const char *path, uint32_t options,
                          double timeout, fc_error **error);

/* What fc_begin_async calls: either with a hold, or with an error; both are yours. */
typedef void (*fc_granted)(fc_hold *hold, fc_error *error, void *context);
/* The same without waiting: calls granted once, on a thread of the library's that others need, so
 * do not wait there; maybe before this returns. No thread is occupied meanwhile. */
void fc_begin_async(fc_coordinator *coordinator, const fc_item *items, size_t count,
                    double timeout, fc_granted granted, void *context);

/* How many items it has, and where each is by now: not always where it was asked for. */
size_t fc_hold_count(const fc_hold *hold);
const char *fc_hold_path(const fc_hold *hold, size_t index);
/* 1 if this process holds it; 0 in a forked child. */
int32_t fc_hold_is_held(const fc_hold *hold);
/* What a child is told that is to work under the hold: "NAME=value" texts, then NULL. A filecoord
 * that it starts with --purpose "$FILECOORD_PURPOSE" runs inside the hold. */
const char *const *fc_hold_environment(const fc_hold *hold);
/* Says that an item was moved while it is held, so that presenters follow. FC_ERROR_*. */
int32_t fc_hold_item_moved(fc_hold *hold, const char *from, const char *to, fc_error **error);
/* Releases the access, and frees the hold. Never waits. */
void fc_end(fc_hold *hold);

/* Runs with access: paths are those of the items. */
typedef void (*fc_accessor)(size_t count, const char *const *paths, void *context);
/* Waits for access, calls accessor on this thread, and releases it. Accesses inside the accessor
 * are known to be inside: one that would wait for it is FC_ERROR_DEADLOCK. FC_ERROR_*. */
int32_t fc_coordinate(fc_coordinator *coordinator, const fc_item *items, size_t count,
                      double timeout, fc_accessor accessor, void *context, fc_error **error);
/* The same for one item. */
int32_t fc_read(fc_coordinator *coordinator, const char *path, uint32_t options, double timeout,
                fc_accessor accessor, void *context, fc_error **error);
int32_t fc_write(fc_coordinator *coordinator, const char *path, uint32_t options, double timeout,
                 fc_accessor accessor, void *context, fc_error **error);
/* Says inside an accessor of this coordinator that an item was moved. FC_ERROR_*. */
int32_t fc_item_moved(fc_coordinator *coordinator, const char *from, const char *to,
                      fc_error **error);

/* ---- Presenters ------------------------------------------------------------------------------ */

/* A question to a presenter. Answer it once, on any thread, in the callback or later: that frees
 * it. The asking program waits, by default for 30 seconds at most. */
typedef struct fc_answer fc_answer;

void fc_answer_done(fc_answer *answer);
/* Refuses, in words for people. A relinquishment cannot be refused: there it is fc_answer_done. */
void fc_answer_refuse(fc_answer *answer, const char *domain, int64_t number, const char *message);

/* What happened was done by a program that does not coordinate; found by watching the disk. */
#define FC_UNCOORDINATED 0x1u

/* What a presenter is asked and told. Leave NULL what it does not need: then it is not asked, which
 * is quicker. All are called on a thread that the library has for this presenter, one at a time. */
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
 * and told; it waits for the server, not for other programs. label as in fc_coordinator_new. NULL
 * if it fails; then removed is not called. End it with fc_presenter_remove. If a callback has done
 * that before this returns, what is returned is freed already. */
fc_presenter *fc_presenter_add(const char *path, const fc_presenter_callbacks *callbacks,
                               void *context, const char *label, fc_error **error);
/* Where its item is by now. Copies it with its final NUL, if size suffices, and returns its length
 * without that. */
size_t fc_presenter_path(const fc_presenter *presenter, char *buffer, size_t size);
/* Ends the registration and frees the handle. No callback starts after this but removed; one that
 * runs already goes on, and is not waited for: it may be the caller. In a forked child it only
 * frees, and calls nothing. */
void fc_presenter_remove(fc_presenter *presenter);

/* ---- This process ---------------------------------------------------------------------------- */

/* What people are shown for this process; NULL or empty: its program's name. */
void fc_set_label(const char *label);
/* How many seconds presenters of this process that are added later may take to answer; negative:
 * as long as they like. */
void fc_set_answer_limit(double seconds);
/* For a program that takes down what its callbacks need before it ends, as an interpreter does: no
 * callback starts after this, in any thread, and there is no way back. Waits until none runs;
 * returns 0 if one did for so many seconds. Not to be called in a callback. */
int32_t fc_end_callbacks(double seconds);

#ifdef __cplusplus
}
#endif

#endif
