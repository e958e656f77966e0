// SPDX-License-Identifier: Apache-2.0
//
// A failed system call: the error number, and the attempted operation.

import Glibc

/// A failed system call.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error number, as in errno; compare it with ``ErrorNumber``.
    public let code: Int32
    /// The operation and its object, such as `open "socket"`.
    public let operation: String

    /// Creates an error.
    public init(code: Int32, operation: String) {
        self.code = code
        self.operation = operation
    }

    /// A sentence for logs: what failed, and why.
    public var description: String {
        "\(operation): \(ErrorNumber.reason(code)) (error \(code))"
    }
}

/// The error numbers that callers distinguish, so that they need not import the C library.
public enum ErrorNumber {
    /// The words of the C library for an error number.
    public static func reason(_ code: Int32) -> String {
        // In glibc, strerror keeps its text for each thread.
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "unknown error"
    }

    /// No such file, directory or socket.
    public static let noSuchFile = ENOENT
    /// No process has this ID.
    public static let noSuchProcess = ESRCH
    /// The name is taken.
    public static let alreadyExists = EEXIST
    /// A part of the path is not a directory.
    public static let notADirectory = ENOTDIR
    /// It is a directory and must not be.
    public static let isADirectory = EISDIR
    /// A symbolic link where none is permitted.
    public static let symbolicLink = ELOOP
    /// The permissions forbid the operation.
    public static let accessDenied = EACCES
    /// The operation needs more rights than the process has.
    public static let notPermitted = EPERM
    /// The file system is mounted read-only.
    public static let readOnlyFileSystem = EROFS
    /// A file is larger than it may be.
    public static let tooLarge = EFBIG
    /// The device is full.
    public static let noSpace = ENOSPC
    /// The user's quota is used up.
    public static let quotaExceeded = EDQUOT
    /// An argument is invalid.
    public static let invalidArgument = EINVAL
    /// A name or path is too long.
    public static let nameTooLong = ENAMETOOLONG
    /// No process listens at the socket any more.
    public static let connectionRefused = ECONNREFUSED
    /// The peer closed its socket without reading everything.
    public static let connectionReset = ECONNRESET
    /// The other end of the connection is closed.
    public static let brokenPipe = EPIPE
    /// The message is too long.
    public static let messageTooLong = EMSGSIZE
    /// The time limit passed.
    public static let timedOut = ETIMEDOUT
    /// The file system does not support the operation.
    public static let notSupported = EOPNOTSUPP
    /// Source and target are on different file systems.
    public static let crossDevice = EXDEV
    /// The process has no descriptors left.
    public static let tooManyOpenFiles = EMFILE
    /// The operation cannot be done at once.
    public static let tryAgain = EAGAIN
    /// Resources that become available when others release them: descriptors, memory, mappings.
    public static let wants: Set<Int32> = [EMFILE, ENFILE, ENOMEM, EAGAIN, ENOBUFS]
}

/// Converts `-errno`, the result of every function of the C target, to a thrown error.
@discardableResult
func check<Result: SignedInteger>(
    _ result: Result, _ operation: @autoclosure () -> String
) throws(SystemError) -> Result {
    guard result >= 0 else { throw SystemError(code: Int32(-result), operation: operation()) }
    return result
}
