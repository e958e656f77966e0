// SPDX-License-Identifier: Apache-2.0
//
// `filecoord mv`: the item and the place where it goes are one claim, what is there is looked at
// before and again under it, and whoever presents the item follows.

import ArgumentParser
import FileCoordination
import FileCoordinationArbiter
import FileCoordinationSystem
import Foundation

/// A coordinated move.
struct MoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mv",
        abstract: "Move or rename a file once nobody uses it; whoever shows it follows.",
        usage: "filecoord mv [<options>] <source> <destination>",
        discussion: """
            SOURCE and DESTINATION are one claim. Programs that show SOURCE, or what is inside of \
            it, go on with it at its new place, and so do those that wait for access to it.

            If DESTINATION is a directory, or a link to one, SOURCE is moved into it under its own \
            name; a package counts as a file. A file takes the place of another file, once the \
            editors of that one agree, and a directory that of an empty one. A symbolic link is \
            moved itself. If anything is refused or fails, all is as it was.

            Within a file system the move is one step. To another one the item is copied beside \
            DESTINATION, with modes, times, links, extended attributes and, where that is allowed, \
            owners; it is renamed into place when it is whole and on the device, and only then is \
            SOURCE removed.

            With -n, and something at DESTINATION, it does nothing, says nothing and ends with 0.

            \(ExitStatus.manual)

            EXAMPLES
              filecoord mv draft.txt final.txt
              filecoord mv notes.txt Archive
              filecoord mv -T --timeout 10 Build.new Build
            """)

    @Flag(
        name: [.customShort("n"), .long],
        help: "Leave what is at DESTINATION, and then move nothing.")
    var noClobber = false

    @Flag(
        name: [.customShort("T"), .long],
        help: "Take DESTINATION as the new name, also if it is a directory.")
    var noTargetDirectory = false

    @OptionGroup(title: "Waiting")
    var waiting: WaitingOptions

    @Argument(help: "The file or directory to move.")
    var source: String

    @Argument(help: "Its new name, or the directory to move it into.")
    var destination: String

    func run() throws {
        let signals = try SignalDesk()
        try UserPath.refuseDots(source, "moved")
        let source = try UserPath.url(source)
        let target = try target()
        guard try MovePlan(from: source, to: target, self).mayGo() else { return }
        let items = [
            RequestedItem(url: source, access: .writing(.moving)),
            RequestedItem(url: target.url, access: .writing(.replacing)),
        ]
        try Admission(waiting.terms, signals: signals).run(items) { urls, access throws(Failure) in
            // It may have been moved while we waited (Rule 11.4).
            let target = MoveTarget(url: urls[1], isDirectory: target.isDirectory)
            let plan = MovePlan(from: urls[0], to: target, self)
            guard try plan.mayGo() else { return }
            let remains = try plan.run(signals)
            access.announceMove(from: urls[0], to: urls[1])
            if let remains { throw remains }
        }
        if let signal = signals.noted { throw Failure.interrupted(by: signal) }
    }

    /// Where the item is to go by its name.
    private func target() throws(Failure) -> MoveTarget {
        let url = try UserPath.url(destination)
        let name = PathParts(try UserPath.url(source).systemPath).name
        guard !noTargetDirectory, let directory = try? RealPath.resolve(Array(url.systemPath.utf8)),
            (try? FileStatus(path: directory, followLinks: false))?.kind == .directory,
            try !isPackage(directory)
        else { return MoveTarget(url: url, isDirectory: destination.hasSuffix("/")) }
        return MoveTarget(url: try UserPath.url("\(destination)/\(name)"), isDirectory: false)
    }

    private func isPackage(_ directory: [UInt8]) throws(Failure) -> Bool {
        do {
            return try Session.current().packagePolicy.isPackage(directoryAt: directory)
        } catch {
            throw Failure(filing: error)
        }
    }
}
