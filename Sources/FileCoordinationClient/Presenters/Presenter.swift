// SPDX-License-Identifier: Apache-2.0
//
// The protocol by which this target sees a presenter. The face (the Foundation classes, the command
// line, or a binding) wraps each of its presenter objects, calls it as its contract demands, and
// returns its answers.

package import FileCoordinationArbiter

/// An object that presents an item, and is asked and told about it.
///
/// `presentedItem` and `queue` are read on any thread (Rule 16.3). Everything else is called on the
/// presenter's queue, one operation for each call.
package protocol Presenter: Sendable {
    /// The block that a presenter supplies when it relinquishes; called when it has its item back.
    typealias Reacquirer = @Sendable () -> Void

    /// Distinguishes it from other presenters during its life (Rule 4.2).
    var identity: ObjectIdentifier { get }
    /// The methods that it implements; constant.
    var methods: PresenterMethods { get }
    /// The queue on which it is called; read once, at registration (Rule 5.3).
    var queue: any PresenterQueue { get }
    /// The presented item; nil if there is none now (Rule 5.5).
    var presentedItem: ItemName? { get }
    /// The names of the attributes that it observes (Rule 10.5).
    var observedAttributes: Set<String> { get }
    /// Whether notices say which coordinated writer caused them; constant.
    var wantsAuthors: Bool { get }

    /// Asks it to relinquish its item.
    ///
    /// It calls `block` when it has, on any thread.
    func relinquish(_ kind: Relinquishment, _ block: @escaping @Sendable (Reacquirer?) -> Void)

    /// Asks it to save, to accommodate a deletion or eviction, or to provide contents.
    ///
    /// It calls `completion` when it is done, on any thread.
    ///
    /// A face that does this in a task must check `scope` again there, because the presenter may
    /// have been removed (Rule 5.7).
    func perform(
        _ request: PresenterRequest, in scope: PresenterCallScope,
        _ completion: @escaping @Sendable ((any Error)?) -> Void)

    /// Notifies it.
    ///
    /// Returns false if the presenter object no longer exists.
    func receive(_ notice: PresenterNotice) -> Bool

    /// Tells it whether plain programs wait at its file, if it was registered with a guard.
    func leaseGuardChanged(_ status: LeaseGuardStatus)
}

extension Presenter {
    package var wantsAuthors: Bool { false }

    package func leaseGuardChanged(_ status: LeaseGuardStatus) {}
}

/// A request that a presenter answers with a completion.
package enum PresenterRequest: Hashable, Sendable {
    /// Save unsaved changes.
    case save
    /// Accommodate the deletion of the presented item.
    case accommodateDeletion
    /// Accommodate the deletion of an item inside the presented package (Rule 6.2).
    case accommodateSubitemDeletion(ItemPath)
    /// Accommodate that the contents of the presented item are given up (Rule 15.6).
    case accommodateEviction
    /// Bring the contents of an item here (Rule 15.4).
    case provideContents(ItemPath)

    /// The method for the request.
    package var method: PresenterMethods {
        switch self {
        case .save: .save
        case .accommodateDeletion: .accommodateDeletion
        case .accommodateSubitemDeletion: .accommodateSubitemDeletion
        case .accommodateEviction: .accommodateEviction
        case .provideContents: .provideContents
        }
    }
}

/// A queue on which a presenter is called, serial or concurrent.
package protocol PresenterQueue: AnyObject, Sendable {
    /// Whether it runs one operation at a time.
    var isSerial: Bool { get }
    /// Whether its owner has suspended it.
    var isSuspended: Bool { get }
    /// Whether it is the main thread's queue.
    var isMain: Bool { get }
    /// Adds an operation.
    func add(_ step: @escaping @Sendable () -> Void)
    /// Adds an operation before all that have not started.
    func addFirst(_ step: @escaping @Sendable () -> Void)
}

/// A running call of a presenter, for code that continues it in a task.
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
