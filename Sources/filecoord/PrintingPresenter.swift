// SPDX-License-Identifier: Apache-2.0
//
// A presenter that prints what it hears, and answers at once or as it was told. Its queue is never
// held up: delays are timers, shell commands have threads of their own (Rule 6.15).

import FileCoordination
import FileCoordinationSystem
import Foundation

/// One presenter of `filecoord present`.
final class PrintingPresenter: NSObject, NSFilePresenter, Sendable {
    /// The path under which it prints; it stays the same when the item moves.
    let path: NativePath
    let presentedItemOperationQueue = OperationQueue()
    /// The thread of the queue above, which does not keep it alive.
    private let messages = DispatchQueue(label: "filecoord.messages")
    private let timers = DispatchQueue(label: "filecoord.timers")
    private let reactions: [PresenterMessage: PresenterReaction]
    private let printer: PresenterPrinter
    private let shells: ShellRunner
    private let url: Lock<URL>

    init(
        url: URL, reactions: [PresenterMessage: PresenterReaction], printer: PresenterPrinter,
        shells: ShellRunner
    ) {
        path = url.nativePath
        self.url = Lock(url)
        self.reactions = reactions
        self.printer = printer
        self.shells = shells
        super.init()
        presentedItemOperationQueue.underlyingQueue = messages
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
    }

    var presentedItemURL: URL? { url.withLock { $0 } }

    /// Registers; false if that is not possible, which the library has said by then.
    func register() -> Bool {
        // The first line is this one, whoever is waiting already.
        presentedItemOperationQueue.isSuspended = true
        NSFileCoordinator.addFilePresenter(self)
        guard NSFileCoordinator.filePresenters.contains(where: { $0 === self }) else {
            return false
        }
        printer.print(path, "registered")
        presentedItemOperationQueue.isSuspended = false
        return true
    }

    // MARK: Making way

    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        hear(.relinquishToReader) { _ in reader { self.hear(.reacquireFromReader) } }
    }

    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        hear(.relinquishToWriter) { _ in
            writer { self.hear(.reacquireFromWriter, self.change(of: self.url.withLock { $0 })) }
        }
    }

    func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        hear(.save, answer: completionHandler)
    }

    func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        hear(.accommodateDeletion, answer: completionHandler)
    }

    func accommodatePresentedItemEviction(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        hear(.accommodateEviction, answer: completionHandler)
    }

    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        hear(.accommodateSubitemDeletion, about: url, answer: completionHandler)
    }

    // MARK: Hearing what happened

    func presentedItemDidMove(to newURL: URL) {
        url.withLock { $0 = newURL }
        hear(.didMove, about: newURL)
    }

    func presentedItemDidChange() {
        hear(.didChange, change(of: url.withLock { $0 }))
    }

    /// Whether something is there: a change may be that the item is gone.
    private func change(of url: URL) -> News {
        let exists = (try? url.nativePath.status()) != nil
        return News(
            fields: [("exists", .truth(exists))], variables: ["FILECOORD_EXISTS": "\(exists)"])
    }

    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        let names = attributes.map(\.rawValue).sorted()
        hear(
            .didChangeUbiquityAttributes,
            News(
                fields: [("attributes", .list(names.map { .text($0) }))],
                variables: ["FILECOORD_ATTRIBUTES": names.joined(separator: " ")]))
    }

    func presentedItemDidGain(_ version: NSFileVersion) { hear(.didGain, News(version)) }

    func presentedItemDidLose(_ version: NSFileVersion) { hear(.didLose, News(version)) }

    func presentedItemDidResolveConflict(_ version: NSFileVersion) {
        hear(.didResolveConflict, News(version))
    }

    func presentedSubitemDidAppear(at url: URL) { hear(.subitemDidAppear, about: url) }

    func presentedSubitemDidChange(at url: URL) {
        var news = change(of: url)
        news.fields.insert(("url", .path(url.nativePath.bytes)), at: 0)
        news.subject = url
        hear(.subitemDidChange, news)
    }

    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
        hear(
            .subitemDidMove,
            News(
                fields: [
                    ("oldURL", .path(oldURL.nativePath.bytes)),
                    ("newURL", .path(newURL.nativePath.bytes)),
                ], subject: newURL,
                variables: [
                    "FILECOORD_OLD_PATH": oldURL.nativePath.argument,
                    "FILECOORD_OLD_URL": oldURL.absoluteString,
                ]))
    }

    func presentedSubitem(at url: URL, didGain version: NSFileVersion) {
        hear(.subitemDidGain, News(version, at: url))
    }

    func presentedSubitem(at url: URL, didLose version: NSFileVersion) {
        hear(.subitemDidLose, News(version, at: url))
    }

    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {
        hear(.subitemDidResolve, News(version, at: url))
    }

    // MARK: Reacting

    private typealias News = PresenterNews

    private func hear(
        _ message: PresenterMessage, about url: URL,
        answer: @escaping @Sendable ((any Error)?) -> Void = { _ in }
    ) {
        hear(
            message, News(fields: [("url", .path(url.nativePath.bytes))], subject: url),
            answer: answer)
    }

    /// Prints the message, and sees to it that it is answered.
    private func hear(
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

    /// What a shell command gets to know.
    private func environment(
        _ message: PresenterMessage, _ news: News
    ) -> [String: String] {
        let subject = news.subject ?? url.withLock { $0 }
        let environment = [
            "FILECOORD_MESSAGE": message.rawValue,
            "FILECOORD_URL": subject.absoluteString,
            "FILECOORD_PATH": subject.nativePath.argument,
            "FILECOORD_PURPOSE": PresenterReference(self).purposeText,
        ]
        return environment.merging(news.variables) { $1 }
    }

    private func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) {
        guard delay > .zero else { return body() }
        let (seconds, attoseconds) = delay.components
        let nanoseconds = Int(attoseconds / 1_000_000_000)
        timers.asyncAfter(
            deadline: .now() + .seconds(Int(seconds)) + .nanoseconds(nanoseconds), execute: body)
    }

    /// Runs one command after the other, until one fails.
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
