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
            access: .writing(followsLinks ? .resolvesSymbolicLink : .plain),
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
                    try requireUnchanged(paths[0], since: former)
                    try spool.place(at: paths[0])
                    if let tokenFile { try tokenFile.write([spool.token(at: paths[0])]) }
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

    /// The properties by which ``requireUnchanged(_:since:)`` finds that a file was written.
    ///
    /// The time of the last status change is not among them, because new attributes also set it.
    private struct Contents: Hashable {
        let number: FileNumber
        let size: UInt64
        let modified: Int64

        init(_ status: FileStatus) {
            number = FileNumber(status)
            (size, modified) = (status.size, status.modified)
        }
    }

    /// Runs COMMAND, and returns what it got, or nil if there was no file.
    private func filter(
        _ paths: [NativePath], into spool: Spool, _ admission: Admission
    ) throws(Failure) -> Contents? {
        let path = paths[0]
        let (file, contents) = try oldContents(path)
        let streams = ChildStreams(input: file, output: spool.contents)
        let run = CommandRun(command, mark: mark, admission: admission)
        let status = try run.run(at: paths, streams: streams)
        guard status != 0 else { return contents }
        let line = "COMMAND ended with status \(status): \(path) is as it was"
        throw Failure(status: status, lines: waiting.quiet ? [] : [line])
    }

    /// Fails if the file is not the one that COMMAND got.
    ///
    /// A COMMAND such as `sed -i` writes the file itself, and nothing to its standard output.
    private func requireUnchanged(
        _ path: NativePath, since former: Contents?
    ) throws(Failure) {
        let status: FileStatus?
        do throws(SystemError) {
            status = try path.statusIfAny()
        } catch {
            throw Failure(errorNumber: error.code, doing: "write", path: path)
        }
        guard status.map({ Contents($0) }) != former else { return }
        throw Failure(
            .inputOutput,
            "\(path) was changed meanwhile, by COMMAND or another program: nothing was replaced; "
                + "COMMAND must write to standard output, not to the file")
    }

    /// Opens the file, or `/dev/null` if there is none.
    private func oldContents(
        _ path: NativePath
    ) throws(Failure) -> (file: Descriptor, contents: Contents?) {
        let former = try replacing { () throws(ReplacingError) in
            try ReplacedFile(path, placing)
        }
        let nothing = NativePath(Array("/dev/null".utf8))
        do throws(SystemError) {
            guard former.status != nil else {
                return (try nothing.open(O_RDONLY).aboveStandardStreams(), nil)
            }
            let file = try path.open(O_RDONLY | O_NOFOLLOW).aboveStandardStreams()
            return (file, Contents(try file.status()))
        } catch {
            throw Failure(errorNumber: error.code, doing: "read", path: path)
        }
    }
}
