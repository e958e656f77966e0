// SPDX-License-Identifier: Apache-2.0
//
// A call to the kernel that failed: the error number, and what was being attempted on what.

import Glibc

/// A failed call to the kernel.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error number, as in errno; compare it with ``ErrorNumber``.
    public let code: Int32
    /// What was attempted, and on what, such as `open "socket"`.
    public let operation: String

    /// Describes a failure.
    public init(code: Int32, operation: String) {
        self.code = code
        self.operation = operation
    }

    /// A sentence for logs: what failed, and why.
    public var description: String {
        // strerror keeps its text per thread in glibc.
        let reason = strerror(code).map { String(cString: $0) } ?? "unknown error"
        return "\(operation): \(reason) (error \(code))"
    }
}

/// The error numbers that callers tell apart, so that they need not import the C library.
public enum ErrorNumber {
    /// No such file, directory, or socket.
    public static let noSuchFile = ENOENT
    /// No process with that number.
    public static let noSuchProcess = ESRCH
    /// The name is taken.
    public static let alreadyExists = EEXIST
    /// A part of the path is not a directory.
    public static let notADirectory = ENOTDIR
    /// It is a directory, and should not be.
    public static let isADirectory = EISDIR
    /// The directory has entries.
    public static let notEmpty = ENOTEMPTY
    /// A symbolic link where none may be.
    public static let symbolicLink = ELOOP
    /// The permissions forbid it.
    public static let accessDenied = EACCES
    /// It takes more rights than the process has.
    public static let notPermitted = EPERM
    /// The file system is mounted read-only.
    public static let readOnlyFileSystem = EROFS
    /// The device is full.
    public static let noSpace = ENOSPC
    /// The user's quota is used up.
    public static let quotaExceeded = EDQUOT
    /// An argument makes no sense to the kernel.
    public static let invalidArgument = EINVAL
    /// A name or path is too long.
    public static let nameTooLong = ENAMETOOLONG
    /// Another socket has the address.
    public static let addressInUse = EADDRINUSE
    /// No process listens at the socket any more.
    public static let connectionRefused = ECONNREFUSED
    /// The peer went without reading everything that it was sent.
    public static let connectionReset = ECONNRESET
    /// The other end of the socket is closed.
    public static let brokenPipe = EPIPE
    /// The message does not fit.
    public static let messageTooLong = EMSGSIZE
    /// The time ran out.
    public static let timedOut = ETIMEDOUT
    /// The file system cannot do that.
    public static let notSupported = EOPNOTSUPP
    /// Source and target are on different file systems.
    public static let crossDevice = EXDEV
    /// The process has no descriptors left.
    public static let tooManyOpenFiles = EMFILE
    /// It could not be done at once.
    public static let tryAgain = EAGAIN
    /// What is had again when others let go of something: descriptors, memory, mappings.
    public static let wants: Set<Int32> = [EMFILE, ENFILE, ENOMEM, EAGAIN, ENOBUFS]
}

/// Turns `-errno`, as every function of the C target reports it, into a thrown error.
@discardableResult
func check<Result: SignedInteger>(
    _ result: Result, _ operation: @autoclosure () -> String
) throws(SystemError) -> Result {
    guard result >= 0 else { throw SystemError(code: Int32(-result), operation: operation()) }
    return result
}
