// SPDX-License-Identifier: Apache-2.0
//
// A coordinated write, whoever has understood the command line.

import FileCoordination
import FileCoordinationArbiter
import Foundation

/// What `filecoord write` is to do.
struct WriteRequest: Hashable {
    /// What the write is for; several are their union (Rule 2.8b).
    var aims: [WritingAim] = []
    var paths: [String] = []
    var waiting = WaitingTerms()
    /// COMMAND and its arguments; empty: standard input is put in place.
    var command: [String] = []
    /// Whether access outlives COMMAND as long as processes of it do.
    var keepsWhileRunning = false

    /// What is wrong with it, for the user; nil if nothing is.
    var complaint: String? {
        guard command.isEmpty else { return nil }
        guard paths.count == 1 else {
            return "Standard input goes to one PATH; for several, give a COMMAND after \"--\"."
        }
        return aims.first { !$0.takesContent }.map {
            "--\($0.name) needs a COMMAND after \"--\": standard input is content."
        }
    }

    /// What is wanted with the items.
    private var access: Access {
        .writing(aims.reduce(into: .plain) { $0.formUnion($1.option) })
    }

    /// Writes.
    func run() throws(Failure) {
        if keepsWhileRunning { try Holder.separate() }
        let signals = try SignalDesk()
        var items: [RequestedItem] = []
        for path in paths {
            items.append(RequestedItem(url: try UserPath.url(path), access: access))
        }
        let admission = Admission(waiting, signals: signals)
        guard command.isEmpty else {
            return try CommandRun(command, admission: admission).run(items)
        }
        let spool = try Spool(for: items[0].url.systemPath, signals: signals)
        do throws(Failure) {
            try spool.fill(from: 0)
            try admission.run(items) { urls throws(Failure) in
                OtherNames.mention(of: urls, quiet: waiting.quiet)
                try spool.place(at: urls[0].systemPath)
            }
        } catch {
            spool.discard()
            throw error
        }
        if let signal = signals.noted { throw Failure.interrupted(by: signal) }
    }
}
