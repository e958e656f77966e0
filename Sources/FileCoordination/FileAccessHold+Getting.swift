// SPDX-License-Identifier: Apache-2.0
//
// How to get a hold: from a coordinator, on the calling thread or in a task, or by joining the hold
// of another process.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationClient
public import Foundation

extension NSFileCoordinator {
    /// Holds an item for reading once no other access writes it, and once its presenters have saved
    /// it.
    ///
    /// ```swift
    /// let hold = try coordinator.hold(readingItemAt: url, timeout: .seconds(5))
    /// defer { hold.release() }
    /// ```
    ///
    /// **Threads.** Blocks the calling thread while it waits. In an `async` function, the compiler
    /// chooses the `async` overload, which blocks no thread.
    ///
    /// **Cost.** No message if the item is delegated to this process; otherwise one message to the
    /// server, the answers of presenters, and another message when the hold is released
    /// (<doc:Performance>).
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how the item will be read. Not `forUploading`, whose claim ends before the copy
    ///     is used.
    ///   - timeout: how long to wait; nil for no limit.
    ///   - token: the state in which the item must be, or there is no hold and the error is
    ///     ``FileCoordinationError/stale``; nil for any (Rule 18.16).
    /// - Returns: the hold.
    /// - Throws: `CocoaError.userCancelled`, a presenter's error, ``FileCoordinationError``, or an
    ///   error about the URL: see ``NSFileCoordinator``.
    @_disfavoredOverload
    public func hold(
        readingItemAt url: URL, options: ReadingOptions = [], timeout: Duration? = nil,
        onlyIf token: FileToken? = nil
    ) throws -> FileAccessHold {
        try core.hold(ItemsOfCall(CallItem(reading: url, options, onlyIf: token)), timeout)
    }

    /// Holds an item for writing once no other access reads or writes it, and once its presenters
    /// have relinquished it; they get it back when the hold is released (Rule 8.3).
    ///
    /// ``FileAccessHold`` has an example.
    ///
    /// **Threads and cost.** As those of ``hold(readingItemAt:options:timeout:onlyIf:)``.
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how the item will be written.
    ///   - timeout: how long to wait; nil for no limit.
    ///   - token: the state in which the item must be, or there is no hold and the error is
    ///     ``FileCoordinationError/stale``; nil for any (Rule 18.16).
    /// - Returns: the hold.
    /// - Throws: `CocoaError.userCancelled`, a presenter's error, ``FileCoordinationError``, or an
    ///   error about the URL: see ``NSFileCoordinator``.
    @_disfavoredOverload
    public func hold(
        writingItemAt url: URL, options: WritingOptions = [], timeout: Duration? = nil,
        onlyIf token: FileToken? = nil
    ) throws -> FileAccessHold {
        try core.hold(ItemsOfCall(CallItem(writing: url, options, onlyIf: token)), timeout)
    }

    /// Holds the items of intents, with one claim that is granted for all at once (Rule 2.13).
    ///
    /// ```swift
    /// let hold = try coordinator.hold(
    ///     with: [.readingIntent(with: draft), .writingIntent(with: page)], timeout: .seconds(5))
    /// print(hold.urls[1].path)
    /// ```
    ///
    /// **Threads and cost.** As those of ``hold(readingItemAt:options:timeout:onlyIf:)``. A claim
    /// on several items is never delegated.
    ///
    /// - Parameters:
    ///   - intents: the items, and how each will be accessed.
    ///   - timeout: how long to wait; nil for no limit.
    ///   - tokens: the states in which the items must be, one for each intent, or there is no hold
    ///     and the error is ``FileCoordinationError/stale``; nil, or none at all, for any (Rule
    ///     18.16).
    /// - Returns: the hold.
    /// - Throws: `CocoaError.userCancelled`, a presenter's error, ``FileCoordinationError``, or an
    ///   error about the URL: see ``NSFileCoordinator``.
    @_disfavoredOverload
    public func hold(
        with intents: [NSFileAccessIntent], timeout: Duration? = nil,
        onlyIf tokens: [FileToken?] = []
    ) throws -> FileAccessHold {
        try core.hold(ItemsOfCall([CallItem](intents, onlyIf: tokens)), timeout)
    }

    /// Holds an item for reading once no other access writes it, and once its presenters have saved
    /// it.
    ///
    /// ```swift
    /// let hold = try await coordinator.hold(readingItemAt: url, timeout: .seconds(5))
    /// defer { hold.release() }
    /// ```
    ///
    /// **Threads.** Blocks no thread while it waits; cancelling the task ends the wait (Rule
    /// 18.11).
    ///
    /// **Cost.** That of ``hold(readingItemAt:options:timeout:onlyIf:)``, and two changes of
    /// thread.
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how the item will be read. Not `forUploading`, whose claim ends before the copy
    ///     is used.
    ///   - timeout: how long to wait; nil for no limit.
    ///   - token: the state in which the item must be, or there is no hold and the error is
    ///     ``FileCoordinationError/stale``; nil for any (Rule 18.16).
    ///   - isolation: the caller's actor.
    /// - Returns: the hold.
    /// - Throws: `CocoaError.userCancelled`, a presenter's error, ``FileCoordinationError``, or an
    ///   error about the URL: see ``NSFileCoordinator``.
    public func hold(
        readingItemAt url: URL, options: ReadingOptions = [], timeout: Duration? = nil,
        onlyIf token: FileToken? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> FileAccessHold {
        try await core.holdLater(
            ItemsOfCall(CallItem(reading: url, options, onlyIf: token)), timeout)
    }

    /// Holds an item for writing once no other access reads or writes it, and once its presenters
    /// have relinquished it; they get it back when the hold is released (Rule 8.3).
    ///
    /// **Threads and cost.** As those of ``hold(readingItemAt:options:timeout:onlyIf:isolation:)``,
    /// which has an example.
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how the item will be written.
    ///   - timeout: how long to wait; nil for no limit.
    ///   - token: the state in which the item must be, or there is no hold and the error is
    ///     ``FileCoordinationError/stale``; nil for any (Rule 18.16).
    ///   - isolation: the caller's actor.
    /// - Returns: the hold.
    /// - Throws: `CocoaError.userCancelled`, a presenter's error, ``FileCoordinationError``, or an
    ///   error about the URL: see ``NSFileCoordinator``.
    public func hold(
        writingItemAt url: URL, options: WritingOptions = [], timeout: Duration? = nil,
        onlyIf token: FileToken? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> FileAccessHold {
        try await core.holdLater(
            ItemsOfCall(CallItem(writing: url, options, onlyIf: token)), timeout)
    }

    /// Holds the items of intents, with one claim that is granted for all at once (Rule 2.13).
    ///
    /// **Threads and cost.** As those of ``hold(readingItemAt:options:timeout:onlyIf:isolation:)``.
    /// A claim on several items is never delegated.
    ///
    /// - Parameters:
    ///   - intents: the items, and how each will be accessed.
    ///   - timeout: how long to wait; nil for no limit.
    ///   - tokens: the states in which the items must be, one for each intent, or there is no hold
    ///     and the error is ``FileCoordinationError/stale``; nil, or none at all, for any (Rule
    ///     18.16).
    ///   - isolation: the caller's actor.
    /// - Returns: the hold.
    /// - Throws: `CocoaError.userCancelled`, a presenter's error, ``FileCoordinationError``, or an
    ///   error about the URL: see ``NSFileCoordinator``.
    public func hold(
        with intents: [NSFileAccessIntent], timeout: Duration? = nil,
        onlyIf tokens: [FileToken?] = [],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> FileAccessHold {
        try await core.holdLater(ItemsOfCall([CallItem](intents, onlyIf: tokens)), timeout)
    }
}

extension FileAccessHold {
    /// Joins the hold of another process.
    ///
    /// While that hold lasts, this one is granted at once.
    ///
    /// The two holds do not exclude each other (Rule 2.10), and this one does not wait behind
    /// accesses that wait for the other (Rule 2.17).
    ///
    /// ```swift
    /// guard let joinToken = ProcessInfo.processInfo.environment["FILECOORD_HOLD"] else {
    ///     return
    /// }
    /// let hold = try FileAccessHold(joinToken: joinToken, timeout: .seconds(5))
    /// ```
    ///
    /// If the other hold has been released, this is an access like any other: it may have to wait,
    /// and other programs may have changed the items meanwhile. So the other process must release
    /// its hold only after this process has told it that it has joined.
    ///
    /// **Threads.** Blocks the calling thread while it waits.
    ///
    /// **Cost.** One message to the server, and another one when this hold is released. Presenters
    /// that have relinquished to the other hold are not asked again to relinquish (Rule 3.6).
    ///
    /// - Parameters:
    ///   - joinToken: the other hold's ``joinToken``.
    ///   - timeout: how long to wait; nil for no limit.
    /// - Throws: ``FileCoordinationError`` of the kind `invalidOptions` if the text is not a join
    ///   token; otherwise see ``NSFileCoordinator/hold(readingItemAt:options:timeout:onlyIf:)``.
    public convenience init(joinToken: String, timeout: Duration? = nil) throws {
        guard let joinToken = JoinToken(text: joinToken) else {
            throw FailureReason.invalidOptions("the text is no join token of a hold").error
        }
        let coordinator = Coordinator()
        coordinator.setPurpose(joinToken.purpose)
        coordinator.setLabel(joinToken.label)
        let requests = joinToken.requests
        do throws(AccessFailure) {
            let access = try coordinator.hold(
                requests, in: Session.current, surroundings: joinToken.surroundings,
                timeout: timeout)
            self.init(access, urls: access.items.map { URL($0) })
        } catch {
            throw error.thrown(requests.map { (URL($0.name), $0.access.isWriting) })
        }
    }
}

extension Coordinator {
    /// Waits for access on this thread, and holds it.
    fileprivate func hold(_ items: ItemsOfCall, _ timeout: Duration?) throws -> FileAccessHold {
        try items.checkHoldable()
        do throws(AccessFailure) {
            let access = try hold(items.requests, in: Session.current, timeout: timeout)
            placePresenter()
            return FileAccessHold(access, urls: items.urls(of: access.items))
        } catch {
            throw items.thrown(error)
        }
    }

    /// Waits for access without blocking a thread, and holds it.
    fileprivate func holdLater(
        _ items: ItemsOfCall, _ timeout: Duration?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> FileAccessHold {
        try items.checkHoldable()
        do throws(AccessFailure) {
            let access = try await holdLater(
                items.requests, in: Session.current, timeout: timeout)
            await placePresenterLater()
            return FileAccessHold(access, urls: items.urls(of: access.items))
        } catch {
            throw items.thrown(error)
        }
    }
}

extension ItemsOfCall {
    /// Throws if the access to an item cannot be held (Rule 15.1).
    fileprivate func checkHoldable() throws {
        for request in requests {
            guard case .reading(let options) = request.access, options.contains(.forUploading)
            else { continue }
            throw FailureReason.invalidOptions(
                "what is for uploading cannot be held: its claim ends before it is used"
            ).error
        }
    }
}
#endif
