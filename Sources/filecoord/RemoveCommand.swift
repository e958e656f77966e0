// SPDX-License-Identifier: Apache-2.0
//
// `filecoord rm`: everything is looked at before anything is removed, and all under one claim.

import ArgumentParser
import FileCoordination
import FileCoordinationArbiter
import FileCoordinationSystem
import Foundation

/// A coordinated deletion.
struct RemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove files once nobody uses them, and once their editors agree.",
        usage: "filecoord rm [<options>] <path> ...",
        discussion: """
            One claim covers all PATHs. The editors of the files, and of what is inside of \
            directories, are asked to accommodate the deletion, and may refuse: then nothing is \
            removed. Nothing is removed, either, if a PATH does not exist, or if it is a directory \
            and -r is missing. Of a symbolic link it is the link that is removed.

            \(ExitStatus.manual)

            EXAMPLES
              filecoord rm draft.txt
              filecoord rm --timeout 10 -r Build
            """)

    @Flag(name: .shortAndLong, help: "Remove directories, with all that is inside.")
    var recursive = false

    @OptionGroup(title: "Waiting")
    var waiting: WaitingOptions

    @Argument(help: ArgumentHelp("The files to remove.", valueName: "path"))
    var paths: [String]

    func run() throws {
        let signals = try SignalDesk()
        var items: [RequestedItem] = []
        for path in paths {
            try UserPath.refuseDots(path, "removed")
            let url = try UserPath.url(path)
            try check(url)
            items.append(RequestedItem(url: url, access: .writing(.deleting)))
        }
        try Admission(waiting.terms, signals: signals).run(items) { urls throws(Failure) in
            for url in urls { try check(url) }
            for url in urls {
                try remove(url)
                if let signal = signals.noted { throw Failure.interrupted(by: signal) }
            }
        }
    }

    private func check(_ url: URL) throws(Failure) {
        let status: FileStatus
        do {
            status = try FileStatus(path: url.systemPath, followLinks: false)
        } catch {
            throw Failure(errorNumber: error.code, doing: "remove", path: url.systemPath)
        }
        guard recursive || status.kind != .directory else {
            throw Failure(
                .badPath,
                "\(url.systemPath) is a directory: use -r to remove it with all that is inside")
        }
    }

    private func remove(_ url: URL) throws(Failure) {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            let posix = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            throw Failure(
                errorNumber: Int32(posix?.code ?? Int(EIO)), doing: "remove", path: url.systemPath)
        }
    }
}
