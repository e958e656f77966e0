// SPDX-License-Identifier: Apache-2.0
//
// The context in which a coordinating call is made, as far as it matters to presenters: its queue,
// and the presenter callbacks around it. It shows which presenters cannot answer while the call
// waits (Rule 18.4).

import FileCoordinationArbiter
import FileCoordinationSystem

/// The context of a call.
struct CallPlace: Sendable {
    /// A running callback, and the mailbox that made it.
    struct Callback: Sendable {
        let mailbox: ObjectIdentifier
        let callback: PresenterCallback
    }

    /// The serial queue that is running the calling code.
    private var serialQueue: ObjectIdentifier?
    private var isMainThread = false
    private var callbacks: [Callback] = []

    /// Whether the call blocks no queue, no main thread and no callback.
    var isNowhere: Bool { serialQueue == nil && !isMainThread && callbacks.isEmpty }

    /// Returns the context of a call that blocks this thread.
    static func ofThread(_ services: any ClientServices) -> CallPlace {
        var place = CallPlace()
        place.isMainThread = services.isMainThread
        place.serialQueue = services.currentSerialQueue
        // A blocking call may also be made in a task.
        place.callbacks = PresenterCallbacks.ofTask + PresenterCallbacks.ofThread
        return place
    }

    /// The context of a call that this task awaits: it blocks no thread and no queue.
    static var ofTask: CallPlace {
        var place = CallPlace()
        place.callbacks = PresenterCallbacks.ofTask
        return place
    }

    /// Whether a call in this context keeps `queue` from starting an operation.
    func occupies(_ queue: any PresenterQueue) -> Bool {
        isMainThread && queue.isMain || serialQueue == ObjectIdentifier(queue)
    }

    /// Returns the callbacks of a mailbox around a call in this context.
    func callbacks(of mailbox: PresenterMailbox) -> [PresenterCallback] {
        callbacks.filter { $0.mailbox == ObjectIdentifier(mailbox) }.map(\.callback)
    }
}

/// The presenter callbacks that a thread or task is running.
enum PresenterCallbacks {
    static let slot = ThreadSlot<[CallPlace.Callback]>()
    /// Child tasks inherit this value but are not the callback, so the task is stored with it.
    @TaskLocal private static var tasks: (task: Int, callbacks: [CallPlace.Callback])?

    private static var currentTask: Int? { unsafe withUnsafeCurrentTask { unsafe $0?.hashValue } }

    static var ofThread: [CallPlace.Callback] { unsafe slot.pointer?.pointee ?? [] }

    static var ofTask: [CallPlace.Callback] {
        guard let tasks, tasks.task == currentTask else { return [] }
        return tasks.callbacks
    }

    /// Runs a callback on this thread.
    static func within(_ callback: CallPlace.Callback, _ body: () -> Void) {
        let callbacks = unsafe slot.pointer(orNew: [])
        unsafe callbacks.pointee.append(callback)
        body()
        unsafe callbacks.pointee.removeLast()
    }

    /// Runs a callback in this task.
    static func within(
        _ callback: CallPlace.Callback, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Void
    ) async rethrows {
        guard let task = currentTask else { return try await body() }
        try await $tasks.withValue((task, ofTask + [callback])) { try await body() }
    }
}

/// A waiting call of this process.
struct WaitingCall: Sendable {
    let record: RecordReference
    let place: CallPlace
}
