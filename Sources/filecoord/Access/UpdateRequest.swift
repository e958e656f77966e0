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
    /// Whether a final symbolic link is followed (Rule 2.25).
    var followsLinks = true
    /// Whether access is held until all processes that COMMAND started have ended (Rule 18.13).
    var keepsWhileRunning = false
    /// The state in which the file must be.
    var conditions = Conditions()
    /// The file for the token of what is left.
    var tokenFile: String?

    /// Executes the request.
    func run() throws(Failure) {
        try Holder.run(isWanted: keepsWhileRunning) { () throws(Failure) in try perform() }
    }

    private func perform() throws(Failure) {
        let signals = try SignalReceiver()
        let path = try UserPath.item(path)
        let item = ClaimedItem(
            path: path,
            access: .writing(followsLinks ? [.merging, .resolvesSymbolicLink] : .merging),
            onlyIf: try conditions.tokens(paths: 1...1)[0])
        let tokenFile = try TokenFile(tokenFile)
        let admission = Admission(waiting, signals: signals)
        let spool = try Spool(
            for: path, followsLinks: followsLinks, placing, signals: signals)
        admission.name(after: command)
        do throws(Failure) {
            try admission.run([item]) { paths throws(Failure) in
                do throws(Failure) {
                    let former = try filter(paths, into: spool, admission)
                    // After this, a signal comes too late to stop the update.
                    if let signal = signals.noted { throw Failure.interrupted(by: signal) }
                    try spool.synchronize()
                    let now = try unchanged(paths[0], since: former)
                    let left = try spool.place(at: paths[0], ifStill: now)
                    try tokenFile?.write([left])
                } catch {
                    spool.discard()
                    throw outlasted(error)
                }
                Holder.current?.outlast(0)
            }
        } catch {
            spool.discard()
            throw error
        }
    }

    /// Says why the update failed, and holds access until all processes have ended that COMMAND has
    /// left.
    private func outlasted(_ failure: Failure) -> Failure {
        guard let holder = Holder.current, holder.hasRunCommand else { return failure }
        for line in failure.lines { Console.say(line) }
        holder.outlast(failure.status)
        return Failure(status: failure.status, lines: [])
    }

    /// Runs COMMAND, and returns the state of what it got.
    private func filter(
        _ paths: [NativePath], into spool: Spool, _ admission: Admission
    ) throws(Failure) -> ItemToken {
        let path = paths[0]
        // Before the first byte.
        let seen = try path.token()
        let file = try oldContents(path)
        let streams = ChildStreams(input: file, output: spool.contents)
        let run = CommandRun(command, mark: mark, admission: admission)
        let status = try run.run(at: paths, streams: streams)
        guard status != 0 else { return seen }
        let line = "COMMAND ended with status \(status): \(path) is as it was"
        throw Failure(status: status, lines: waiting.quiet ? [] : [line])
    }

    /// Returns the state in which the file is now; fails if it is not the one that COMMAND got.
    ///
    /// A COMMAND such as `sed -i` writes the file itself, and nothing to its standard output. One
    /// that gives the file other attributes has not written it.
    private func unchanged(
        _ path: NativePath, since seen: ItemToken
    ) throws(Failure) -> ItemToken {
        let difference: ItemDifference?
        do throws(SystemError) {
            difference = try seen.difference(fromItemAt: path.bytes)
        } catch {
            throw Failure(errorNumber: error.code, doing: "write", path: path)
        }
        if difference == nil { return seen }
        if difference == .attributes { return try path.token() }
        throw Failure(
            .inputOutput,
            "\(path) was changed meanwhile, by COMMAND or another program: nothing was replaced; "
                + "COMMAND must write to standard output, not to the file")
    }

    /// Opens the file, or `/dev/null` if there is none.
    private func oldContents(
        _ path: NativePath
    ) throws(Failure) -> Descriptor {
        let former = try replacing { () throws(ReplacingError) in
            try ReplacedFile(path, placing)
        }
        let nothing = NativePath(Array("/dev/null".utf8))
        do throws(SystemError) {
            guard former.status != nil else {
                return try nothing.open(O_RDONLY).aboveStandardStreams()
            }
            return try path.open(O_RDONLY | O_NOFOLLOW).aboveStandardStreams()
        } catch {
            throw Failure(errorNumber: error.code, doing: "read", path: path)
        }
    }
}
