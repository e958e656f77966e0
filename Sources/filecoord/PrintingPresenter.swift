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
    let path: String
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
        path = url.systemPath
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
        hear(.relinquishToWriter) { _ in writer { self.hear(.reacquireFromWriter) } }
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

    func presentedItemDidChange() { hear(.didChange) }

    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        let names = attributes.map(\.rawValue).sorted()
        hear(
            .didChangeUbiquityAttributes,
            fields: [("attributes", .list(names.map { .text($0) }))])
    }

    func presentedSubitemDidAppear(at url: URL) { hear(.subitemDidAppear, about: url) }

    func presentedSubitemDidChange(at url: URL) { hear(.subitemDidChange, about: url) }

    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
        hear(
            .subitemDidMove,
            fields: [
                ("oldURL", .text(oldURL.systemPath)), ("newURL", .text(newURL.systemPath)),
            ], subject: newURL)
    }

    // MARK: Reacting

    private func hear(
        _ message: PresenterMessage, about url: URL,
        answer: @escaping @Sendable ((any Error)?) -> Void = { _ in }
    ) {
        hear(message, fields: [("url", .text(url.systemPath))], subject: url, answer: answer)
    }

    /// Prints the message, and sees to it that it is answered.
    ///
    /// - Parameter subject: the item that the message is about, if not the presented one.
    private func hear(
        _ message: PresenterMessage, fields: PresenterPrinter.Fields = [], subject: URL? = nil,
        answer: @escaping @Sendable ((any Error)?) -> Void = { _ in }
    ) {
        printer.print(path, message.rawValue, fields)
        guard let reaction = reactions[message] else { return answer(nil) }
        let subject = subject ?? url.withLock { $0 }
        after(reaction.delay) { [self] in
            runShells(reaction.shells[...], message, subject) { failure in
                switch reaction.answer {
                case .consent: answer(failure)
                case .refusal: answer(failure ?? PresenterRefusal.asTold(message))
                case .none: break
                }
            }
        }
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
        _ commands: ArraySlice<String>, _ message: PresenterMessage, _ subject: URL,
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        guard let command = commands.first else { return completion(nil) }
        let environment = [
            "FILECOORD_MESSAGE": message.rawValue,
            "FILECOORD_URL": subject.absoluteString,
            "FILECOORD_PATH": subject.systemPath,
            "FILECOORD_PURPOSE": PresenterReference(self).purposeText,
        ]
        shells.run(command, environment: environment) { [self] status in
            guard status != 0 else {
                return runShells(commands.dropFirst(), message, subject, completion)
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

/// Why a presenter refused, as the party that was refused gets to see it.
enum PresenterRefusal {
    private static let domain = "filecoord.present"

    /// It was told to.
    static func asTold(_ message: PresenterMessage) -> NSError {
        error(1, "filecoord present was told to refuse \(message.rawValue) (--fail)")
    }

    /// A command failed.
    static func failedCommand(
        _ command: String, status: Int32, _ message: PresenterMessage
    ) -> NSError {
        error(
            Int(status),
            "\"\(command)\", run by filecoord present for \(message.rawValue), ended with status "
                + "\(status)")
    }

    private static func error(_ code: Int, _ description: String) -> NSError {
        NSError(
            domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: description])
    }
}
