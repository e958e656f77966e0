// SPDX-License-Identifier: Apache-2.0
//
// A coordinated read, independent of the parser that read the command line.

import FileCoordinationArbiter

/// What `filecoord read` is to do.
struct ReadRequest: Hashable {
    var options: ReadingOptions = []
    var paths: [String] = []
    var waiting = WaitingTerms()
    /// COMMAND and its arguments; empty: the contents are printed.
    var command: [String] = []
    var mark = PathMark.braces
    /// Whether access outlives COMMAND as long as processes of it do.
    var keepsWhileRunning = false

    /// What is wrong with it, for the user; nil if nothing is.
    var complaint: String? {
        guard !command.isEmpty else { return nil }
        return CommandTemplate(command, mark: mark).complaint(itemCount: paths.count)
    }

    /// Reads.
    func run() throws(Failure) {
        if keepsWhileRunning { try Holder.separate() }
        let signals = try SignalReceiver()
        var items: [ClaimedItem] = []
        for path in paths {
            items.append(ClaimedItem(path: try UserPath.item(path), access: .reading(options)))
        }
        let admission = Admission(waiting, signals: signals)
        guard command.isEmpty else {
            return try CommandRun(command, mark: mark, admission: admission).run(items)
        }
        let copies = try admission.run(items) { paths throws(Failure) in
            try keep(paths, signals)
        }
        for copy in copies { try Console.print(contentsOf: copy.contents) }
    }

    private func keep(
        _ paths: [NativePath], _ signals: SignalReceiver
    ) throws(Failure) -> [PrivateCopy] {
        var copies: [PrivateCopy] = []
        guard !options.contains(.forUploading) else {
            // These are removed on the way out, which no signal may cut short.
            for path in paths { copies.append(try PrivateCopy(keeping: path)) }
            return copies
        }
        OtherNames.mention(of: paths, quiet: waiting.quiet)
        // Reading changes nothing: a signal may end the program in the middle of it.
        try signals.end(removing: nil)
        for path in paths {
            copies.append(try PrivateCopy(of: path, quiet: waiting.quiet))
        }
        return copies
    }
}
