// SPDX-License-Identifier: Apache-2.0
//
// The editor of the demonstration: a presenter with unsaved changes.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem

/// A presenter that has the document open all the time, with changes that are not saved yet.
final class DemoEditor: Presenter {
    private let path: NativePath
    /// What the window shows, and whether it has been saved.
    private let window: Lock<(text: String, isSaved: Bool)>
    private let messages: PresenterThread

    init(_ path: NativePath) throws(Failure) {
        self.path = path
        let text = DemoEvent.content(of: path) + DemoScript.editorsWords
        window = Lock((text: text, isSaved: false))
        messages = try PresenterThread.suspended()
    }

    var identity: ObjectIdentifier { ObjectIdentifier(self) }
    let methods: PresenterMethods = [
        .relinquishToReader, .relinquishToWriter, .save, .itemDidChange,
    ]
    var queue: any PresenterQueue { messages }
    var presentedItem: ItemName? { ItemName(path: path.bytes) }
    let observedAttributes: Set<String> = []

    /// A coordinator that belongs to this presenter.
    ///
    /// The library does not ask the presenter about the coordinator's own accesses.
    private var coordinator: Coordinator { Coordinator(presenter: identity, keeping: self) }

    /// Presents the document until standard input ends.
    func play() throws(Failure) {
        do throws(AccessFailure) {
            try Session.current().add(self, label: "")
        } catch {
            throw Failure(error, of: [path])
        }
        messages.resume()
        DemoEvent.report(.editor, .types, path)
        while readLine() != nil {}
        Session.removePresenter(identity)
    }

    func relinquish(
        _ kind: Relinquishment, _ block: @escaping @Sendable (Reacquirer?) -> Void
    ) {
        switch kind {
        case .reader: DemoEvent.report(.editor, .makesWayForReader, path)
        case .writer: DemoEvent.report(.editor, .makesWayForWriter, path)
        }
        block(nil)
    }

    func perform(
        _ request: PresenterRequest, in scope: PresenterCallScope,
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        scope.within { completion(save()) }
    }

    private func save() -> (any Error)? {
        let unsaved = window.withLock { $0.isSaved ? nil : $0.text }
        guard let unsaved else { return nil }
        DemoEvent.report(.editor, .askedToSave, path)
        var failure: (any Error)?
        let refusal = DemoActors.coordinate(coordinator, path, .writing(.plain)) { path in
            do {
                try DemoDocument.save(unsaved, at: path)
                window.withLock { $0.isSaved = true }
                DemoEvent.report(.editor, .saved, path)
            } catch {
                failure = error
            }
        }
        return refusal ?? failure
    }

    func receive(_ notice: PresenterNotice) -> Bool {
        DemoActors.coordinate(coordinator, path, .reading([])) { path in
            let text = DemoEvent.content(of: path)
            let isNews = window.withLock { window in
                defer { window = (text: text, isSaved: true) }
                return window.text != text
            }
            // A presenter may be told of a change although nothing has changed (Rule 7.12).
            if isNews { DemoEvent.report(.editor, .shows, path) }
        }
        return true
    }
}
