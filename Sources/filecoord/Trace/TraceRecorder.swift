// SPDX-License-Identifier: Apache-2.0
//
// Records the server, on a thread of its own, until it is told to end: it receives entries and
// writes lines. When the server has ended, it continues with the next one. After a gap, it requests
// the status, so that the trace shows the present claims and presenters again.

import FileCoordinationClient
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationTracing
import FileCoordinationWire
import Glibc

/// A recording that runs.
final class TraceRecorder: Sendable {
    /// How a recording ended.
    struct Summary: Sendable {
        var count = 0
        var dropped: UInt64 = 0
        var failure: Failure?
    }

    private struct State: Sendable {
        var hasBegun = false
        /// When the recording must be over, once its end was asked for.
        var deadline: Instant?
        var summary: Summary?
    }

    private let state = Monitor(State())
    private let wakeUp: WakeUp
    private let environment: [String: String]
    private let program: String
    private let output: Int32

    /// How long the recorder waits for the last entries.
    private static let patience = Duration.seconds(5)
    /// The pause between two attempts to connect to the next server.
    private static let pause: Duration = .milliseconds(10)

    /// Prepares a recording.
    ///
    /// - Parameters:
    ///   - environment: the environment variables, which determine the runtime directory.
    ///   - program: the name of this program, for the header of the trace.
    ///   - output: the open file for the trace.
    /// - Throws: ``Failure`` if there are no descriptors left.
    init(
        environment: [String: String], program: String, output: Int32
    ) throws(Failure) {
        self.environment = environment
        self.program = program
        self.output = output
        do {
            wakeUp = try WakeUp()
        } catch {
            throw Failure(.unavailable, "cannot record: \(error)")
        }
    }

    /// Begins to record; returns when the server has begun to record, or the recording has ended.
    ///
    /// - Parameter hasEnded: called on the recorder's thread when the recording is over, also
    ///   because of a failure.
    /// - Throws: ``Failure`` if no thread can be started, or the server cannot be recorded.
    func begin(_ hasEnded: @escaping @Sendable () -> Void) throws(Failure) {
        do {
            try DetachedThread.start(name: "recorder") { [self] in
                finish(record())
                hasEnded()
            }
        } catch {
            throw Failure(.unavailable, "cannot start a thread: \(error)")
        }
        _ = state.wait { $0.hasBegun || $0.summary != nil }
        let now = state.withLock { $0 }
        if !now.hasBegun, let failure = now.summary?.failure { throw failure }
    }

    /// Ends the recording, after the last entries have come.
    func end() -> Summary {
        askToEnd()
        _ = state.wait { $0.summary != nil }
        return state.withLock { $0.summary } ?? Summary()
    }

    /// Makes the recording end, after the last entries have come, or after some seconds.
    func askToEnd() {
        state.withLock { state in
            if state.deadline == nil { state.deadline = MonotonicClock.after(Self.patience) }
        }
        wakeUp.signal()
    }

    private func finish(_ summary: Summary) {
        state.withLock { $0.summary = summary }
        state.notifyAll()
    }

    // MARK: The recorder's thread

    private func record() -> Summary {
        var writer = TraceWriter(start: MonotonicClock.now)
        var failure: Failure?
        do throws(Failure) {
            var isFirst = true
            while let client = try connect(isFirst: isFirst) {
                isFirst = false
                let isWanted = try record(client, &writer)
                guard isWanted else { break }
                writer.lost(at: MonotonicClock.now)
                try write(&writer)
            }
        } catch {
            failure = error
        }
        return Summary(count: writer.count, dropped: writer.dropped, failure: failure)
    }

    /// Connects to the server, or to the next one.
    ///
    /// - Returns: nil if the recording was ended meanwhile.
    private func connect(isFirst: Bool) throws(Failure) -> TraceClient? {
        while true {
            do {
                return try TraceClient(environment: environment, wakeUp: wakeUp)
            } catch let conflict as VersionConflict {
                throw Failure(.unavailable, "\(conflict)")
            } catch let error as SystemError where error.code == ErrorNumber.brokenPipe {
                // A server that is about to begin, or has just left, is asked again.
            } catch {
                guard !isFirst else { throw Failure(.unavailable, "\(error)") }
            }
            // The recorder has no ledger, so it is not woken when the next server starts.
            if wakeUp.drain() { return nil }
            Pause.sleep(Self.pause)
        }
    }

    /// Records one server.
    ///
    /// - Returns: whether another one is to be recorded after it.
    private func record(
        _ client: consuming TraceClient, _ writer: inout TraceWriter
    ) throws(Failure) -> Bool {
        var client = client
        var isEnding = false
        var deadline = Instant.distantFuture
        writer.connected(at: MonotonicClock.now)
        // If sending fails, `next` reports the loss of the server.
        try? client.requestStatus()
        while !writer.isOver {
            // A server that sends invalid entries is treated as lost.
            guard let news = (try? client.next(until: deadline)) ?? (isEnding ? nil : .lost)
            else { return false }
            switch news {
            case .entries(let entries):
                var hasGap = false
                for entry in entries where writer.add(entry) { hasGap = true }
                if hasGap, !isEnding {
                    writer.asked(at: MonotonicClock.now)
                    try? client.requestStatus()  // The loss is reported by `next`.
                }
                try begun()
            case .status(let report): writer.add(report, at: MonotonicClock.now)
            case .lost:
                if let refusal = client.refusal { throw Failure(.unavailable, refusal.text) }
                return !isEnding
            case .woken:
                isEnding = true
                deadline = state.withLock { $0.deadline } ?? MonotonicClock.after(Self.patience)
                try? client.end()  // The loss is reported by `next`.
            }
            try write(&writer)
        }
        return false
    }

    /// Truncates the file of an earlier trace and writes the header, once the server records.
    private func begun() throws(Failure) {
        guard !state.withLock({ $0.hasBegun }) else { return }
        // Standard output may be a file that the shell has opened to append.
        if isFile, output != STDOUT_FILENO, ftruncate(output, 0) != 0 { throw Self.unwritten() }
        try write(TraceWriter.header(program, began: WallClock.timestamp))
        state.withLock { $0.hasBegun = true }
        state.notifyAll()
    }

    /// Writes the lines so far, if the recording has begun.
    private func write(_ writer: inout TraceWriter) throws(Failure) {
        guard state.withLock({ $0.hasBegun }) else { return }
        try write(writer.take())
    }

    /// Writes bytes; a pipe gets no more at a time than it takes without blocking.
    private func write(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if !isFile { try awaitRoom() }
            let piece = isFile ? rest : rest.prefix(Int(PIPE_BUF))
            do throws(Failure) {
                try Console.write(Array(piece), to: output)
            } catch {
                throw Self.unwritten(ErrorNumber.reason(errno))
            }
            rest = rest.dropFirst(piece.count)
        }
    }

    /// Waits until the output takes bytes, at most up to the deadline of the recording's end.
    private func awaitRoom() throws(Failure) {
        while true {
            let deadline = state.withLock { $0.deadline }
            let now = MonotonicClock.now
            let time = deadline.map { $0 > now ? Int32(($0 - now) / .milliseconds(1)) + 1 : 0 }
            var wanted = [
                pollfd(fd: output, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: wakeUp.descriptor.number, events: Int16(POLLIN), revents: 0),
            ]
            // The flag stays set until the recorder takes it; it must not keep this loop busy.
            let count = unsafe poll(&wanted, deadline == nil ? 2 : 1, time ?? -1)
            if wanted[0].revents != 0 { return }
            if count == 0, time == 0 { throw Self.unwritten("its reader does not read") }
        }
    }

    private var isFile: Bool {
        var status = stat()
        return unsafe fstat(output, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func unwritten(_ reason: String = ErrorNumber.reason(errno)) -> Failure {
        Failure(
            .inputOutput,
            "cannot write the trace: \(reason); what is there can be read up to its last whole "
                + "line")
    }
}
