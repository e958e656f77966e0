// SPDX-License-Identifier: Apache-2.0
//
// Where a call is made, as far as it matters to presenters: on which queue, and inside which of
// their callbacks. What cannot start or answer while the call waits follows from it (Rule 18.4).

import FileCoordinationSystem

/// Where a call is made.
struct CallPlace: Sendable {
    /// A callback, and the mailbox that made it.
    struct Callback: Sendable {
        let mailbox: ObjectIdentifier
        let callback: PresenterCallback
    }

    /// The queue that does one thing after the other, and is doing this.
    private var serialQueue: ObjectIdentifier?
    private var isMainThread = false
    private var callbacks: [Callback] = []

    /// Whether the call blocks no queue and no thread.
    var isNowhere: Bool { serialQueue == nil && !isMainThread && callbacks.isEmpty }

    /// Where a call that blocks this thread is made.
    static func ofThread(_ services: any ClientServices) -> CallPlace {
        var place = CallPlace()
        place.isMainThread = services.isMainThread
        place.serialQueue = services.currentSerialQueue
        // A task may make a call that blocks, too.
        place.callbacks = PresenterCallbacks.ofTask + PresenterCallbacks.ofThread
        return place
    }

    /// Where a call is made that this task waits for: it blocks no thread and no queue.
    static var ofTask: CallPlace {
        var place = CallPlace()
        place.callbacks = PresenterCallbacks.ofTask
        return place
    }

    /// Whether a call here keeps `queue` from starting anything.
    func occupies(_ queue: any PresenterQueue) -> Bool {
        isMainThread && queue.isMain || serialQueue == ObjectIdentifier(queue)
    }

    /// The callbacks of one mailbox that a call here is made in.
    func callbacks(of mailbox: PresenterMailbox) -> [PresenterCallback] {
        callbacks.filter { $0.mailbox == ObjectIdentifier(mailbox) }.map(\.callback)
    }
}

/// The callbacks of presenters that a thread, or a task, is inside of.
enum PresenterCallbacks {
    private static let slot = ThreadSlot<[CallPlace.Callback]>()
    /// Tasks that a callback's task starts inherit this, and are not the callback.
    @TaskLocal private static var tasks: (task: Int, callbacks: [CallPlace.Callback])?

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    static var ofThread: [CallPlace.Callback] { slot.pointer?.pointee ?? [] }

    static var ofTask: [CallPlace.Callback] {
        guard let tasks, tasks.task == currentTask else { return [] }
        return tasks.callbacks
    }

    /// Runs a callback on this thread.
    static func within(_ callback: CallPlace.Callback, _ body: () -> Void) {
        let callbacks = slot.pointer(orNew: [])
        callbacks.pointee.append(callback)
        body()
        callbacks.pointee.removeLast()
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
