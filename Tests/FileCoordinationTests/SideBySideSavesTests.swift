// SPDX-License-Identifier: Apache-2.0
//
// Two editors of one document that save without blocking their queues, each through a coordinator
// of its own. Each save needs the other editor to relinquish while that is saving itself.

import FileCoordination
import FileCoordinationSystem
import XCTest

final class SideBySideSavesTests: CoordinatorTestCase {
    /// Rules 6.8, 6.15 and 16.5.
    ///
    /// If an editor was asked to relinquish only after it had saved, both would wait until they are
    /// passed over (Rule 18.3), and the reader would see a file without their changes.
    func testAReaderSeesWhatTwoEditorsHaveSaved() throws {
        let url = try file("f")
        let editors = ["one", "two"].map { SavingEditor(url, adds: $0) }
        for editor in editors { NSFileCoordinator.addFilePresenter(editor) }
        var text = ""
        NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { url in
            text = (try? String(decoding: Data(contentsOf: url), as: UTF8.self)) ?? ""
        }
        for editor in editors { NSFileCoordinator.removeFilePresenter(editor) }
        for word in ["one", "two"] { XCTAssertTrue(text.contains(word), text) }
        for editor in editors { XCTAssertEqual(editor.notes.all.first, "asked to save") }
    }
}

/// Adds a word to its file when it is asked to save; answers from other threads only.
private final class SavingEditor: NSObject, NSFilePresenter, Sendable {
    let notes: PresenterNotes
    private let word: String
    var presentedItemURL: URL? { notes.place }
    var presentedItemOperationQueue: OperationQueue { notes.queue }

    init(_ url: URL, adds word: String) {
        self.word = word
        notes = PresenterNotes(url)
    }

    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        Thread.detachNewThread { writer(nil) }
    }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        notes.add("asked to save")
        Thread.detachNewThread { [self] in
            guard let url = presentedItemURL else { return completionHandler(nil) }
            let coordinator = NSFileCoordinator(filePresenter: self)
            coordinator.coordinate(writingItemAt: url, error: nil) { url in
                let former = (try? Data(contentsOf: url)) ?? Data()
                try? (former + Data(word.utf8)).write(to: url)
            }
            completionHandler(nil)
        }
    }
}
