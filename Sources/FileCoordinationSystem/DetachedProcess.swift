// SPDX-License-Identifier: Apache-2.0
//
// Starts a daemon from inside a program of another author. The program gets no child to wait for,
// and no signal about it.

internal import CFileCoordinationSystem
import Glibc

/// Processes that are independent of the one that starts them.
public enum DetachedProcess {
    /// Starts `executable` in a session of its own, in the directory "/", with /dev/null as
    /// standard input, output and error, default signal handling, and no descriptors except for
    /// `inheriting`, which becomes descriptor 3.
    ///
    /// Returns when the new program has started, or throws the reason why it could not. Blocks the
    /// calling thread for that time.
    ///
    /// - Parameters:
    ///   - executable: an absolute path.
    ///   - arguments: the arguments, without the program's name.
    ///   - environment: the variables, each as `NAME=value`.
    ///   - descriptor: the descriptor that the child inherits.
    public static func start(
        executable: String, arguments: [String] = [], environment: [String] = [],
        inheriting descriptor: Descriptor? = nil
    ) throws(SystemError) {
        let path = try CName(executable, for: "start")
        let argumentList = try CStringList([executable] + arguments)
        let environmentList = try CStringList(environment)
        let result = path.withPointer { path in
            argumentList.withPointer { arguments in
                environmentList.withPointer { environment in
                    fcs_process_start_detached(
                        path, arguments, environment, descriptor?.number ?? -1)
                }
            }
        }
        withExtendedLifetime(descriptor) {}
        try check(result, "start \(path)")
    }
}

/// A null-terminated list of C strings for `exec`.
private final class CStringList {
    private let strings: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) throws(SystemError) {
        for string in strings where string.utf8.contains(0) {
            throw SystemError(code: EINVAL, operation: "pass \(string)")
        }
        self.strings = strings.map { strdup($0) } + [nil]
    }

    deinit { for string in strings { free(string) } }

    func withPointer<Result>(
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        strings.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else {
                preconditionFailure("A list holds at least its end")
            }
            return body(base)
        }
    }
}
