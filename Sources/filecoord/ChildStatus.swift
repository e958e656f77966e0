// SPDX-License-Identifier: Apache-2.0
//
// How children end, and the lists of strings that they are started with.

import Glibc

/// How a child ended.
enum ChildStatus {
    /// WNOWAIT, which cannot be imported: the child is waited for, and not reaped.
    static let leavingIt: Int32 = 0x0100_0000

    /// Reaps a child that has ended; returns its status as shells have it.
    static func reap(_ child: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(child, &status, 0) != child, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : ExitStatus.signal(signal)
    }
}

/// A null-terminated list of C strings, as exec wants it.
final class CStringList {
    /// The first of the strings; the last is followed by nil.
    let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    /// A list of copies of the bytes that `strings` stand for; nil makes a gap to fill in later.
    convenience init(_ strings: [String?]) {
        self.init(adopting: strings.map { string in string.flatMap { Self.copy($0) } })
    }

    private static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? {
        NativePath(ArgumentText.decode(text)).withCString { strdup($0) }
    }

    /// This process's variables as the bytes that they are, but for those given anew.
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
