// SPDX-License-Identifier: Apache-2.0
//
// The three processes of the demonstration. They use the public classes, as anybody's program
// would, and nothing else to keep out of each other's way.

import FileCoordination
import FileCoordinationSystem
import Foundation

/// The two that come and go.
enum DemoActors {
    /// Reads the document, and keeps its access until it is told to go on.
    static func read(_ url: URL) {
        DemoEvent.report(.reader, .asksToRead, url.nativePath)
        NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { url in
            DemoEvent.report(.reader, .reads, url.nativePath)
            _ = readLine()
            DemoEvent.report(.reader, .doneReading, url.nativePath)
        }
    }

    /// Adds something to the document.
    static func write(_ url: URL) {
        DemoEvent.report(.writer, .asksToWrite, url.nativePath)
        NSFileCoordinator().coordinate(writingItemAt: url, error: nil) { url in
            let path = url.nativePath
            DemoEvent.report(.writer, .writes, path)
            let text = DemoEvent.content(of: path) + DemoScript.writersWords
            // What was not written does not come up in the demonstration's checks.
            try? DemoDocument.save(text, at: path)
            DemoEvent.report(.writer, .wrote, path)
        }
    }
}

/// What is written in the demonstration.
enum DemoScript {
    /// What the document holds at first.
    static let beginning = "milk"
    /// What is typed in the editor.
    static let editorsWords = ", eggs"
    /// What the writer adds.
    static let writersWords = ", tea"
}

/// The one that has the document open all the time, with changes that are not saved yet.
final class DemoEditor: NSObject, NSFilePresenter, Sendable {
    private let url: URL
    /// What the window shows, and whether it has been saved.
    private let window: Lock<(text: String, isSaved: Bool)>
    let presentedItemOperationQueue = OperationQueue()
    private let messages = DispatchQueue(label: "demo.editor")

    init(_ url: URL) {
        self.url = url
        let text = DemoEvent.content(of: url.nativePath) + DemoScript.editorsWords
        window = Lock((text: text, isSaved: false))
        super.init()
        presentedItemOperationQueue.underlyingQueue = messages
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
    }

    var presentedItemURL: URL? { url }

    /// Shows the document until standard input ends.
    func play() {
        NSFileCoordinator.addFilePresenter(self)
        DemoEvent.report(.editor, .types, url.nativePath)
        while readLine() != nil {}
        NSFileCoordinator.removeFilePresenter(self)
    }

    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        DemoEvent.report(.editor, .makesWayForReader, url.nativePath)
        reader(nil)
    }

    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        DemoEvent.report(.editor, .makesWayForWriter, url.nativePath)
        writer(nil)
    }

    func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let unsaved = window.withLock { $0.isSaved ? nil : $0.text }
        guard let unsaved else { return completionHandler(nil) }
        DemoEvent.report(.editor, .askedToSave, url.nativePath)
        var failure: (any Error)?
        var refusal: NSError?
        NSFileCoordinator(filePresenter: self).coordinate(
            writingItemAt: url, error: &refusal
        ) { url in
            do {
                try DemoDocument.save(unsaved, at: url.nativePath)
                window.withLock { $0.isSaved = true }
                DemoEvent.report(.editor, .saved, url.nativePath)
            } catch {
                failure = error
            }
        }
        completionHandler(refusal ?? failure)
    }

    func presentedItemDidChange() {
        NSFileCoordinator(filePresenter: self).coordinate(readingItemAt: url, error: nil) { url in
            let text = DemoEvent.content(of: url.nativePath)
            let isNews = window.withLock { window in
                defer { window = (text: text, isSaved: true) }
                return window.text != text
            }
            // Being told is no promise that something changed (Rule 7.12).
            if isNews { DemoEvent.report(.editor, .shows, url.nativePath) }
        }
    }
}
