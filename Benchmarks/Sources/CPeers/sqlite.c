// SPDX-License-Identifier: Apache-2.0
//
// SQLite's lock on a database, without changing anything in it. The library is opened when it is
// there, so that its headers are not needed to build the benchmarks.
#define _GNU_SOURCE
#include "peers.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

struct database {
    int (*step)(sqlite3_stmt *);
    int (*reset)(sqlite3_stmt *);
    sqlite3_stmt *begin, *commit;
};

enum { done = 101 };

void *sqlite_open_for_locking(const char *path, const char **reason) {
    static struct database database;
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW);
    *reason = "libsqlite3.so.0 is not installed";
    if (!library) return NULL;
    int (*open)(const char *, sqlite3 **) = dlsym(library, "sqlite3_open");
    int (*run)(sqlite3 *, const char *, void *, void *, char **) = dlsym(library, "sqlite3_exec");
    int (*prepare)(sqlite3 *, const char *, int, sqlite3_stmt **, const char **) =
        dlsym(library, "sqlite3_prepare_v2");
    database.step = dlsym(library, "sqlite3_step");
    database.reset = dlsym(library, "sqlite3_reset");
    *reason = "libsqlite3.so.0 lacks a function";
    if (!open || !run || !prepare || !database.step || !database.reset) return NULL;
    sqlite3 *connection;
    *reason = "the database could not be made";
    if (open(path, &connection)) return NULL;
    if (run(connection, "PRAGMA journal_mode=wal; CREATE TABLE IF NOT EXISTS t(k)", 0, 0, 0))
        return NULL;
    if (prepare(connection, "BEGIN IMMEDIATE", -1, &database.begin, 0)) return NULL;
    if (prepare(connection, "COMMIT", -1, &database.commit, 0)) return NULL;
    return &database;
}

int64_t time_sqlite_pairs(void *handle, int count) {
    struct database *database = handle;
    int64_t start = nanoseconds_now();
    for (int i = 0; i < count; i++) {
        if (database->step(database->begin) != done) return -EBUSY;
        database->reset(database->begin);
        if (database->step(database->commit) != done) return -EBUSY;
        database->reset(database->commit);
    }
    return nanoseconds_now() - start;
}
