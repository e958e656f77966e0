// SPDX-License-Identifier: Apache-2.0
//
// A presenter, as this room sees it: a few questions and a few callbacks. The face around the room
// makes one of an object of its own (an NSFilePresenter, a struct of C functions), calls that
// object where and how its contract says, and hands over what it answers.

package import FileCoordinationArbiter

/// Something that presents an item, and is asked and told about it.
///
/// `presentedItem` and `queue` are asked for on any thread (Rule 16.3). Everything else is called
/// on the presenter's queue, one operation for each call.
package protocol Presenter: Sendable {
    /// The block that a presenter hands over when it relinquishes.
    typealias Reacquirer = @Sendable () -> Void

    /// Tells it from every other presenter for as long as it lives (Rule 4.2).
    var identity: ObjectIdentifier { get }
    /// What it implements; does not change.
    var methods: PresenterMethods { get }
    /// Where it is called; read once, at its registration (Rule 5.3).
    var queue: any PresenterQueue { get }
    /// What it presents now; nil: nothing (Rule 5.5).
    var presentedItem: ItemName? { get }
    /// The attributes that it observes, by name (Rule 10.5).
    var observedAttributes: Set<String> { get }

    /// Asks it to relinquish its item; it calls `block` once it has, on any thread.
    func relinquish(_ kind: Relinquishment, _ block: @escaping @Sendable (Reacquirer?) -> Void)

    /// Asks it to save or to accommodate; it calls `completion` when it has, on any thread.
    ///
    /// A face that does this in a task of its own looks at `scope` there once more: the presenter
    /// may have been removed since (Rule 5.7).
    func perform(
        _ request: PresenterRequest, in scope: PresenterCallScope,
        _ completion: @escaping @Sendable ((any Error)?) -> Void)

    /// Tells it what happened; false if there is nothing to call it with.
    func receive(_ notice: PresenterNotice) -> Bool
}

/// What a presenter is asked for and answers with a completion.
package enum PresenterRequest: Hashable, Sendable {
    /// To save what is unsaved.
    case save
    /// To accommodate the deletion of its item.
    case accommodateDeletion
    /// To accommodate the deletion of an item inside its package (Rule 6.2).
    case accommodateSubitemDeletion(ItemPath)
}

/// Where a presenter is called: on one thread after the other, or on several at a time.
package protocol PresenterQueue: AnyObject, Sendable {
    /// Whether it does one thing at a time.
    var isSerial: Bool { get }
    /// Whether its owner wants nothing to start there now.
    var isSuspended: Bool { get }
    /// Whether it is that of the main thread.
    var isMain: Bool { get }
    /// Adds an operation.
    func add(_ step: @escaping @Sendable () -> Void)
    /// Adds an operation that comes before all that were added since.
    func addFirst(_ step: @escaping @Sendable () -> Void)
}

/// The call of a presenter that is under way, for what is done in a task on its behalf.
package struct PresenterCallScope: Sendable {
    private let callback: CallPlace.Callback
    private let isCurrent: @Sendable () -> Bool

    init(_ callback: CallPlace.Callback, isCurrent: @escaping @Sendable () -> Bool) {
        self.callback = callback
        self.isCurrent = isCurrent
    }

    /// Whether the presenter is still registered.
    package var isWanted: Bool { isCurrent() }

    /// Runs the presenter's method on this thread.
    package func within(_ body: () -> Void) { PresenterCallbacks.within(callback, body) }

    /// Runs the presenter's method in this task.
    package func within(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
    ) async rethrows {
        try await PresenterCallbacks.within(callback, isolation: isolation, body)
    }
}
