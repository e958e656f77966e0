// SPDX-License-Identifier: Apache-2.0
//
// A coordinated read, whoever has understood the command line.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import Foundation

/// What `filecoord read` is to do.
struct ReadRequest: Hashable {
    var options: FileCoordinationArbiter.ReadingOptions = []
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
        let signals = try SignalDesk()
        var items: [RequestedItem] = []
        for path in paths {
            items.append(
                RequestedItem(url: try UserPath.url(path), access: .reading(options)))
        }
        let admission = Admission(waiting, signals: signals)
        guard command.isEmpty else {
            return try CommandRun(command, mark: mark, admission: admission).run(items)
        }
        let copies = try admission.run(items) { urls throws(Failure) in try keep(urls, signals) }
        for copy in copies { try Console.print(contentsOf: copy.contents) }
    }

    private func keep(
        _ urls: [URL], _ signals: SignalDesk
    ) throws(Failure) -> [PrivateCopy] {
        var copies: [PrivateCopy] = []
        guard !options.contains(.forUploading) else {
            // These are removed on the way out, which no signal may cut short.
            for url in urls { copies.append(try PrivateCopy(keeping: url.nativePath)) }
            return copies
        }
        OtherNames.mention(of: urls, quiet: waiting.quiet)
        // Reading changes nothing: a signal may end the program in the middle of it.
        try signals.end(removing: nil)
        for url in urls {
            copies.append(try PrivateCopy(of: url.nativePath, quiet: waiting.quiet))
        }
        return copies
    }
}
