// SPDX-License-Identifier: Apache-2.0
//
// Writes the daemon's log, one line for each event. Unless more is asked for, a daemon that has
// nothing to complain of writes nothing.

import ArgumentParser
import FileCoordinationServer
import FileCoordinationSystem
import Glibc

/// Which events are logged.
enum LogLevel: String, CaseIterable, ExpressibleByArgument {
    case off
    case warning
    case info
    case debug

    /// The level that the environment asks for, or nil.
    static func wanted(by environment: [String: String]) -> LogLevel? {
        environment["FILECOORDINATION_LOG"].flatMap { LogLevel(rawValue: $0) }
    }

    /// The least important events that are logged, or nil if none is.
    private var limit: LogPriority? {
        switch self {
        case .off: nil
        case .warning: .warning
        case .info: .information
        case .debug: .debug
        }
    }

    func includes(_ priority: LogPriority) -> Bool { limit.map { priority <= $0 } ?? false }
}

/// Where the events are written.
struct DaemonLog: Sendable {
    /// The name of the daemon and its process, for streams that add none.
    static var sender: String { "filecoordinationd[\(CurrentProcess.id)]: " }

    private let level: LogLevel
    private let write: @Sendable (LogLine) -> Void

    func callAsFunction(_ line: LogLine) { if level.includes(line.priority) { write(line) } }

    func callAsFunction(_ entry: ServerLogEntry) { self(entry.line) }

    /// The log on standard error.
    ///
    /// The journal adds time, sender and process itself, and takes the priority from the beginning
    /// of the line (sd-daemon(3)).
    static func standardError(_ level: LogLevel, environment: [String: String]) -> DaemonLog {
        let isJournal = leadsToJournal(environment["JOURNAL_STREAM"])
        return DaemonLog(level: level) { line in
            let head = isJournal ? "<\(line.priority.rawValue)>" : sender
            put(head + line.text, to: STDERR_FILENO)
        }
    }

    /// Whether standard error is the stream that the journal has announced (systemd.exec(5)).
    private static func leadsToJournal(_ announced: String?) -> Bool {
        var status = stat()
        guard let announced, unsafe fstat(STDERR_FILENO, &status) == 0 else { return false }
        return announced == "\(status.st_dev):\(status.st_ino)"
    }

    /// The log in a file of the runtime directory, for a daemon whose standard error is closed.
    static func file(in runtime: RuntimeDirectory, _ level: LogLevel) -> DaemonLog {
        // Without the file, such a daemon has no place to write to.
        guard
            // The daemon then writes no log.
            let file = try? runtime.directory.openFile(
                RuntimeDirectory.Name.log, [.write, .create, .append])
        else { return DaemonLog(level: .off) { _ in } }
        return DaemonLog(level: level) { line in
            // If the size is unknown, nothing is written.
            guard let size = try? file.status().size, size < fileLimit else { return }
            let seconds = RealTimeClock.now / 1_000_000_000
            put(
                "time=\(seconds) pid=\(CurrentProcess.id) priority=\(line.priority.rawValue) "
                    + line.text, to: file.number)
        }
    }

    /// The greatest length of the log file, which is meant for looking into problems, not as an
    /// archive.
    private static let fileLimit: UInt64 = 1 << 20

    private static func put(_ text: String, to descriptor: Int32) {
        let bytes = Array((text + "\n").utf8)
        // One call, so that lines of several daemons do not mix. A log that cannot be written must
        // not end the server, neither by SIGPIPE nor by SIGXFSZ.
        StandardError.write(bytes, to: descriptor)
    }
}
