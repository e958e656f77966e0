// SPDX-License-Identifier: Apache-2.0
//
// The message of the last commit: a subject that fits into a list, and a body if there is more to
// say. Where there is no history, as in a release, there is nothing to check.

import Foundation

/// A commit, as far as its message is concerned.
struct Commit {
    /// The longest subject, in characters.
    static let subjectLength = 72
    /// A change of more lines has a body that says why it was made.
    static let linesWithoutBody = 20

    /// The first paragraph of the message.
    let subject: String
    /// The rest of the message.
    let body: String
    /// How many lines the commit adds and removes; 0 if it has no parent, or several.
    let changedLines: Int

    /// What is wrong with the message.
    var violations: [String] {
        var found: [String] = []
        if subject.count > Self.subjectLength {
            found.append(
                "its subject has \(subject.count) characters, of \(Self.subjectLength): "
                    + "\"\(subject)\"")
        }
        if changedLines > Self.linesWithoutBody, body.trimmed.isEmpty {
            found.append("it changes \(changedLines) lines, and no body says why: \"\(subject)\"")
        }
        return found
    }

    // MARK: Reading

    /// The parents, the subject and the body, each ended by NUL; then a line for each changed file.
    private static let format = "%P%x00%s%x00%b%x00"

    /// Reads what git writes about a commit in the format above.
    init?(log: String) {
        let parts = log.split(separator: "\0", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        subject = String(parts[1])
        body = String(parts[2])
        // The files of a first commit, and of one whose parents were not fetched, are all new.
        let hasOneParent = parts[0].split(separator: " ").count == 1
        changedLines = hasOneParent ? Self.changedLines(in: parts[3]) : 0
    }

    private static func changedLines(in files: Substring) -> Int {
        files.split(separator: "\n").reduce(0) { sum, line in
            // Of a binary file, both numbers are "-".
            sum + line.split(separator: "\t").prefix(2).compactMap { Int($0) }.reduce(0, +)
        }
    }

    /// The last commit of the repository at `root`; nil if that is no repository, or there is no
    /// git.
    static func last(at root: URL) -> Commit? {
        // A release may be unpacked inside another repository.
        guard FileManager.default.fileExists(atPath: root.appending(path: ".git").path) else {
            return nil
        }
        let git = Process()
        git.executableURL = URL(filePath: "/usr/bin/env")
        git.arguments = [
            // The repository may be another user's, who has built the tests.
            "git", "-c", "safe.directory=*", "-c", "log.showSignature=false", "-C", root.path,
            "log", "-1", "--numstat", "--format=\(format)",
        ]
        let output = Pipe()
        git.standardOutput = output
        git.standardError = Pipe()
        // Without git there is no history either.
        guard (try? git.run()) != nil else { return nil }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        git.waitUntilExit()
        guard git.terminationStatus == 0 else { return nil }
        return Commit(log: String(decoding: text, as: UTF8.self))
    }
}
