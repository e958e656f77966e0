/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of SQLite that the example uses. They stand here, so that no package of the
 * system's is needed to build it; in a program of your own, include <sqlite3.h>, or use a Swift
 * package for SQLite. */
#ifndef CSQLITE_H
#define CSQLITE_H

#define SQLITE_OK 0
#define SQLITE_ROW 100
#define SQLITE_DONE 101
#define SQLITE_OPEN_READWRITE 0x00000002
#define SQLITE_OPEN_CREATE 0x00000004

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

int sqlite3_open_v2(const char *name, sqlite3 **connection, int flags, const char *vfs);
int sqlite3_close_v2(sqlite3 *connection);
int sqlite3_busy_timeout(sqlite3 *connection, int milliseconds);
const char *sqlite3_errmsg(sqlite3 *connection);
int sqlite3_prepare_v2(
    sqlite3 *connection, const char *text, int length, sqlite3_stmt **statement,
    const char **rest);
int sqlite3_bind_text(
    sqlite3_stmt *statement, int index, const char *text, int length,
    void (*release)(void *));
int sqlite3_step(sqlite3_stmt *statement);
const unsigned char *sqlite3_column_text(sqlite3_stmt *statement, int index);
int sqlite3_finalize(sqlite3_stmt *statement);

#endif
