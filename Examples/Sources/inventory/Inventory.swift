// SPDX-License-Identifier: Apache-2.0
//
// A list of things in a SQLite database that several processes have open.
//
//     inventory DIRECTORY        reads commands: add NAME, list, count, check
//
// The database has a directory of its own, because it is three files: a program that moves or
// copies it claims the directory, and so has all of them. `SharedDatabase.swift` has all that
// concerns other programs.

import FileCoordination

@main
enum Inventory {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let path = arguments.first, arguments.count == 1 else {
            complain("usage: inventory DIRECTORY")
            exit(64)
        }
        do {
            let folder = URL(fileURLWithPath: path, isDirectory: true).resolvingSymlinksInPath()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let database = SharedDatabase(folder.appendingPathComponent("inventory.db"))
            try database.open(migrate: migrate)
            while let line = readLine() {
                do {
                    for answer in try perform(line, database) { print(answer) }
                    fflush(nil)
                } catch {
                    complain("inventory: \(error.localizedDescription)")
                }
            }
            database.close()
        } catch {
            complain("inventory: \(path): \(error.localizedDescription)")
            exit(1)
        }
    }

    /// Makes the tables; called under a write claim, and so by one program at a time.
    private static func migrate(_ connection: Connection) throws {
        guard try connection.execute("PRAGMA user_version") == ["0"] else { return }
        try connection.execute("BEGIN IMMEDIATE")
        try connection.execute("CREATE TABLE things (name TEXT NOT NULL)")
        try connection.execute("PRAGMA user_version = 1")
        try connection.execute("COMMIT")
    }

    private static func perform(_ line: String, _ database: SharedDatabase) throws -> [String] {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch (words.first, words.count) {
        case ("add", 2):
            try database.use { try $0.execute("INSERT INTO things VALUES (?)", words[1]) }
            return ["added \(words[1])"]
        case ("list", 1):
            return try database.use { try $0.execute("SELECT name FROM things ORDER BY rowid") }
        case ("count", 1):
            return try database.use { try $0.execute("SELECT count(*) FROM things") }
        case ("check", 1):
            return try database.use { try $0.execute("PRAGMA integrity_check") }
        default:
            return ["add NAME, list, count, check"]
        }
    }

    private static func complain(_ message: String) {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
    }
}
