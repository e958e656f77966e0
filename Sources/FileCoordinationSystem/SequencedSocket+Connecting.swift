// SPDX-License-Identifier: Apache-2.0
//
// Listens and connects at a name in an open directory.

internal import CFileCoordinationSystem
import Glibc
import MonotonicTime

extension SequencedSocket {
    /// Listens at `name` in `directory`, and replaces a former socket with that name.
    ///
    /// The socket is bound and listens under another name before it is renamed, so a client never
    /// finds a name at which no process listens yet. Only the owner may connect. ``accept()`` does
    /// not block. The name remains when the socket is closed.
    public static func listener(
        in directory: Directory, name: String, backlog: Int32 = 128
    ) throws(SystemError) -> SequencedSocket {
        let listener = try make { () throws(SystemError) in
            try check(fcs_socket(), "make a socket")
        }
        let number = listener.descriptor.number
        let suffix = String(UInt64.random(in: .min ... .max), radix: 36)
        // Short, so that the path fits if it fits with `name`.
        let temporary = ".s" + suffix
        let address = try address(of: temporary, in: directory)
        try unsafe check(
            address.withPointer { unsafe fcs_socket_bind(number, $0) },
            "bind a socket to \(address)")
        do {
            try check(fcs_socket_listen(number, backlog), "listen at \(address)")
            try directory.rename(temporary, to: name)
        } catch {
            // The first error counts; no process looks for the temporary name.
            try? directory.remove(temporary)
            throw error
        }
        return listener
    }

    /// Connects to the listener at `name` in `directory`.
    ///
    /// Blocks while the listener's queue is full, for at most `patience`
    /// (``ErrorNumber/timedOut``). Throws ``ErrorNumber/noSuchFile`` if the name does not exist,
    /// and ``ErrorNumber/connectionRefused`` if no process listens at it any more.
    public static func connect(
        in directory: Directory, name: String, patience: Duration? = nil
    ) throws(SystemError) -> SequencedSocket {
        let connection = try make { () throws(SystemError) in
            try check(fcs_socket(), "make a socket")
        }
        let address = try address(of: name, in: directory)
        let result = unsafe address.withPointer {
            unsafe fcs_socket_connect(
                connection.descriptor.number, $0, patience?.nanoseconds ?? .max)
        }
        try check(result, "connect to \(address)")
        return connection
    }

    /// Accepts the next connection of this listener; returns `nil` if none waits.
    public func accept() throws(SystemError) -> SequencedSocket? {
        try ForkGuard.holdingForks { () throws(SystemError) in
            let number = fcs_socket_accept(descriptor.number)
            // ECONNABORTED: the waiting client has closed its socket.
            guard number != -EAGAIN, number != -ECONNABORTED else { return nil }
            return SequencedSocket(adopting: try check(number, "accept a connection"))
        }
    }

    /// The directory's path with the name, while that fits; else a path through the descriptor.
    ///
    /// Makes a socket that no forked child gets to see.
    private static func make(
        _ number: () throws(SystemError) -> Int32
    ) throws(SystemError) -> SequencedSocket {
        try ForkGuard.holdingForks { () throws(SystemError) in
            SequencedSocket(adopting: try number())
        }
    }

    private static func address(
        of name: String, in directory: Directory
    ) throws(SystemError) -> CName {
        let plain = directory.path + "/" + name
        let fits = plain.utf8.count <= FCS_MAXIMUM_SOCKET_PATH
        let short = "/proc/thread-self/fd/\(directory.descriptor.number)/" + name
        return try CName(fits ? plain : short, for: "address")
    }
}
