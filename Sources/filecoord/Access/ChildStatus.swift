// SPDX-License-Identifier: Apache-2.0
//
// The exit status of child processes, and the lists of C strings with which they are started.

import FileCoordinationClient
import Glibc

/// Reads the exit status of child processes.
enum ChildStatus {
    /// WNOWAIT, which Swift does not import: `waitid` then does not reap the child.
    static let leavingIt: Int32 = 0x0100_0000

    /// Lets this process learn the status of its children, also if its parent has ignored SIGCHLD.
    ///
    /// That is inherited, and the kernel would reap them itself.
    static func expectChildren() { signal(SIGCHLD, SIG_DFL) }

    /// Reaps a child that has ended.
    ///
    /// Returns its exit status as shells give it. A status that cannot be learned is a failure.
    static func reap(_ child: pid_t) -> Int32 {
        var status: Int32 = 0
        var reaped: pid_t
        repeat {
            reaped = unsafe waitpid(child, &status, 0)
        } while reaped < 0 && errno == EINTR
        guard reaped == child else { return ExitStatus.inputOutput.rawValue }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : ExitStatus.signal(signal)
    }
}

/// A null-terminated list of C strings, as `exec` takes it.
@safe final class CStringList {
    /// The first element.
    ///
    /// A nil follows the last string.
    let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    /// Copies the bytes that `strings` represent.
    ///
    /// A nil leaves an element to be filled in later.
    convenience init(_ strings: [String?]) {
        unsafe self.init(
            adopting: strings.map { string in unsafe string.flatMap { unsafe Self.copy($0) } })
    }

    private static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? {
        unsafe NativePath(ArgumentText.decode(text)).withCString { unsafe strdup($0) }
    }

    /// Copies this process's environment byte for byte, with these variables added or replaced.
    convenience init(environmentWith additions: [String: String]) {
        var strings: [UnsafeMutablePointer<CChar>?] = unsafe additions.keys.sorted().map {
            unsafe Self.copy("\($0)=\(additions[$0] ?? "")")
        }
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let name = unsafe String(cString: text).prefix { $0 != "=" }
            if additions[String(name)] == nil { unsafe strings.append(strdup(text)) }
            unsafe entry += 1
        }
        unsafe self.init(adopting: strings)
    }

    private init(adopting strings: [UnsafeMutablePointer<CChar>?]) {
        count = unsafe strings.count
        unsafe pointer = .allocate(capacity: count + 1)
        unsafe pointer.initialize(repeating: nil, count: count + 1)
        for index in 0..<count { unsafe pointer[index] = strings[index] }
    }

    deinit {
        for index in 0..<count { unsafe free(pointer[index]) }
        unsafe pointer.deallocate()
    }
}
