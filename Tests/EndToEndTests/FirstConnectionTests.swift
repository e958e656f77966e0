// SPDX-License-Identifier: Apache-2.0
//
// A process whose first connection is to a server that dies before it has sent anything. The
// process has not filed its first access yet: it waits for what the server announces at first.

import TestHome
import XCTest

final class FirstConnectionTests: StageTestCase {
    //  server        program
    //  listens
    //                write(f): connects
    //  accepts, and closes
    //                connects again, at once
    //
    /// Rule 18.7: the pause is short, also for a program that has just started.
    ///
    /// A program that waits in vain for the list of packages takes 250 ms. A machine under load may
    /// take as long for anything: then the limit is higher, and one quick round is enough.
    func testAServerThatDiesBeforeItsFirstWordIsReplacedAtOnce() throws {
        var quickest = Double.infinity
        let limit = test_patience(0.15)
        for round in 0..<8 where quickest > limit {
            let own = try Stage(.embedded)
            defer { own.tearDown() }
            mkdir(own.runtime, 0o700)
            let listener = try Self.listen(at: own.runtime + "/socket")
            let program = try own.peer("\(round)")
            program.tell("a write \(own.path("f"))")
            close(try Self.accept(listener))
            let closed = Date()
            let second = try Self.accept(listener)
            quickest = min(quickest, Date().timeIntervalSince(closed))
            // Then it finds no server any more, and serves itself.
            unlink(own.runtime + "/socket")
            close(listener)
            close(second)
            try program.expect("a granted")
        }
        XCTAssertLessThan(quickest, limit)
    }

    private static func listen(at path: String) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, Glibc.listen(listener, 8) == 0 else {
            throw StageError("cannot listen: \(errno)")
        }
        return listener
    }

    /// Waits for a connection.
    private static func accept(_ listener: Int32) throws -> Int32 {
        var ready = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, Int32(Program.patience * 1000)) == 1 else {
            throw StageError("no program connects")
        }
        return Glibc.accept(listener, nil, nil)
    }
}
