// SPDX-License-Identifier: Apache-2.0
//
// Connections that wait to be accepted by an arbiter, as many as the kernel lets in.

import Foundation

/// Sockets that were connected, and never say anything.
final class ArbiterCrowd {
    private var sockets: [Int32] = []
    /// Whether the kernel refused a further connection.
    private(set) var isFull = false

    init(runtime: String, count: Int) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: (runtime + "/socket").utf8)
        }
        for _ in 0..<count where !isFull {
            let flags = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            let socket = Glibc.socket(AF_UNIX, flags | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard socket >= 0 else { throw StageError("no socket: \(errno)") }
            sockets.append(socket)
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            isFull = status != 0 && errno == EAGAIN
        }
    }

    deinit { for socket in sockets { close(socket) } }
}
