// SPDX-License-Identifier: Apache-2.0
//
// Programs that save what they present, each as such programs are written: they present their item,
// save with a coordinator of their own presenter, and look again at whatever they are told.

import FileCoordination
import FileCoordinationSystem
import Glibc
import Synchronization

/// What a program counts on the board.
final class SavesCount: Sendable {
    let board: SavesBoard
    private let lock = Lock(())

    init(_ board: SavesBoard) { self.board = board }

    func count(_ keys: SavesBoard.Key...) {
        lock.withLock { _ in for key in keys { board[key] += 1 } }
    }

    /// Counts a message about an item of which the name tells who changes it.
    func hear(_ name: String, own: (String) -> Bool) {
        count(.messages)
        if own(name) {
            count(.echoes)
        } else if name == "plain.txt" || name == "claimed.txt" {
            count(.heard)
        } else {
            count(.temporaries)
        }
    }

    /// Counts a message that does not name what has changed.
    func hearUnnamed() {
        count(.messages, board.isQuiet ? .echoes : .heard)
    }
}

/// What a saving program is to its process: it saves once, and is asked for that again and again.
protocol SavingClient: NSFilePresenter, Sendable {
    /// Saves; the number says which of its ways of saving it takes.
    func save(_ number: Int)
}

/// The process of a saving program.
enum SavesClient {
    static func run(_ options: Options) -> Never {
        let directory = options.given("directory")
        guard let way = SavingWay(rawValue: options.given("way")),
            let board = try? SavesBoard(directory)
        else { exit(2) }
        let count = SavesCount(board)
        let url = URL(
            fileURLWithPath: SavesPlace(directory, way).item, isDirectory: way != .document)
        let client: any SavingClient =
            switch way {
            case .document: LetterDocument(url, count)
            case .indexer: FolderIndexer(url, count)
            case .package: PackageEditor(url, count)
            case .folder: FolderView(url, count)
            }
        NSFileCoordinator.addFilePresenter(client)
        board[.isListening] = 1
        signal(SIGTERM, SIG_DFL)
        Kernel.block([SIGTERM])
        let isStopped = Atomic(false)
        Thread.detachNewThread {
            var number = 0
            while board[.isEnding] == 0 {
                client.save(number)
                number += 1
                Kernel.pause(milliseconds: options.number("pause", 20))
            }
            isStopped.store(true, ordering: .releasing)
        }
        _ = Kernel.take([SIGTERM])
        NSFileCoordinator.removeFilePresenter(client)
        exit(isStopped.load(ordering: .acquiring) ? 0 : 1)
    }

    /// A queue on which a presenter hears one message after the other.
    static func queue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }
}

/// A document of one file with autosave: it saves whenever its user has typed something, and reads
/// the file again when another program has changed it.
final class LetterDocument: NSObject, SavingClient {
    private let url: URL
    private let count: SavesCount
    private let text = Lock("")
    let presentedItemOperationQueue = SavesClient.queue()

    init(_ url: URL, _ count: SavesCount) { (self.url, self.count) = (url, count) }

    var presentedItemURL: URL? { url }

    func save(_ number: Int) {
        let contents = text.withLock { text in
            text = "letter \(number)"
            return text
        }
        if count.board.isQuiet { count.count(.countedSaves) }
        var failure: NSError?
        NSFileCoordinator(filePresenter: self).coordinate(writingItemAt: url, error: &failure) {
            let isInPlace = number.isMultiple(of: 2)
            try? Data(contents.utf8).write(to: $0, options: isInPlace ? [] : .atomic)
        }
        count.count(.ownSaves)
    }

    func presentedItemDidChange() {
        count.hearUnnamed()
        var failure: NSError?
        NSFileCoordinator(filePresenter: self).coordinate(readingItemAt: url, error: &failure) {
            guard let contents = try? String(contentsOf: $0, encoding: .utf8) else { return }
            self.text.withLock { $0 = contents }
        }
    }
}

/// An indexer: some time after the last change in its directory, it writes its index there.
final class FolderIndexer: NSObject, SavingClient {
    private let url: URL
    private let count: SavesCount
    private let due = Lock<UInt64?>(nil)
    let presentedItemOperationQueue = SavesClient.queue()
    private static let debounce: UInt64 = 300_000_000

    init(_ url: URL, _ count: SavesCount) { (self.url, self.count) = (url, count) }

    var presentedItemURL: URL? { url }

    func save(_ number: Int) {
        let isDue = due.withLock { due in
            guard let time = due, time <= Kernel.now else { return false }
            due = nil
            return true
        }
        guard isDue else { return }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        let index = url.appendingPathComponent("index")
        var failure: NSError?
        NSFileCoordinator(filePresenter: self).coordinate(writingItemAt: index, error: &failure) {
            try? Data(names.sorted().joined(separator: "\n").utf8).write(to: $0, options: .atomic)
        }
        count.count(.ownSaves, .countedSaves)
    }

    private func hear(_ url: URL) {
        count.hear(url.lastPathComponent) { $0 == "index" }
        due.withLock { $0 = Kernel.now + Self.debounce }
    }

    func presentedSubitemDidAppear(at url: URL) { hear(url) }
    func presentedSubitemDidChange(at url: URL) { hear(url) }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { hear(newURL) }
}

/// An editor of a package, which hears of its item as a whole.
///
/// It saves one part, or all of them under a claim for the package.
final class PackageEditor: NSObject, SavingClient {
    private let url: URL
    private let count: SavesCount
    let presentedItemOperationQueue = SavesClient.queue()

    init(_ url: URL, _ count: SavesCount) { (self.url, self.count) = (url, count) }

    var presentedItemURL: URL? { url }

    func save(_ number: Int) {
        if count.board.isQuiet { count.count(.countedSaves) }
        let isWhole = number % 3 == 2
        let parts = isWhole ? ["TXT.rtf", "style.css", "view.plist"] : ["TXT.rtf"]
        let claimed = isWhole ? url : url.appendingPathComponent(parts[0])
        var failure: NSError?
        NSFileCoordinator(filePresenter: self).coordinate(writingItemAt: claimed, error: &failure) {
            for part in parts {
                let place = isWhole ? $0.appendingPathComponent(part) : $0
                let isInPlace = number % 3 == 1
                try? Data("\(part) \(number)".utf8).write(
                    to: place, options: isInPlace ? [] : .atomic)
            }
        }
        count.count(.ownSaves)
    }

    func presentedItemDidChange() { count.hearUnnamed() }
}

/// A view of a folder, in which its user makes, writes, renames and removes things.
final class FolderView: NSObject, SavingClient {
    private let url: URL
    private let count: SavesCount
    let presentedItemOperationQueue = SavesClient.queue()

    init(_ url: URL, _ count: SavesCount) { (self.url, self.count) = (url, count) }

    var presentedItemURL: URL? { url }

    func save(_ number: Int) {
        let file = url.appendingPathComponent("own-\(number / 6 % 3)")
        let directory = url.appendingPathComponent("own-folder", isDirectory: true)
        count.count(.countedSaves)
        switch number % 6 {
        case 0, 1:
            write(file) { try? Data("text \(number)".utf8).write(to: $0, options: .atomic) }
        case 2: write(file) { try? Data("\(number)".utf8).write(to: $0) }
        case 3:
            write(directory) {
                try? FileManager.default.createDirectory(
                    at: $0, withIntermediateDirectories: false)
                try? Data("inside".utf8).write(to: $0.appendingPathComponent("own-part"))
            }
        case 4: rename(file)
        default:
            write(directory, .forDeleting) { try? FileManager.default.removeItem(at: $0) }
        }
        count.count(.ownSaves)
    }

    private func write(
        _ url: URL, _ options: NSFileCoordinator.WritingOptions = [], _ body: (URL) -> Void
    ) {
        var failure: NSError?
        NSFileCoordinator(filePresenter: self).coordinate(
            writingItemAt: url, options: options, error: &failure, byAccessor: body)
    }

    private func rename(_ file: URL) {
        let other = url.appendingPathComponent("own-renamed")
        let coordinator = NSFileCoordinator(filePresenter: self)
        var failure: NSError?
        coordinator.coordinate(
            writingItemAt: file, options: .forMoving, writingItemAt: other, options: .forReplacing,
            error: &failure
        ) { old, new in
            guard Glibc.rename(old.path, new.path) == 0 else { return }
            coordinator.item(at: old, didMoveTo: new)
        }
    }

    private func hear(_ url: URL) { count.hear(url.lastPathComponent) { $0.hasPrefix("own-") } }

    func presentedSubitemDidAppear(at url: URL) { hear(url) }
    func presentedSubitemDidChange(at url: URL) { hear(url) }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { hear(newURL) }
}
