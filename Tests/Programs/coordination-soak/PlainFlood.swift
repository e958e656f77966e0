// SPDX-License-Identifier: Apache-2.0
//
// Claims beside a flood of plain changes. A program that does not coordinate writes files under a
// directory that another process presents. Meanwhile this process claims a file of that directory
// again and again. Each claim asks the watcher whether a presenter's item was moved to its path
// (Rule 1.15), and must be granted within a bound although the watcher is busy.

import FileCoordination
import Glibc
import Synchronization

/// The proof `flood`.
struct PlainFlood {
    private let options: Options
    private let field: Field
    private let tree: String

    init(_ options: Options, _ field: Field) {
        self.options = options
        self.field = field
        tree = FloodPlace.tree(field.directory)
    }

    func run() throws -> Verdict {
        mkdir(tree, 0o700)
        // A delegated claim asks no server, and so proves less.
        if !options.has("delegating") { setenv("FILECOORDINATION_DELEGATION", "off", 1) }
        let patience = 2 * FloodPlace.patience
        let presenter = try field.start("flood-presenter", ["directory": field.directory])
        let isPresented = Kernel.until(seconds: patience) {
            access(FloodPlace.ready(field.directory), F_OK) == 0
        }
        guard isPresented else { throw SoakError("no process presents the directory") }
        var verdict = Verdict()
        let files = options.number("files", 100_000)
        let began = Kernel.now
        let writer = try field.start(
            "flood-writer", ["directory": field.directory, "files": "\(files)"])
        var waits = Sample()
        var status: Int32?
        while status == nil {
            claim(&waits, &verdict)
            Kernel.pause(milliseconds: 1)
            status = field.reap(writer, seconds: 0)
        }
        let seconds = Double(Kernel.now - began) / 1e9
        verdict.demand(status == 0, "the writer ended with \(status ?? -1)")
        Glibc.kill(presenter, SIGTERM)
        let end = field.reap(presenter, seconds: patience)
        verdict.demand(end == 0, "the presenter ended with \(end ?? -1)")
        let text = try String(contentsOfFile: FloodPlace.told(field.directory), encoding: .utf8)
        let told = Int(text) ?? 0
        verdict.demand(told > 0, "the presenter was told nothing")
        let bound = options.number("bound", 1.5) * 1000 * Kernel.crowding
        verdict.demand(waits.quantile(1) < bound, "a claim waited longer than \(bound) ms")
        say(
            "\(files) files written in \(String(format: "%.1f", seconds)) s, "
                + "\(told) messages to the presenter; \(Kernel.load)")
        say("claims meanwhile, until the accessor ran: \(waits.text)")
        return verdict
    }

    /// Writes one of two files beside those of the flood.
    private func claim(_ waits: inout Sample, _ verdict: inout Verdict) {
        let url = URL(
            fileURLWithPath: "\(tree)/claimed.\(waits.values.count % 2)", isDirectory: false)
        var failure: NSError?
        let asked = Kernel.now
        var waited: UInt64?
        NSFileCoordinator().coordinate(writingItemAt: url, error: &failure) { _ in
            waited = Kernel.now - asked
        }
        if let waited { waits.add(waited) }
        verdict.demand(waited != nil, "a claim was not granted: \(failure.map { "\($0)" } ?? "")")
    }
}

/// The paths that the processes of the proof agree on.
private enum FloodPlace {
    /// How long anything may take that is not measured, in seconds.
    static var patience: Double { 20 * Kernel.crowding }

    static func tree(_ directory: String) -> String { directory + "/tree" }
    static func ready(_ directory: String) -> String { directory + "/presented" }
    static func told(_ directory: String) -> String { directory + "/told" }
}

/// The program that does not coordinate.
enum FloodWriter {
    static func run(_ options: Options) -> Never {
        let tree = FloodPlace.tree(options.given("directory"))
        for number in 0..<options.number("files", 0) {
            let directory = "\(tree)/\(number / 1000)"
            if number.isMultiple(of: 1000) { mkdir(directory, 0o700) }
            let file = open("\(directory)/\(number)", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
            guard file >= 0, write(file, "text", 4) == 4 else { exit(1) }
            close(file)
        }
        exit(0)
    }
}

/// A presenter of the whole directory, which can be asked and is told of changes.
final class FloodPresenter: NSObject, NSFilePresenter, Sendable {
    let presentedItemURL: URL?
    let presentedItemOperationQueue: OperationQueue
    private let own = DispatchQueue(label: "presenter")
    private let told = Atomic(0)

    /// Presents until SIGTERM, and then writes down how often it was told of something.
    static func run(_ options: Options) -> Never {
        Kernel.block([SIGTERM])
        let directory = options.given("directory")
        let presenter = FloodPresenter(FloodPlace.tree(directory))
        NSFileCoordinator.addFilePresenter(presenter)
        close(open(FloodPlace.ready(directory), O_CREAT | O_WRONLY, 0o600))
        _ = Kernel.take([SIGTERM])
        // On a busy machine, the server may tell of it only when the flood is over.
        _ = Kernel.until(seconds: FloodPlace.patience) {
            presenter.told.load(ordering: .relaxed) > 0
        }
        NSFileCoordinator.removeFilePresenter(presenter)
        let count = Data("\(presenter.told.load(ordering: .relaxed))".utf8)
        let isWritten =
            (try? count.write(to: URL(fileURLWithPath: FloodPlace.told(directory)))) != nil
        exit(isWritten ? 0 : 1)
    }

    private init(_ path: String) {
        presentedItemURL = URL(fileURLWithPath: path, isDirectory: true)
        presentedItemOperationQueue = OperationQueue()
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        presentedItemOperationQueue.underlyingQueue = own
        super.init()
    }

    private func count() { told.add(1, ordering: .relaxed) }

    func presentedItemDidChange() { count() }
    func presentedSubitemDidAppear(at url: URL) { count() }
    func presentedSubitemDidChange(at url: URL) { count() }

    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { writer {} }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(nil)
    }
}
