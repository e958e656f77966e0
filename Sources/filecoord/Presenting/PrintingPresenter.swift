// SPDX-License-Identifier: Apache-2.0
//
// A presenter that prints the messages it gets, and answers as the options say. It never blocks its
// queue (Rule 6.15): delays and shell commands have threads of their own.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationVersions
import FileCoordinationWire

/// One presenter of `filecoord present`.
final class PrintingPresenter: Presenter {
    /// The path that is printed.
    ///
    /// It stays the same when the item is moved.
    let path: NativePath
    private let messages: PresenterThread
    private let reactions: [PresenterMessage: PresenterReaction]
    private let printer: PresenterPrinter
    private let shells: ShellRunner
    /// The present path of the item.
    private let place: Lock<NativePath>

    init(
        _ path: NativePath, reactions: [PresenterMessage: PresenterReaction],
        printer: PresenterPrinter, shells: ShellRunner
    ) throws(Failure) {
        self.path = path
        place = Lock(path)
        messages = try PresenterThread.suspended()
        self.reactions = reactions
        self.printer = printer
        self.shells = shells
    }

    var identity: ObjectIdentifier { ObjectIdentifier(self) }

    /// All methods, so that every message is printed.
    let methods = PresenterMethods.all

    var queue: any PresenterQueue { messages }

    var presentedItem: ItemName? { ItemName(path: place.withLock { $0.bytes }) }

    let observedAttributes = UbiquityAttributes.all

    let wantsAuthors = true

    /// Registers the presenter, with or without a guard.
    func register(isGuarded: Bool) throws(Failure) {
        do throws(AccessFailure) {
            let session = try Session.current()
            try session.add(self, label: "", isGuarded: isGuarded)
            session.sweepUploads()
        } catch {
            let failure = Failure(error, of: [path])
            let reason = failure.lines.first ?? ""
            throw Failure(
                .unavailable, "a file presenter was not registered: \(reason)",
                "\(path) cannot be presented; the reason is above")
        }
        // This line comes first, even if messages are waiting already.
        printer.print(path, "registered")
        messages.resume()
    }

    /// Unregisters the presenter.
    func unregister() { Session.removePresenter(identity) }

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

    func leaseGuardChanged(_ status: LeaseGuardStatus) {
        switch status {
        case .starting: break
        case .on: printer.print(path, "guard on")
        case .off(let refusal):
            printer.print(path, "guard off", [("reason", .text("\(refusal)"))])
        }
    }

    private var presentPath: NativePath { place.withLock { $0 } }

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

    // MARK: Reacting

    private typealias News = PresenterNews

    /// Prints the message, reacts to it, and answers it.
    private func receive(
        _ message: PresenterMessage, _ news: News = News(),
        answer: @escaping @Sendable ((any Error)?) -> Void = { _ in }
    ) {
        printer.print(path, message.rawValue, news.fields)
        guard let reaction = reactions[message] else { return answer(nil) }
        let environment = environment(message, news)
        after(reaction.delay) { [self] in
            runShells(reaction.shells[...], message, environment) { failure in
                switch reaction.answer {
                case .consent: answer(failure)
                case .refusal: answer(failure ?? PresenterRefusal.asTold(message))
                case .none: break
                }
            }
        }
    }

    /// The environment variables for a shell command.
    private func environment(
        _ message: PresenterMessage, _ news: News
    ) -> [String: String] {
        let subject = news.subject ?? presentPath
        let environment = [
            "FILECOORD_MESSAGE": message.rawValue,
            "FILECOORD_URL": FileURLText.text(subject),
            "FILECOORD_PATH": subject.argument,
            "FILECOORD_PURPOSE": ProcessIdentity.purpose(ofPresenter: identity),
        ]
        return environment.merging(news.variables) { $1 }
    }

    private func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) {
        guard delay > .zero else { return body() }
        let deadline = MonotonicClock.after(delay)
        do {
            try DetachedThread.start(name: "delay") {
                // The condition is never true, so this always waits until the deadline.
                _ = Monitor(()).wait(until: deadline) { _ in false }
                body()
            }
        } catch {
            Console.say("cannot wait before answering: \(error)")
            body()
        }
    }

    /// Runs the commands one after the other until one fails.
    private func runShells(
        _ commands: ArraySlice<String>, _ message: PresenterMessage,
        _ environment: [String: String],
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        guard let command = commands.first else { return completion(nil) }
        shells.run(command, environment: environment) { [self] status in
            guard status != 0 else {
                return runShells(commands.dropFirst(), message, environment, completion)
            }
            switch message.expectation {
            case .consent:
                completion(PresenterRefusal.failedCommand(command, status: status, message))
            case .answer, .nothing:
                Console.say(
                    "\"\(command)\" ended with status \(status), but \(message.rawValue) cannot "
                        + "be refused")
                completion(nil)
            }
        }
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
