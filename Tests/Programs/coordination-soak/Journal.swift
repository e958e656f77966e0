// SPDX-License-Identifier: Apache-2.0
//
// What a process writes down about itself: a line for each event, in one system call, so that
// a killed process has written a whole line or none. A line is
//
//     TIME EVENT ACCESS FILE MODE
//
// with the time in nanoseconds of the monotonic clock, EVENT a letter, and MODE `r` or `w`.

import FileCoordination
import Glibc

/// What happened.
enum Happening: UInt8 {
    /// A call begins.
    case call = 0x63  // c
    /// The arbiter certainly has the claim, which still waits (see FilingWitness).
    case filed = 0x66  // f
    /// The accessor begins.
    case enter = 0x65  // e
    /// The accessor ends.
    case leave = 0x6C  // l
    /// The call failed; what it said is in the file of errors.
    case failed = 0x78  // x
    /// The file was locked by a live process, though this one has access.
    case taken = 0x74  // t
    /// A presenter is registered for the file.
    case presented = 0x70  // p
    /// It relinquishes the file.
    case yielded = 0x79  // y
    /// It has the file back.
    case back = 0x62  // b
    /// The process is about to exit normally.
    case exiting = 0x71  // q
}

/// The journal of this process; used on any thread.
struct JournalWriter: Sendable {
    private let file: Int32
    private let progress: Int32
    private let path: String

    init(directory: String, name: String) {
        path = directory + "/journals/" + name
        file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        precondition(file >= 0, "no journal")
        progress = open(
            Self.progressFile(directory, name), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    }

    private static func progressFile(_ directory: String, _ name: String) -> String {
        directory + "/progress/" + name
    }

    /// Records how many accesses are over, where the driver sees it at once.
    func markProgress(_ accesses: Int) {
        var count = UInt64(accesses)
        _ = pwrite(progress, &count, 8, 0)
    }

    /// How many accesses of a process are over.
    static func progress(directory: String, name: String) -> UInt64 {
        let file = open(progressFile(directory, name), O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var count: UInt64 = 0
        _ = pread(file, &count, 8, 0)
        return count
    }

    func note(_ event: Happening, _ access: Int, _ item: Int, isWrite: Bool) {
        let line =
            "\(Kernel.now) \(Character(UnicodeScalar(event.rawValue))) \(access) \(item) "
            + (isWrite ? "w\n" : "r\n")
        let bytes = Array(line.utf8)
        _ = write(file, bytes, bytes.count)
    }

    func planRetry(_ access: Int, _ item: Int, isWrite: Bool, _ error: any Error) {
        note(.failed, access, item, isWrite: isWrite)
        let bytes = Array("access \(access) of \(item): \(error)\n".utf8)
        let errors = open(path + ".errors", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        _ = write(errors, bytes, bytes.count)
        close(errors)
    }
}

/// One line of a journal.
struct JournalLine {
    var time: Instant
    var event: Happening
    var access: Int
    var item: Int
    var isWrite: Bool

    /// All lines of a journal; a last one that is not whole is left out.
    static func all(at path: String) -> [JournalLine] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        var lines: [JournalLine] = []
        var numbers: [UInt64] = [0]
        var letters: [UInt8] = []
        for byte in data {
            switch byte {
            case 0x30...0x39:
                let last = numbers.count - 1
                numbers[last] = numbers[last] * 10 + UInt64(byte - 0x30)
            case 0x20: numbers.append(0)
            case 0x0A:
                if letters.count == 2, numbers.count == 5,
                    let event = Happening(rawValue: letters[0])
                {
                    lines.append(
                        JournalLine(
                            time: numbers[0], event: event, access: Int(numbers[2]),
                            item: Int(numbers[3]), isWrite: letters[1] == 0x77))
                }
                numbers = [0]
                letters = []
            case _: letters.append(byte)
            }
        }
        return lines
    }
}
