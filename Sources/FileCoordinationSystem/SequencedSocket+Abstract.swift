// SPDX-License-Identifier: Apache-2.0
//
// Sockets in the abstract namespace. Their names are not files: no process can remove them, and
// they end with their sockets. Every user of the machine can see and take such names, so check the
// peer.

internal import CFileCoordinationSystem
import Glibc

extension SequencedSocket {
    /// Listens at a name in the abstract namespace of this network namespace.
    ///
    /// ``accept()`` does not block. Throws ``ErrorNumber/addressInUse`` if another socket has the
    /// name.
    public static func listener(
        abstract name: String, backlog: Int32
    ) throws(SystemError) -> SequencedSocket {
        let listener = try open()
        let number = listener.descriptor.number
        let address = try CName(name, for: "address")
        try unsafe check(
            address.withPointer { unsafe fcs_socket_bind_abstract(number, $0) },
            "bind a socket to the abstract name \(address)")
        try check(fcs_socket_listen(number, backlog), "listen at the abstract name \(address)")
        return listener
    }

    /// Connects to the process that listens at a name in the abstract namespace.
    ///
    /// Throws ``ErrorNumber/connectionRefused`` if no process listens. Never blocks: a full queue
    /// of the listener is an error, too.
    public static func connect(abstract name: String) throws(SystemError) -> SequencedSocket {
        let connection = try open()
        let address = try CName(name, for: "address")
        try unsafe check(
            address.withPointer {
                unsafe fcs_socket_connect_abstract(connection.descriptor.number, $0)
            }, "connect to the abstract name \(address)")
        return connection
    }

    /// Returns the abstract names that begin with `prefix`, of all users of this network namespace.
    ///
    /// Returns `nil` if the kernel does not list them.
    public static func abstractNames(beginningWith prefix: String) -> [String]? {
        guard let text = contents(of: "/proc/thread-self/net/unix") else { return nil }
        var names: Set<String> = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            // The eighth column; the kernel shows the leading zero byte as "@".
            let columns = line.split(separator: UInt8(ascii: " "), maxSplits: 7)
            guard columns.count == 8, columns[7].first == UInt8(ascii: "@"),
                let name = String(validating: columns[7].dropFirst(), as: UTF8.self),
                name.hasPrefix(prefix)
            else { continue }
            names.insert(name)
        }
        return names.sorted()
    }

    /// Returns whether a process has the socket that listens at an abstract name; nil if that
    /// cannot be determined.
    public static func isListener(abstract name: String, of processID: Int32) -> Bool? {
        guard let text = contents(of: "/proc/thread-self/net/unix") else { return nil }
        var numbers: Set<String> = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let columns = line.split(separator: UInt8(ascii: " "), maxSplits: 7)
            guard columns.count == 8, columns[7].dropFirst().elementsEqual(name.utf8),
                columns[7].first == UInt8(ascii: "@")
            else { continue }
            numbers.insert(String(decoding: columns[6], as: UTF8.self))
        }
        let process = "/proc/\(processID)"
        func has(_ files: [String]) -> Bool {
            files.contains { file in
                file.hasPrefix("socket:[") && numbers.contains(String(file.dropFirst(8).dropLast()))
            }
        }
        // Another user's process, or one that has ended: nothing is known of its sockets.
        guard let files = openFiles(in: process) else { return nil }
        if !files.isEmpty { return has(files) }
        // The first thread may have ended before the others. All of these have the same files.
        let threads = (try? Directory.open("\(process)/task").names()) ?? []
        for thread in threads {
            if let files = openFiles(in: "\(process)/task/\(thread)"), !files.isEmpty {
                return has(files)
            }
        }
        // A list may be cut short at a thread that ends.
        return ProcessState.hasEnded(processID) ? false : nil
    }

    /// What the descriptors of a process or thread refer to; nil if that cannot be determined.
    private static func openFiles(in directory: String) -> [String]? {
        let path = "\(directory)/fd"
        // Nothing is known of a thread that has gone, or may not be examined.
        guard let names = try? Directory.open(path, followLinks: true).names() else { return nil }
        return names.compactMap { CurrentProcess.link("\(path)/\($0)") }
    }

    private static func open() throws(SystemError) -> SequencedSocket {
        try ForkGuard.holdingForks { () throws(SystemError) in
            SequencedSocket(adopting: try check(fcs_socket(), "make a socket"))
        }
    }

    /// Returns the contents of a file in `/proc`, whose length is unknown in advance.
    private static func contents(of path: String) -> [UInt8]? {
        let number = unsafe fcs_open_at(AT_FDCWD, path, O_RDONLY, 0)
        guard number >= 0 else { return nil }
        let file = Descriptor(adopting: number)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                guard let room = buffer.baseAddress else { return -1 }
                return unsafe fcs_read_now(file.number, room, buffer.count)
            }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += chunk.prefix(count)
        }
    }
}
