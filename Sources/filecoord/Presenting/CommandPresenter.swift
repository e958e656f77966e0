// SPDX-License-Identifier: Apache-2.0
//
// A presenter of filecoord: it hands each message it gets, with what the message is about, to a
// receiver, such as the one that prints messages for `present`.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationVersions
import FileCoordinationWire

/// What is done with the messages of a presenter.
protocol PresenterMessageReceiver: Sendable {
    /// Takes a message, on the presenter's thread, and calls `answer` when it is answered, on any
    /// thread; an error refuses.
    func receive(
        _ message: PresenterMessage, _ news: PresenterNews, of presenter: CommandPresenter,
        answer: @escaping @Sendable ((any Error)?) -> Void)

    /// Takes whether plain programs wait at the presenter's file.
    func guardChanged(_ status: LeaseGuardStatus)
}

/// One presenter of filecoord.
final class CommandPresenter: Presenter {
    /// The path under which it was registered.
    ///
    /// It stays the same when the item is moved.
    let path: NativePath
    private let messages: PresenterThread
    private let receiver: any PresenterMessageReceiver
    /// The present path of the item.
    private let place: Lock<NativePath>

    /// Creates a presenter that is not registered yet.
    ///
    /// - Parameters:
    ///   - path: the path of the item, which need not exist.
    ///   - methods: the methods that it implements; the messages of others do not come.
    ///   - receiver: takes its messages.
    /// - Throws: if no thread can be started.
    init(
        _ path: NativePath, methods: PresenterMethods = .all,
        receiver: any PresenterMessageReceiver
    ) throws(Failure) {
        self.path = path
        place = Lock(path)
        messages = try PresenterThread.suspended()
        self.methods = methods
        self.receiver = receiver
    }

    var identity: ObjectIdentifier { ObjectIdentifier(self) }

    let methods: PresenterMethods

    var queue: any PresenterQueue { messages }

    var presentedItem: ItemName? { ItemName(path: place.withLock { $0.bytes }) }

    let observedAttributes = UbiquityAttributes.all

    let wantsAuthors = true

    /// Registers the presenter, with or without a guard.
    ///
    /// Calls `announce` before the first message is received, even if messages are waiting already.
    func register(
        label: String = "", isGuarded: Bool = false, _ announce: () -> Void
    ) throws(AccessFailure) {
        do throws(AccessFailure) {
            let session = try Session.current()
            try session.add(self, label: label, isGuarded: isGuarded)
            session.sweepUploads()
        } catch {
            messages.end {}
            messages.resume()
            throw error
        }
        announce()
        messages.resume()
    }

    /// Unregisters the presenter.
    func unregister() {
        Session.removePresenter(identity)
        messages.end {}
    }

    // MARK: Making way

    func relinquish(
        _ kind: Relinquishment, _ block: @escaping @Sendable (Reacquirer?) -> Void
    ) {
        switch kind {
        case .reader:
            receive(.relinquishToReader) { _ in block { self.receive(.reacquireFromReader) } }
        case .writer:
            receive(.relinquishToWriter) { _ in
                block { self.receive(.reacquireFromWriter, self.change(of: self.presentPath)) }
            }
        }
    }

    func perform(
        _ request: PresenterRequest, in scope: PresenterCallScope,
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        scope.within {
            switch request {
            case .save: receive(.save, answer: completion)
            case .accommodateDeletion: receive(.accommodateDeletion, answer: completion)
            case .accommodateSubitemDeletion(let inner):
                receive(
                    .accommodateSubitemDeletion, News(about: NativePath(inner.bytes)),
                    answer: completion)
            case .accommodateEviction: receive(.accommodateEviction, answer: completion)
            // It provides nothing.
            case .provideContents: completion(nil)
            }
        }
    }

    // MARK: Hearing what happened

    func receive(_ notice: PresenterNotice) -> Bool {
        let origin = News(originOf: notice)
        switch notice.withoutOrigin {
        case .plain, .by: return false
        case .itemDidChange: receive(.didChange, change(of: presentPath) + origin)
        case .itemDidMove(let new):
            let new = NativePath(new.bytes)
            place.withLock { $0 = new }
            receive(.didMove, News(about: new) + origin)
        case .itemDidChangeUbiquityAttributes(let names): receive(attributes: names.sorted())
        case .subitemDidAppear(let inner):
            receive(.subitemDidAppear, News(about: NativePath(inner.bytes)) + origin)
        case .subitemDidChange(let inner):
            let inner = NativePath(inner.bytes)
            var news = change(of: inner)
            news.fields.insert(("url", .path(inner.bytes)), at: 0)
            news.subject = inner
            receive(.subitemDidChange, news + origin)
        case .subitemDidMove(let old, let new):
            receive(moveFrom: NativePath(old.bytes), to: NativePath(new.bytes), origin)
        case .itemVersion(let news, _):
            guard VersionID(String(decoding: news.identifier, as: UTF8.self)) != nil else {
                return false
            }
            receive(Self.message(news.fate), News(news))
        case .subitemVersion(let news, let inner):
            guard VersionID(String(decoding: news.identifier, as: UTF8.self)) != nil else {
                return false
            }
            receive(Self.subitemMessage(news.fate), News(news, at: NativePath(inner.bytes)))
        }
        return true
    }

    func leaseGuardChanged(_ status: LeaseGuardStatus) { receiver.guardChanged(status) }

    /// The present path of the item.
    var presentPath: NativePath { place.withLock { $0 } }

    /// The message about a change, which says whether the item still exists.
    private func change(of path: NativePath) -> News {
        // This is the question.
        let exists = (try? path.status()) != nil
        return News(
            fields: [("exists", .truth(exists))], variables: ["FILECOORD_EXISTS": "\(exists)"])
    }

    private func receive(attributes names: [String]) {
        receive(
            .didChangeUbiquityAttributes,
            News(
                fields: [("attributes", .list(names.map { .text($0) }))],
                variables: ["FILECOORD_ATTRIBUTES": names.joined(separator: " ")]))
    }

    private func receive(moveFrom old: NativePath, to new: NativePath, _ origin: News) {
        receive(
            .subitemDidMove,
            News(
                fields: [("oldURL", .path(old.bytes)), ("newURL", .path(new.bytes))], subject: new,
                variables: [
                    "FILECOORD_OLD_PATH": old.argument, "FILECOORD_OLD_URL": FileURLText.text(old),
                ]) + origin)
    }

    private static func message(_ fate: VersionFate) -> PresenterMessage {
        switch fate {
        case .gained: .didGain
        case .lost: .didLose
        case .resolved: .didResolveConflict
        }
    }

    private static func subitemMessage(_ fate: VersionFate) -> PresenterMessage {
        switch fate {
        case .gained: .subitemDidGain
        case .lost: .subitemDidLose
        case .resolved: .subitemDidResolve
        }
    }

    private typealias News = PresenterNews

    private func receive(
        _ message: PresenterMessage, _ news: News = News(),
        answer: @escaping @Sendable ((any Error)?) -> Void = { _ in }
    ) {
        receiver.receive(message, news, of: self, answer: answer)
    }
}

extension PresenterThread {
    /// A queue that is suspended until what belongs before the first message is printed.
    static func suspended() throws(Failure) -> PresenterThread {
        do throws(SystemError) {
            return try PresenterThread(isSuspended: true)
        } catch {
            throw Failure(.unavailable, "cannot start a thread: \(error)")
        }
    }
}
