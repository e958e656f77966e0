// SPDX-License-Identifier: Apache-2.0
//
// The exit status of child processes, and the lists of C strings with which they are started.

import Glibc

/// Reads the exit status of child processes.
enum ChildStatus {
    /// WNOWAIT, which Swift does not import: `waitid` then does not reap the child.
    static let leavingIt: Int32 = 0x0100_0000

    /// Reaps a child that has ended.
    ///
    /// Returns its exit status as shells give it.
    static func reap(_ child: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(child, &status, 0) != child, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : ExitStatus.signal(signal)
    }
}

/// A null-terminated list of C strings, as `exec` takes it.
final class CStringList {
    /// The first element.
    ///
    /// A nil follows the last string.
    let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    /// Copies the bytes that `strings` represent.
    ///
    /// A nil leaves an element to be filled in later.
    convenience init(_ strings: [String?]) {
        self.init(adopting: strings.map { string in string.flatMap { Self.copy($0) } })
    }

    private static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? {
        NativePath(ArgumentText.decode(text)).withCString { strdup($0) }
    }

    /// Copies this process's environment byte for byte, with these variables added or replaced.
    convenience init(environmentWith additions: [String: String]) {
        var strings: [UnsafeMutablePointer<CChar>?] = additions.keys.sorted().map {
            Self.copy("\($0)=\(additions[$0] ?? "")")
        }
        var entry = environ
        while let text = entry.pointee {
            let name = String(cString: text).prefix { $0 != "=" }
            if additions[String(name)] == nil { strings.append(strdup(text)) }
            entry += 1
        }
        self.init(adopting: strings)
    }

    private init(adopting strings: [UnsafeMutablePointer<CChar>?]) {
        count = strings.count
        pointer = .allocate(capacity: count + 1)
        pointer.initialize(repeating: nil, count: count + 1)
        for (index, string) in strings.enumerated() { pointer[index] = string }
    }

    deinit {
        for index in 0..<count { free(pointer[index]) }
        pointer.deallocate()
    }
}
