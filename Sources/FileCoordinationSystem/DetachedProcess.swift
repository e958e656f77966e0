// SPDX-License-Identifier: Apache-2.0
//
// Starting a daemon from inside another author's program, which gets no child to wait for and no
// signal about it.

internal import CFileCoordinationSystem
import Glibc

/// Processes that have nothing to do with the one that started them.
public enum DetachedProcess {
    /// Starts `executable` in a session of its own, in the directory "/", with /dev/null for
    /// standard input, output and error, default signals, and no descriptors but `inheriting`,
    /// which becomes descriptor 3.
    ///
    /// Returns when the new program has begun, or throws why it could not. Blocks the thread for
    /// that long. `executable` is an absolute path; `arguments` do not include the program's name;
    /// `environment` is a list of `NAME=value`.
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

/// A null-terminated list of C strings, as `exec` wants it.
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
