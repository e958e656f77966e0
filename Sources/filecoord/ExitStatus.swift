// SPDX-License-Identifier: Apache-2.0
//
// How filecoord ends when it does not end with COMMAND's status, and what it says then.

import FileCoordinationSystem
import Glibc

/// The exit statuses that scripts may rely on.
enum ExitStatus: Int32 {
    /// Options or arguments make no sense.
    case usage = 64
    /// A path that names nothing, or nothing that can be used like this.
    case badPath = 66
    /// No arbiter can be reached, or a limit is hit.
    case unavailable = 69
    /// A presenter refused, or a cycle of waits was found.
    case refused = 70
    /// Reading or writing failed.
    case inputOutput = 74
    /// Access was not granted in time, or at once.
    case notGranted = 75
    /// COMMAND was found and cannot be run.
    case cannotRun = 126
    /// COMMAND was not found.
    case notFound = 127

    /// The status that stands for death by `signal`, as shells have it.
    static func signal(_ signal: Int32) -> Int32 { 128 + signal }

    /// The part of the manual that all commands share.
    static let manual = """
        EXIT STATUS
          0        done; with COMMAND, COMMAND's own status
          64       wrong usage
          66       a path that does not exist or cannot be used like this
          69       no arbiter can be reached, or a limit is hit
          70       a presenter refused, or programs wait for each other in a circle
          74       input/output error
          75       access was not granted in time, or at once (-E N: N instead)
          126, 127 COMMAND cannot be run, or was not found
          128+N    COMMAND died of signal N
          130      interrupted while waiting: nothing was run
        """
}

/// Why filecoord ends without having done what it was asked for.
struct Failure: Error {
    /// The exit status.
    var status: Int32
    /// What to say on standard error: sentences that tell what to do next.
    var lines: [String]

    /// A failure that is to be explained.
    init(_ status: ExitStatus, _ lines: String...) {
        self.status = status.rawValue
        self.lines = lines
    }

    /// A failure with a status of its own.
    init(status: Int32, lines: [String]) {
        self.status = status
        self.lines = lines
    }

    /// The end that a signal asked for; it needs no explanation.
    static func interrupted(by signal: Int32) -> Failure {
        Failure(status: ExitStatus.signal(signal), lines: [])
    }

    /// A failed system call on a path that the user gave.
    init(_ error: SystemError, path: some CustomStringConvertible) {
        self.init(errorNumber: error.code, doing: "use", path: path)
    }

    /// A failed system call on a path that the user gave.
    init(errorNumber: Int32, doing verb: String, path: some CustomStringConvertible) {
        let reason = String(cString: strerror(errorNumber))
        switch errorNumber {
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
