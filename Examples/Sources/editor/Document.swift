// SPDX-License-Identifier: Apache-2.0
//
// A document that shares its file with other programs. This is the file to learn from; what is
// special in it:
//
// - It saves when another program is about to read the file (`savePresentedItemChanges`).
// - Before each save it looks whether the file still has what this program knows. If not, what is
//   there becomes a conflict version: neither text is lost, whatever the order of events.
// - All saves run on the presenter's queue. Two coordinators of one presenter do not wait for each
//   other, so on two threads two saves could overlap.

import FileCoordination
import Synchronization

/// A text file that is open in the editor.
final class Document: NSObject, NSFilePresenter, Sendable {
    private struct State {
        var url: URL
        var text = Text()
        /// What the file had when this program last read or wrote it; nil if there was no file.
        var known: Data?
        var isPresented = false
        /// For the status line.
        var message = ""
        var redraw: @Sendable () -> Void = {}

        var isEdited: Bool { text.data != known ?? Data() }
    }

    /// What the screen shows.
    struct View {
        var text: Text
        var name: String
        var isEdited: Bool
        var message: String
    }

    private let state: Mutex<State>
    /// An operation queue does not retain its underlying queue, so this property does.
    private let serial = DispatchQueue(label: "Document")
    let presentedItemOperationQueue = OperationQueue()

    /// Is read on any thread, at any time.
    var presentedItemURL: URL? { state.withLock { $0.url } }

    /// Makes a document of the file that `url` leads to, also if `url` is a symbolic link.
    init(_ url: URL) {
        state = Mutex(State(url: url.resolvingSymlinksInPath()))
        super.init()
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        presentedItemOperationQueue.underlyingQueue = serial
    }

    // MARK: For the window

    /// Has `redraw` called, on any thread, when another program has changed what is shown.
    func whenChanged(_ redraw: @escaping @Sendable () -> Void) {
        state.withLock { $0.redraw = redraw }
    }

    var view: View {
        state.withLock { state in
            View(
                text: state.text, name: state.url.lastPathComponent, isEdited: state.isEdited,
                message: state.message)
        }
    }

    func edit(_ change: (inout Text) -> Void) {
        state.withLock { state in
            change(&state.text)
            state.message = ""
        }
    }

    func show(_ message: String) {
        let redraw = state.withLock { state in
            state.message = message
            return state.redraw
        }
        redraw()
    }

    // MARK: Opening, saving, closing

    /// Reads the file, if there is one, and presents it.
    func open() throws {
        let coordinator = NSFileCoordinator(filePresenter: self)
        let url = state.withLock { $0.url }
        try coordinator.coordinate(readingItemAt: url, timeout: .seconds(10)) { url in
            let found = try contents(of: url)
            guard let text = Text(found ?? Data()) else { throw NotText() }
            // Inside of the read, so that no write falls between reading and registering.
            try NSFileCoordinator.registerFilePresenter(self)
            state.withLock { state in
                state.text = text
                state.known = found
                state.isPresented = true
                if found == nil { state.message = "new file" }
            }
        }
    }

    /// Saves for the user, who can go on typing while the save waits for another program.
    func save() {
        presentedItemOperationQueue.addOperation { [self] in
            do {
                show(try write() ?? "saved")
            } catch {
                show("not saved: \(error.localizedDescription)")
            }
        }
    }

    /// Ends the presenting; the document is not saved.
    func close() {
        presentedItemOperationQueue.waitUntilAllOperationsAreFinished()
        NSFileCoordinator.removeFilePresenter(self)
    }

    /// Writes the text into the file, on the presenter's queue only.
    ///
    /// The deadline bounds how long it waits for other programs. Without an option, because the
    /// document stays the same: with `.forReplacing`, a second editor would be asked to close it.
    ///
    /// - Returns: a message about a conflict, if there was one.
    private func write() throws -> String? {
        let url = state.withLock { $0.url }
        let coordinator = NSFileCoordinator(filePresenter: self)
        return try coordinator.coordinate(writingItemAt: url, timeout: .seconds(10)) { url in
            let (data, known) = state.withLock { ($0.text.data, $0.known) }
            var message: String?
            if let found = try contents(of: url), found != known, found != data {
                try NSFileVersion.addConflictOfItem(at: url, withContentsOf: url)
                message = "saved; the other program's text is kept as a conflict version"
            }
            try data.write(to: url, options: .atomic)
            // What was typed meanwhile is not in `data`, and so stays unsaved.
            let wasPresented = state.withLock { state in
                state.known = data
                defer { state.isPresented = true }
                return state.isPresented
            }
            // It was deleted before, and here it is again.
            if !wasPresented { try NSFileCoordinator.registerFilePresenter(self) }
            return message
        }
    }

    // MARK: NSFilePresenter

    func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        do {
            if state.withLock({ $0.isEdited }) {
                show(try write() ?? "saved because another program reads")
            }
            completionHandler(nil)
        } catch {
            show("not saved: \(error.localizedDescription)")
            // The other program's call fails with this error: it would read an old text.
            completionHandler(error)
        }
    }

    func presentedItemDidChange() {
        let coordinator = NSFileCoordinator(filePresenter: self)
        let url = state.withLock { $0.url }
        do {
            // Without changes: it need not ask other editors to save, it will be told if they do.
            let found = try coordinator.coordinate(
                readingItemAt: url, options: .withoutChanges, timeout: .seconds(10)
            ) { try contents(of: $0) }
            if let message = reload(found) { show(message) }
        } catch {
            show("cannot be read again: \(error.localizedDescription)")
        }
    }

    /// Takes what the file has now, unless the user has typed something else.
    private func reload(_ found: Data?) -> String? {
        state.withLock { state in
            // As after a change that was undone; a presenter may be told once too often.
            if found == state.known { return nil }
            if found == state.text.data || found == nil {
                state.known = found
                return found == nil ? "deleted by another program; Ctrl-S writes it again" : nil
            }
            // `known` stays what it was, so that the next save makes a conflict version.
            if state.isEdited { return "changed by another program, too; a save keeps both texts" }
            guard let found, let text = Text(found) else { return "it is no text any more" }
            state.text.replace(with: text)
            state.known = found
            return "reloaded: changed by another program"
        }
    }

    func presentedItemDidMove(to newURL: URL) {
        state.withLock { $0.url = newURL }
        show("moved to \(newURL.path)")
    }

    /// The text stays in the window, as an unsaved one; the file is not presented any more.
    func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        state.withLock { state in
            state.known = nil
            state.isPresented = false
        }
        NSFileCoordinator.removeFilePresenter(self)
        show("deleted by another program; Ctrl-S writes it again")
        completionHandler(nil)
    }
}

/// The contents of a file; nil if there is none.
private func contents(of url: URL) throws -> Data? {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    return try Data(contentsOf: url)
}

/// The file has bytes that are no text.
struct NotText: LocalizedError {
    var errorDescription: String? { "The file is not UTF-8 text." }
}
