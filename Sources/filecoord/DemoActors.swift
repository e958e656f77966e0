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
        DemoEvent.report(.reader, .asksToRead, url)
        NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { url in
            DemoEvent.report(.reader, .reads, url)
            _ = readLine()
            DemoEvent.report(.reader, .doneReading, url)
        }
    }

    /// Adds something to the document.
    static func write(_ url: URL) {
        DemoEvent.report(.writer, .asksToWrite, url)
        NSFileCoordinator().coordinate(writingItemAt: url, error: nil) { url in
            DemoEvent.report(.writer, .writes, url)
            let text = DemoEvent.content(of: url) + DemoScript.writersWords
            try? text.write(to: url, atomically: true, encoding: .utf8)
            DemoEvent.report(.writer, .wrote, url)
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
        let text = DemoEvent.content(of: url) + DemoScript.editorsWords
        window = Lock((text: text, isSaved: false))
        super.init()
        presentedItemOperationQueue.underlyingQueue = messages
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
    }

    var presentedItemURL: URL? { url }

    /// Shows the document until standard input ends.
    func play() {
        NSFileCoordinator.addFilePresenter(self)
        DemoEvent.report(.editor, .types, url)
        while readLine() != nil {}
        NSFileCoordinator.removeFilePresenter(self)
    }

    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        DemoEvent.report(.editor, .makesWayForReader, url)
        reader(nil)
    }

    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        DemoEvent.report(.editor, .makesWayForWriter, url)
        writer(nil)
    }

    func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let unsaved = window.withLock { $0.isSaved ? nil : $0.text }
        guard let unsaved else { return completionHandler(nil) }
        DemoEvent.report(.editor, .askedToSave, url)
        var failure: (any Error)?
        var refusal: NSError?
        NSFileCoordinator(filePresenter: self).coordinate(
            writingItemAt: url, error: &refusal
        ) { url in
            do {
                try unsaved.write(to: url, atomically: true, encoding: .utf8)
                window.withLock { $0.isSaved = true }
                DemoEvent.report(.editor, .saved, url)
            } catch {
                failure = error
            }
        }
        completionHandler(refusal ?? failure)
    }

    func presentedItemDidChange() {
        NSFileCoordinator(filePresenter: self).coordinate(readingItemAt: url, error: nil) { url in
            let text = DemoEvent.content(of: url)
            let isNews = window.withLock { window in
                defer { window = (text: text, isSaved: true) }
                return window.text != text
            }
            // Being told is no promise that something changed (Rule 7.12).
            if isNews { DemoEvent.report(.editor, .shows, url) }
        }
    }
}
