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

    // MARK: Abstract names

    private static let prefix = "filecoordination/"

    /// `LABEL abstract`: asks at all names of the library in the abstract namespace, and tells the
    /// names, how many there are, and how many bytes and descriptors came in answer.
    static func askFallbacks(_ call: PeerCall) {
        let names = abstractNames()
        var answers = 0
        for name in names {
            call.say("name \(name)")
            let line = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
            defer { close(line) }
            guard withAbstractAddress(name, { connect(line, $0, $1) }) == 0 else { continue }
            var byte = [UInt8](repeating: 0, count: 512)
            // The read ends when the other side closes, which is all that it does.
            answers += max(0, recv(line, &byte, byte.count, 0))
        }
        call.say("names \(names.count) answers \(answers)")
    }

    /// `LABEL squat COUNT`: takes so many names that look like those in use.
    static func squat(_ call: PeerCall) {
        guard let model = abstractNames().first, let slash = model.lastIndex(of: "/") else {
            return call.say("squats nowhere")
        }
        var count = 0
        for number in 0..<(Int(call.order.operands[0]) ?? 0) {
            let line = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
            let name = model[...slash] + "\(number)-squatter.ledger"
            guard withAbstractAddress(String(name), { bind(line, $0, $1) }) == 0 else { continue }
            // Half of them never accept a connection.
            if listen(line, number.isMultiple(of: 2) ? 10 : 0) == 0 { count += 1 }
        }
        call.say("squats \(count)")
    }

    private static func abstractNames() -> [String] {
        // To the end, which Foundation does not; and names may be any bytes.
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        let file = open("/proc/net/unix", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        while case let count = read(file, &chunk, chunk.count), count > 0 {
            bytes += chunk.prefix(count)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let names = text.split(separator: "\n").compactMap { line in
            line.firstIndex(of: "@").map { String(line[line.index(after: $0)...]) }
        }
        return Set(names.filter { $0.hasPrefix(prefix) }).sorted()
    }

    private static func withAbstractAddress(
        _ name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            UnsafeMutableRawBufferPointer(rebasing: room[1...]).copyBytes(from: name.utf8)
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
