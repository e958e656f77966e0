// SPDX-License-Identifier: Apache-2.0
//
// A coordinated read, independent of the parser that read the command line.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem

/// What `filecoord read` is to do.
struct ReadRequest: Hashable {
    var options: ReadingOptions = .resolvesSymbolicLink
    var paths: [String] = []
    var waiting = WaitingTerms()
    /// COMMAND and its arguments.
    ///
    /// If it is empty, the contents are printed.
    var command: [String] = []
    var mark = PathMark.braces
    /// Whether access is held until all processes that COMMAND started have ended.
    var keepsWhileRunning = false
    /// The file for the tokens of what is read.
    var tokenFile: String?

    /// Returns what is wrong with the request, as text for the user, or nil if nothing is.
    var complaint: String? {
        guard !command.isEmpty else { return nil }
        return CommandTemplate(command, mark: mark).complaint(itemCount: paths.count)
    }

    /// Executes the request.
    func run() throws(Failure) {
        try Holder.run(isWanted: keepsWhileRunning) { () throws(Failure) in try perform() }
    }

    private func perform() throws(Failure) {
        let signals = try SignalReceiver()
        var items: [ClaimedItem] = []
        for path in paths {
            items.append(
                ClaimedItem(
                    path: try UserPath.item(path), access: .reading(options),
                    wantsToken: tokenFile != nil))
        }
        let tokenFile = try TokenFile(tokenFile, isEmptied: true)
        let admission = Admission(waiting, signals: signals)
        guard command.isEmpty else {
            return try CommandRun(command, mark: mark, admission: admission)
                .run(items, tokensTo: tokenFile)
        }
        // Each copy has a descriptor until it is printed.
        CurrentProcess.raiseDescriptorLimit()
        let copies: [PrivateCopy]
        do throws(Failure) {
            copies = try admission.run(items) { paths, access throws(Failure) in
                var seen = access.grantedTokens
                let copies = try keep(paths, &seen, signals)
                try tokenFile?.write(seen)
                return copies
            }
        } catch {
            throw withHint(error)
        }
        // The copies that the client library makes for uploading are removed by now.
        try signals.end(removing: nil)
        for copy in copies { try Console.print(contentsOf: copy.contents) }
    }

    /// Returns the failure, with a hint if a COMMAND was given without "--" before it.
    private func withHint(_ failure: Failure) -> Failure {
        // What cannot be examined does not exist for the user either.
        let missing = paths.firstIndex { (try? UserPath.item($0).status()) == nil }
        guard failure.status == ExitStatus.badPath.rawValue, let missing, missing > 0,
            ChildProcess.isFound(paths[missing])
        else { return failure }
        let program = UserText.text(ArgumentText.decode(paths[missing]))
        let hint =
            "if \(program) is to be run, put \"--\" before it: "
            + "filecoord read … -- \(program) …"
        return Failure(status: failure.status, lines: failure.lines + [hint])
    }

    /// How often a file is copied that a program without coordination changes meanwhile.
    private static let copies = 3

    /// Copies the files, and records in `seen` the states that were copied, if there are any.
    private func keep(
        _ paths: [NativePath], _ seen: inout [ItemToken?], _ signals: SignalReceiver
    ) throws(Failure) -> [PrivateCopy] {
        var copies: [PrivateCopy] = []
        guard !options.contains(.forUploading) else {
            // The client library removes these copies when the access ends. No signal may prevent
            // that.
            for path in paths { copies.append(try PrivateCopy(keeping: path)) }
            return copies
        }
        OtherNames.mention(of: paths, quiet: waiting.quiet)
        // Reading changes nothing, so a signal may end the program at any point.
        try signals.end(removing: nil)
        for (index, path) in paths.enumerated() {
            copies.append(try copy(path, &seen[index]))
        }
        return copies
    }

    /// Copies a file; if its state is wanted, so often that the copy has just that.
    private func copy(_ path: NativePath, _ seen: inout ItemToken?) throws(Failure) -> PrivateCopy {
        guard var token = seen else { return try PrivateCopy(of: path, quiet: waiting.quiet) }
        for _ in 0..<Self.copies {
            let copy = try PrivateCopy(of: path, quiet: waiting.quiet)
            do throws(SystemError) {
                guard try token.difference(fromItemAt: path.bytes) != nil else {
                    seen = token
                    return copy
                }
                token = try ItemToken.take(at: path.bytes)
            } catch {
                throw Failure(errorNumber: error.code, doing: "look at", path: path)
            }
        }
        throw Failure(
            .inputOutput,
            "\(path) was changed during each of \(Self.copies) copies, by a program that does not "
                + "coordinate: nothing is printed; try again when that has ended")
    }
}
