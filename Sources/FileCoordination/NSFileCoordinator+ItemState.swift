// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's API: presenters that learn of changes which were made while they were not
// registered, for example while their program did not run (Rule 7.14).

#if !canImport(Darwin)
import FileCoordinationClient
import FileCoordinationSystem
import Foundation
import FoundationCompatibility

extension NSFileCoordinator {
    /// What a program knows of an item: its identity, size and times at one instant.
    ///
    /// Store it when the program has read or written the item, and register the item's presenter
    /// with it the next time: ``registerFilePresenter(_:label:since:)``. Its coded form is only for
    /// this library on the same machine.
    ///
    /// Decoding fails with the error of the decoder if the data are of something else.
    ///
    /// **Threads and cost.** A value of some hundred bytes, for any thread.
    public struct ItemState: Sendable, Codable {
        let known: FileCoordinationClient.ItemState

        fileprivate init(_ known: FileCoordinationClient.ItemState) { self.known = known }
    }

    /// Returns the present state of an item.
    ///
    /// Call it in the accessor that reads or writes the item; then no coordinated writer changes
    /// the item between both. A state that was taken within 20 ms after a change counts as one that
    /// is out of date, because some kernels' time stamps do not show a second change in that time
    /// (Rule 7.8). ``registerFilePresenter(_:label:since:)`` has an example.
    ///
    /// **Threads and cost.** Any thread; a few system calls, and no message.
    ///
    /// - Parameter url: the item; it need not exist. A symbolic link is not followed.
    /// - Returns: the state.
    /// - Throws: an error of Foundation if the URL does not lead to a place in the file system, or
    ///   the item cannot be examined (Rules 1.10, 17.3). Without a state, the presenter can still
    ///   be registered, and must then read its item.
    public static func state(ofItemAt url: URL) throws -> ItemState {
        do throws(AccessFailure) {
            return ItemState(try Session.current().state(ofItemAt: ItemName(url)))
        } catch {
            throw error.thrown([(url, isWriting: false)])
        }
    }

    /// Registers a presenter that knows an earlier state of its item, and tells it if the item has
    /// changed since then (Rule 7.14).
    ///
    /// If it has, the presenter gets ``NSFilePresenter/presentedItemDidChange()`` on its queue,
    /// also if the item has appeared or is gone. Changes between the comparison and later ones are
    /// not lost: the item is watched before it is compared. Of a directory, only its own list of
    /// names is compared. See ``registerFilePresenter(_:label:)`` for everything else.
    ///
    /// **Threads and cost.** As those of ``addFilePresenter(_:)``, and a few system calls for the
    /// comparison, on the calling thread.
    ///
    /// ```swift
    /// try NSFileCoordinator().coordinate(readingItemAt: document, timeout: .seconds(5)) { url in
    ///     let state = try NSFileCoordinator.state(ofItemAt: url)
    ///     try JSONEncoder().encode(state).write(to: settings)
    /// }
    /// // When the program runs again:
    /// let state = try JSONDecoder().decode(
    ///     NSFileCoordinator.ItemState.self, from: Data(contentsOf: settings))
    /// try NSFileCoordinator.registerFilePresenter(editor, since: state)
    /// ```
    ///
    /// - Parameters:
    ///   - filePresenter: the presenter.
    ///   - label: a short text for people, with the same limits as ``label``; nil for that of the
    ///     process.
    ///   - state: what the presenter knows of its item.
    /// - Throws: the errors of ``registerFilePresenter(_:label:)``. The presenter is not registered
    ///   then.
    public static func registerFilePresenter(
        _ filePresenter: any NSFilePresenter, label: String? = nil, since state: ItemState
    ) throws {
        try Session.register(filePresenter, label: label ?? "", since: state.known)
    }
}
#endif
