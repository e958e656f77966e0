// SPDX-License-Identifier: Apache-2.0
//
// A program that sends messages to the server without the library, and so without its checks.

import FileCoordination

enum RawClient {
    /// `LABEL hello SOCKET`: says hello in the encoding that never changes; tells the answer.
    static func hello(at path: String) -> String {
        let line = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
        defer { close(line) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(line, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { return "not connected \(errno)" }
        _ = send(line, [1, 1, 0, 0, 0] as [UInt8], 5, Int32(MSG_NOSIGNAL))
        var answer = [UInt8](repeating: 0, count: 4096)
        var count = recv(line, &answer, answer.count, 0)
        // The server closed without reading our hello.
        // That is reported before the server's message.
        if count < 0 && errno == ECONNRESET { count = recv(line, &answer, answer.count, 0) }
        // A refusal: its kind, a code, a text with 16 bits of length.
        guard count > 4, answer[0] == 0x82 else { return "answered \(count) bytes" }
        return "refused \(answer[1]) " + String(decoding: answer[4..<count], as: UTF8.self)
    }

    /// `LABEL peep PATH`: opens what is there for reading; tells 0 or the error.
    static func peep(at path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file < 0 else {
            close(file)
            return "0"
        }
        return "\(errno)"
    }
}
