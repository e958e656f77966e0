// SPDX-License-Identifier: Apache-2.0
//
// Asks the present arbiter who holds and who waits, and never becomes the arbiter itself.

import FileCoordinationArbiter
import FileCoordinationWire
import Foundation

extension Stage {
    /// What the arbiter says now; nil if no arbiter answers.
    func report() -> StatusReport? {
        guard let line = try? ArbiterLine(runtime: meeting ?? runtime) else { return nil }
        line.send(ClientMessage.hello(Hello(ledgerName: [])).encode())
        line.send(ClientMessage.statusRequest.encode())
        var assembler = PartAssembler.statusReport
        while let bytes = line.receive() {
            guard case .statusPart(let part, let isLast) = try? ServerMessage(decoding: bytes)
            else {
                continue
            }
            guard let whole = try? assembler.add(part, isLast: isLast) else { continue }
            return try? StatusReport(decoding: whole)
        }
        return nil
    }

    /// Waits until the arbiter's report meets a condition.
    @discardableResult
    func until(_ what: String, _ isSo: (StatusReport) -> Bool) throws -> StatusReport {
        let end = Date() + Program.patience
        var last: StatusReport?
        while Date() < end {
            if let report = report() {
                if isSo(report) { return report }
                last = report
            }
            poll(nil, 0, 3)
        }
        let heard = programs.map { "\($0.name):\n" + $0.lines.joined(separator: "\n") }
        throw StageError(
            "never: \(what)\nlast status: \(last.map { "\($0)" } ?? "none")\n"
                + heard.joined(separator: "\n"))
    }

    /// Waits until there is something at a path, and asks no arbiter.
    func untilThereIs(_ path: String) throws {
        let end = Date() + Program.patience
        while access(path, F_OK) != 0 {
            guard Date() < end else { throw StageError("never there: \(path)") }
            poll(nil, 0, 3)
        }
    }

    /// Waits until `program` has `count` claims in `stage`.
    func until(_ program: Program, has count: Int = 1, _ stage: ClaimStage) throws {
        try until("\(program.name) has \(count) claims \(stage)") { report in
            report.claims.count { $0.processID == program.pid && $0.stage == stage } == count
        }
    }

    /// Waits until `program` has a claim in the queue, filed and not granted.
    func untilWaits(_ program: Program) throws { try until(program, .waiting) }

    /// Waits until the arbiter knows of no claim.
    ///
    /// That may be never if the program that served has ended: programs without claims and
    /// presenters make no arbiter (see ``untilStatusShowsNoClaim()``).
    func untilNoClaimHolds() throws { try until("no claim holds") { $0.claims.isEmpty } }

    /// Waits until `filecoord status` shows no claim, whether or not an arbiter is there (Rule
    /// 18.5).
    ///
    /// If there is no arbiter, `filecoord` serves for as long as it runs.
    func untilStatusShowsNoClaim() throws {
        let end = Date() + Program.patience
        var last: [String] = []
        while Date() < end {
            let status = try start("status", [Products.filecoord, "status", "--json"])
            let code = try status.awaitEnd()
            last = status.lines
            guard code == 0, last.count == 1 else { break }
            if last[0].contains("\"claims\":[]") { return }
        }
        throw StageError("never: status shows no claim\nlast: \(last)")
    }

    /// Waits until a process of this stage has ended, be it a child of the test or not.
    func untilEnded(_ process: pid_t) throws {
        let end = Date() + Program.patience
        while processesOfThisStage().contains(process) {
            guard Date() < end else { throw StageError("never: process \(process) has ended") }
            poll(nil, 0, 3)
        }
    }

    /// The process of the present arbiter.
    func arbiter() throws -> pid_t {
        try until("an arbiter answers") { _ in true }.arbiter.processID
    }
}

/// A bare connection to an arbiter, on which anything can be said.
final class ArbiterLine {
    private let socket: Int32

    init(runtime: String) throws {
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
        guard socket >= 0 else { throw StageError("no socket: \(errno)") }
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        // The socket may be that of a stopped arbiter whose queue is full, until the next one has
        // put its own in the place: then this is tried again.
        var moment = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_SNDTIMEO, &moment, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: (runtime + "/socket").utf8)
        }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
            let number = errno
            close(socket)
            throw StageError("no program answers: \(number)")
        }
    }

    deinit { close(socket) }

    /// Ends the connection.
    func hangUp() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Closes this end for reading: the arbiter cannot send to it, but still reads from it.
    func stopListening() { shutdown(socket, Int32(SHUT_RD)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Sends unless that would have to wait.
    func sendAtOnce(_ bytes: [UInt8]) -> Bool {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        return Glibc.send(socket, bytes, bytes.count, flags) == bytes.count
    }

    /// The next message; nil when the connection has ended, or nothing comes.
    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: WireLimits.messageBytes + 1)
        let count = recv(socket, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    /// Reads to the end; returns why the server closed, if it said so.
    func refusal() -> Refusal? {
        while let bytes = receive() {
            if case .refused(let refusal) = try? ServerMessage(decoding: bytes) { return refusal }
        }
        return nil
    }
}
