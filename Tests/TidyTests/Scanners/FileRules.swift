// SPDX-License-Identifier: Apache-2.0
//
// What every file must have: a licence, and no trace of the machine on which it was written.

/// Rules about files as a whole.
enum FileRules {
    /// A source file that does not say under which licence it is.
    static func unlicensed(_ file: SourceFile) -> [Violation] {
        let isSource =
            ["swift", "c", "h", "sh"].contains { file.path.hasSuffix(".\($0)") }
            || ["check", ".ci/run"].contains(file.path)
        // The manifest's first line belongs to SwiftPM, and it is no use without the rest.
        guard isSource, file.name != "Package.swift" else { return [] }
        let isLicensed = file.lines.prefix(3).contains {
            $0.contains("SPDX-License-Identifier: Apache-2.0")
        }
        return isLicensed ? [] : [Violation(file, "no SPDX line at its head")]
    }

    /// Places of a developer's machine.
    ///
    /// Spelled so as not to find themselves.
    static let machinePlaces = ["/" + "work/", "/tmp/" + "bash_jobs"]

    /// Paths of the author's machine.
    static func machinePaths(in file: SourceFile) -> [Violation] {
        file.lines.enumerated().compactMap { number, line in
            machinePlaces.contains(where: line.contains)
                ? Violation(file, line: number + 1, "a path of a developer's machine") : nil
        }
    }

    /// A failure that is passed over without a comment beside it, or in the four lines above.
    static func unexplainedFailures(in file: SourceFile) -> [Violation] {
        file.code.indices.filter { passesOver(file.code[$0]) }.compactMap { number in
            let isExplained = (max(0, number - 4)...number).contains {
                !file.comments[$0].trimmed.isEmpty
            }
            return isExplained
                ? nil : Violation(file, line: number + 1, "try? without a reason: say why")
        }
    }

    /// Whether a line passes over a failure; an optional entry does not.
    private static func passesOver(_ line: String) -> Bool {
        line.ranges(of: "try?").contains { range in
            range.lowerBound == line.startIndex
                || !line[line.index(before: range.lowerBound)].isLetter
        }
    }

    /// The beginnings of an assignment of a new queue, without blanks.
    ///
    /// Spelled so as not to find themselves.
    static let newUnderlyingQueues = ["DispatchQueue(", ".init("].map { "underlyingQueue=" + $0 }

    /// An operation queue whose underlying queue nothing retains.
    ///
    /// On Linux, an operation queue does not retain it, and would use freed memory.
    static func unretainedQueues(in file: SourceFile) -> [Violation] {
        file.lines.indices.compactMap { number in
            guard file.lines[number].contains("underlyingQueue") else { return nil }
            // The new queue may stand on the next line, and the lines may be in a comment.
            let text = file.lines[number...].prefix(2).joined(separator: "")
                .filter { !" /".contains($0) }
            guard newUnderlyingQueues.contains(where: text.contains) else { return nil }
            return Violation(
                file, line: number + 1,
                "an operation queue does not retain this: keep the DispatchQueue in a property")
        }
    }

    /// A duration that is put into a text with its unit, other than by `DurationText`.
    static func writtenDurations(in file: SourceFile) -> [Violation] {
        let units = ["ns", "µs", "ms", "s", "min", "seconds", "milliseconds"].map { ") " + $0 }
        return file.lines.indices.compactMap { number in
            let line = file.lines[number]
            let isWritten = units.contains { unit in
                line.ranges(of: unit).contains { range in
                    line[range.upperBound...].first.map { "\", .;".contains($0) } ?? true
                }
            }
            guard isWritten, line.contains("\\(") else { return nil }
            return Violation(file, line: number + 1, "a duration in a text: use DurationText")
        }
    }
}
