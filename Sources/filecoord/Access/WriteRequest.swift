// SPDX-License-Identifier: Apache-2.0
//
// A coordinated write, independent of the parser that read the command line.

import FileCoordinationArbiter
import FileCoordinationClient

/// What `filecoord write` is to do.
struct WriteRequest: Hashable {
    /// What the write is for.
    ///
    /// Several aims are combined (Rule 2.8b).
    var aims: [WritingAim] = []
    /// Whether everything inside directories is written as well (Rule 2.23).
    var isRecursive = false
    /// Whether final symbolic links are followed (Rule 2.25).
    var followsLinks = true
    var paths: [String] = []
    var waiting = WaitingTerms()
    /// COMMAND and its arguments.
    ///
    /// If it is empty, standard input is put in place.
    var command: [String] = []
    var mark = PathMark.braces
    var placing = Placing.replacing
    /// The number of bytes that standard input must have.
    var expectedBytes: UInt64?
    /// Whether access is held until all processes that COMMAND started have ended.
    var keepsWhileRunning = false
    /// The states in which the files must be.
    var conditions = Conditions()
    /// The file for the tokens of what is left.
    var tokenFile: String?

    /// Returns what is wrong with the request, as text for the user, or nil if nothing is.
    var complaint: String? {
        guard command.isEmpty else {
            guard placing == .replacing, expectedBytes == nil else {
                return "--in-place, --break-links and --expect-bytes are about standard input: "
                    + "leave them out with a COMMAND."
            }
            return CommandTemplate(command, mark: mark).complaint(itemCount: paths.count)
        }
        guard paths.count == 1 else {
            return "Standard input goes to one PATH; for several, give a COMMAND after \"--\"."
        }
        return aims.first { !$0.takesContent }.map {
            "--\($0.name) needs a COMMAND after \"--\": standard input is content."
        }
    }

    /// The kind of access to the items.
    private var access: Access {
        var options: WritingOptions = isRecursive ? .includingContents : .plain
        if followsLinks { options.insert(.resolvesSymbolicLink) }
        return .writing(aims.reduce(into: options) { $0.formUnion($1.option) })
    }

    /// Executes the request.
    func run() throws(Failure) {
        try Holder.run(isWanted: keepsWhileRunning) { () throws(Failure) in try perform() }
    }

    private func perform() throws(Failure) {
        let signals = try SignalReceiver()
        var items: [ClaimedItem] = []
        let tokens = try conditions.tokens(paths: paths.count...paths.count)
        for (path, token) in zip(paths, tokens) {
            items.append(
                ClaimedItem(path: try UserPath.item(path), access: access, onlyIf: token))
        }
        let tokenFile = try TokenFile(tokenFile)
        let admission = Admission(waiting, signals: signals)
        guard command.isEmpty else {
            return try CommandRun(command, mark: mark, admission: admission)
                .run(items, tokensTo: tokenFile)
        }
        let path = items[0].path
        let spool = try Spool(
            for: path, followsLinks: followsLinks, placing, signals: signals)
        do throws(Failure) {
            try checkLength(spool.fill(from: 0), path)
            try spool.synchronize()
            try admission.run(items) { paths throws(Failure) in
                OtherNames.mention(of: paths, quiet: waiting.quiet)
                let left = try spool.place(at: paths[0], ifStill: tokens[0], else: .stale)
                try tokenFile?.write([left])
            }
        } catch {
            spool.discard()
            throw error
        }
        // A signal that came during the write came too late: the content is in place.
    }

    private func checkLength(_ count: UInt64, _ path: NativePath) throws(Failure) {
        guard let expectedBytes, count != expectedBytes else { return }
        throw Failure(
            .inputOutput,
            "standard input ended after \(count) bytes, not \(expectedBytes): \(path) is as it was")
    }
}
