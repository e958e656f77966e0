// SPDX-License-Identifier: Apache-2.0
//
// The exit statuses of filecoord itself, and the messages that explain them. If COMMAND ran,
// filecoord ends with COMMAND's status instead.

import FileCoordinationSystem
import Glibc

/// The exit statuses on which scripts may rely.
enum ExitStatus: Int32 {
    /// The options or arguments are invalid.
    case usage = 64
    /// A path names no item, or an item that cannot be used in this way.
    case badPath = 66
    /// No server can be reached, or a limit was reached.
    case unavailable = 69
    /// A presenter refused, a user ended the wait, or the access would have waited in a cycle.
    case refused = 70
    /// An item is not as the user has seen it.
    case stale = 73
    /// Reading or writing failed.
    case inputOutput = 74
    /// Access was not granted in time.
    case notGranted = 75
    /// COMMAND was found but cannot be run.
    case cannotRun = 126
    /// COMMAND was not found.
    case notFound = 127

    /// The status for death by `signal`, as shells give it.
    static func signal(_ signal: Int32) -> Int32 { 128 + signal }

    /// The part of the manual about exit statuses, for commands that can run a COMMAND.
    static let manual = """
        EXIT STATUS
          0        done; with COMMAND, COMMAND's own status
        \(failures)
          126, 127 COMMAND cannot be run, or was not found
          128+N    COMMAND died of signal N
          130      interrupted while waiting: nothing was run
        """

    /// The part of the manual about exit statuses, for commands that run no COMMAND.
    static let manualWithoutCommand = """
        EXIT STATUS
          0        done
        \(failures)
          128+N    ended by signal N; 130: interrupted
        """

    /// The statuses of failures, indented as in the manual.
    private static let failures = """
          64       wrong usage
          66       a path that does not exist or cannot be used like this
          69       no server can be reached, or a limit is hit
          70       a presenter or "filecoord release" refused, or a cycle of waits
          73       a file is not as --only-if says (-E 73=N: N instead)
          74       input/output error
          75       access was not granted in time, or at once (-E N: N instead)
        """
}

/// Why filecoord could not do what the user asked for.
struct Failure: Error {
    /// The exit status.
    var status: Int32
    /// The lines for standard error.
    ///
    /// They also say what the user can do.
    var lines: [String]

    /// A failure with an explanation.
    init(_ status: ExitStatus, _ lines: String...) {
        self.status = status.rawValue
        self.lines = lines
    }

    /// A failure with a status that is computed elsewhere.
    init(status: Int32, lines: [String]) {
        self.status = status
        self.lines = lines
    }

    /// The end that a signal demanded, which needs no explanation.
    static func interrupted(by signal: Int32) -> Failure {
        Failure(status: ExitStatus.signal(signal), lines: [])
    }

    /// A failed system call on a path that the user gave.
    init(_ error: SystemError, path: some CustomStringConvertible) {
        self.init(errorNumber: error.code, doing: "use", path: path)
    }

    /// A failed system call on a path that the user gave.
    init(errorNumber: Int32, doing verb: String, path: some CustomStringConvertible) {
        let reason = ErrorNumber.reason(errorNumber)
        switch errorNumber {
        // A file system such as that of processes says so of names that cannot be created.
        case ENOENT where unsafe access("\(path)", F_OK) == 0:
            self.init(
                .badPath, "cannot create a file in \(path): \(reason); choose another directory")
        case ENOENT:
            self.init(.badPath, "\(path) does not exist: check the name and its directory")
        case ENOTDIR, ELOOP, ENAMETOOLONG, EISDIR:
            self.init(.badPath, "cannot \(verb) \(path): \(reason); check the path")
        case EACCES, EPERM, EROFS:
            self.init(
                .badPath, "cannot \(verb) \(path): \(reason); check the permissions along the path")
        case ENOSPC, EDQUOT:
            self.init(
                .inputOutput, "cannot \(verb) \(path): \(reason); make room and try again")
        default:
            self.init(.inputOutput, "cannot \(verb) \(path): \(reason) (error \(errorNumber))")
        }
    }
}
