// SPDX-License-Identifier: Apache-2.0
//
// Filters a file through a command under one write claim. With two claims, as in a pipeline of a
// read and a write, another program could write the file in between, and its change would be lost.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import Glibc

/// What `filecoord update` is to do.
struct UpdateRequest: Hashable {
    var path = ""
    var waiting = WaitingTerms()
    var command: [String] = []
    var mark = PathMark.braces
    var placing = Placing.replacing
    /// Whether access is held until all processes that COMMAND started have ended (Rule 18.13).
    var keepsWhileRunning = false

    /// Executes the request.
    func run() throws(Failure) {
        if keepsWhileRunning { try Holder.separate() }
        let signals = try SignalReceiver()
        let path = try UserPath.item(path)
        let admission = Admission(waiting, signals: signals)
        let spool = try Spool(for: path, placing, signals: signals)
        admission.name(after: command)
        do throws(Failure) {
            try admission.run([ClaimedItem(path: path, access: .writing(.plain))]) {
                paths throws(Failure) in
                try filter(paths, into: spool, admission)
                // After this, a signal comes too late to stop the update.
                if let signal = signals.noted { throw Failure.interrupted(by: signal) }
                try spool.synchronize()
                try spool.place(at: paths[0])
                Holder.current?.outlast(0)
            }
        } catch {
            spool.discard()
            throw error
        }
        if let signal = signals.noted { throw Failure.interrupted(by: signal) }
    }

    private func filter(
        _ paths: [NativePath], into spool: Spool, _ admission: Admission
    ) throws(Failure) {
        let path = paths[0]
        let streams = ChildStreams(input: try oldContents(path), output: spool.contents)
        let run = CommandRun(command, mark: mark, admission: admission)
        let status = try run.run(at: paths, streams: streams)
        guard status != 0 else { return }
        let line = "COMMAND ended with status \(status): \(path) is as it was"
        throw Failure(status: status, lines: waiting.quiet ? [] : [line])
    }

    /// Opens the file, or `/dev/null` if there is none.
    private func oldContents(_ path: NativePath) throws(Failure) -> Descriptor {
        let former = try ReplacedFile(path, placing)
        let nothing = NativePath(Array("/dev/null".utf8))
        do throws(SystemError) {
            let file = former.status == nil ? nothing : path
            return try file.open(O_RDONLY | O_NOFOLLOW).aboveStandardStreams()
        } catch {
            throw Failure(errorNumber: error.code, doing: "read", path: path)
        }
    }
}
