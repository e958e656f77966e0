// SPDX-License-Identifier: Apache-2.0
//
// Subclasses and extensions of the coordinator and of its neighbours. Programs swap in a
// coordinator that does nothing, for tests or where coordination is too slow for them.

import FileCoordination

/// Runs everything at once, without coordinating.
class NoCoordination: NSFileCoordinator {
    private(set) var calls = 0
    private var purpose = "none"

    override init(filePresenter filePresenterOrNil: (any NSFilePresenter)?) {
        super.init(filePresenter: filePresenterOrNil)
    }

    override class func addFilePresenter(_ filePresenter: any NSFilePresenter) {}
    override class func removeFilePresenter(_ filePresenter: any NSFilePresenter) {}
    override class var filePresenters: [any NSFilePresenter] { [] }

    override var purposeIdentifier: String {
        get { purpose }
        set { purpose = newValue }
    }

    override func coordinate(
        with intents: [NSFileAccessIntent], queue: OperationQueue,
        byAccessor accessor: @escaping @Sendable (Error?) -> Void
    ) {
        calls += 1
        queue.addOperation { accessor(nil) }
    }

    override func coordinate(
        readingItemAt url: URL, options: NSFileCoordinator.ReadingOptions = [],
        error outError: NSErrorPointer, byAccessor reader: (URL) -> Void
    ) {
        calls += 1
        reader(url)
    }

    override func coordinate(
        writingItemAt url: URL, options: NSFileCoordinator.WritingOptions = [],
        error outError: NSErrorPointer, byAccessor writer: (URL) -> Void
    ) {
        calls += 1
        writer(url)
    }

    override func coordinate(
        readingItemAt readingURL: URL, options readingOptions: NSFileCoordinator.ReadingOptions,
        writingItemAt writingURL: URL, options writingOptions: NSFileCoordinator.WritingOptions,
        error outError: NSErrorPointer, byAccessor readerWriter: (URL, URL) -> Void
    ) {
        calls += 1
        readerWriter(readingURL, writingURL)
    }

    override func coordinate(
        writingItemAt url1: URL, options options1: WritingOptions = [],
        writingItemAt url2: URL, options options2: WritingOptions = [],
        error outError: NSErrorPointer, byAccessor writer: (URL, URL) -> Void
    ) {
        calls += 1
        writer(url1, url2)
    }

    override func prepare(
        forReadingItemsAt readingURLs: [URL], options readingOptions: ReadingOptions = [],
        writingItemsAt writingURLs: [URL], options writingOptions: WritingOptions = [],
        error outError: NSErrorPointer,
        byAccessor batchAccessor: (@escaping @Sendable () -> Void) -> Void
    ) {
        calls += 1
        batchAccessor {}
    }

    override func item(at oldURL: URL, willMoveTo newURL: URL) {}
    override func item(at oldURL: URL, didMoveTo newURL: URL) {}
    override func item(at url: URL, didChangeUbiquityAttributes attributes: Set<URLResourceKey>) {}
    override func cancel() { calls = 0 }
}

/// Counts, and leaves the work to the superclass.
final class CountingCoordinator: NSFileCoordinator {
    var reads = 0
    let name: String

    init(name: String, filePresenter: any NSObject & NSFilePresenter) {
        self.name = name
        super.init(filePresenter: filePresenter)
    }

    convenience init(name: String) { self.init(name: name, filePresenter: QuietPresenter()) }

    override func coordinate(
        readingItemAt url: URL, options: NSFileCoordinator.ReadingOptions = [],
        error outError: NSErrorPointer, byAccessor reader: (URL) -> Void
    ) {
        super.coordinate(
            readingItemAt: url, options: options.union(.withoutChanges), error: outError
        ) { newURL in
            reads += 1
            reader(newURL)
        }
    }

    override func cancel() {
        super.cancel()
        reads = 0
    }
}

/// Has a coordinator chosen by its type.
struct Chosen {
    var coordinatorClass: NSFileCoordinator.Type = NSFileCoordinator.self
    var make: (NSFilePresenterOrNil) -> NSFileCoordinator = { NSFileCoordinator(filePresenter: $0) }
    typealias NSFilePresenterOrNil = (any NSFilePresenter)?
    func present(_ presenter: any NSFilePresenter) { coordinatorClass.addFilePresenter(presenter) }
}

/// What a program wants of a coordinator, so that tests can have another.
protocol Coordinating: AnyObject {
    func coordinate(
        readingItemAt url: URL, options: NSFileCoordinator.ReadingOptions,
        error outError: NSErrorPointer, byAccessor reader: (URL) -> Void)
    func coordinate(
        writingItemAt url: URL, options: NSFileCoordinator.WritingOptions,
        error outError: NSErrorPointer, byAccessor writer: (URL) -> Void)
    func cancel()
    var purposeIdentifier: String { get set }
}

extension NSFileCoordinator: Coordinating {}

extension NSFileCoordinator {
    /// One for all callers in this module.
    class func forReading() -> NSFileCoordinator { NSFileCoordinator(filePresenter: nil) }

    convenience init(purpose: String) {
        self.init(filePresenter: nil)
        purposeIdentifier = purpose
    }
}

/// An intent with a name of its own.
final class NamedIntent: NSFileAccessIntent, @unchecked Sendable {
    var name = ""
    override var url: URL { super.url.standardizedFileURL }

    static func make(_ url: URL, _ name: String) -> NamedIntent {
        let intent = readingIntent(with: url, options: .withoutChanges)
        intent.name = name
        return intent
    }
}

/// Intents in collections, and by their static names.
func intents(_ urls: [URL]) -> [NSFileAccessIntent] {
    var all: [NSFileAccessIntent] = urls.map { .readingIntent(with: $0) }
    all += urls.map { NSFileAccessIntent.writingIntent(with: $0, options: .forDeleting) }
    all.append(NamedIntent.make(URL(fileURLWithPath: "/"), "root"))
    let byURL = Dictionary(grouping: all, by: \.url)
    return all.filter { byURL[$0.url]?.count == 1 && $0 !== all.first }
}
