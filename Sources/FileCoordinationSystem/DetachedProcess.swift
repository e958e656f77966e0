// SPDX-License-Identifier: Apache-2.0
//
// Starts a daemon from inside a program of another author. The program gets no child to wait for,
// and no signal about it.

internal import CFileCoordinationSystem
import Glibc

/// Processes that are independent of the one that starts them.
public enum DetachedProcess {
    /// Starts a program in a session of its own, in the directory "/".
    ///
    /// Its standard input, output and error are /dev/null, its signal handling is the default one,
    /// and it inherits no other descriptors than `descriptor`, which becomes descriptor 3. Returns
    /// when the program has started, and blocks the calling thread for that time.
    ///
    /// - Parameters:
    ///   - executable: an absolute path.
    ///   - arguments: the arguments, without the program's name.
    ///   - environment: the variables, each as `NAME=value`.
    ///   - descriptor: the descriptor that the child inherits.
    /// - Throws: ``SystemError`` that says why the program could not be started.
    public static func start(
        executable: String, arguments: [String] = [], environment: [String] = [],
        inheriting descriptor: Descriptor? = nil
    ) throws(SystemError) {
        let path = try CName(executable, for: "start")
        let argumentList = try CStringList([executable] + arguments)
        let environmentList = try CStringList(environment)
        let result = unsafe path.withPointer { path in
            unsafe argumentList.withPointer { arguments in
                unsafe environmentList.withPointer { environment in
                    unsafe fcs_process_start_detached(
                        path, arguments, environment, descriptor?.number ?? -1)
                }
            }
        }
        withExtendedLifetime(descriptor) {}
        try check(result, "start \(path)")
    }
}

/// A null-terminated list of C strings for `exec`.
@safe private final class CStringList {
    private let strings: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) throws(SystemError) {
        for string in strings where string.utf8.contains(0) {
            throw SystemError(code: EINVAL, operation: "pass \(string)")
        }
        unsafe self.strings = strings.map { unsafe strdup($0) } + [nil]
    }

    deinit { unsafe strings.forEach { unsafe free($0) } }

    func withPointer<Result>(
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        unsafe strings.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else {
                preconditionFailure("A list holds at least its end")
            }
            return unsafe body(base)
        }
    }
}
