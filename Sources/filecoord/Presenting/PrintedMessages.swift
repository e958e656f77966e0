// SPDX-License-Identifier: Apache-2.0
//
// Prints the messages that a presenter of `present` gets, and answers as the options say. It never
// blocks the presenter's queue (Rule 6.15): delays and shell commands have threads of their own.

import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire

/// The messages of one presenter of `filecoord present`.
final class PrintedMessages: PresenterMessageReceiver {
    /// The path that is printed.
    private let path: NativePath
    private let reactions: [PresenterMessage: PresenterReaction]
    private let printer: PresenterPrinter
    private let shells: ShellRunner

    init(
        of path: NativePath, reactions: [PresenterMessage: PresenterReaction],
        printer: PresenterPrinter, shells: ShellRunner
    ) {
        self.path = path
        self.reactions = reactions
        self.printer = printer
        self.shells = shells
    }

    func receive(
        _ message: PresenterMessage, _ news: PresenterNews, of presenter: CommandPresenter,
        answer: @escaping @Sendable ((any Error)?) -> Void
    ) {
        printer.print(path, message.rawValue, news.fields)
        guard let reaction = reactions[message] else { return answer(nil) }
        let environment = environment(message, news, of: presenter)
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

    func guardChanged(_ status: LeaseGuardStatus) {
        switch status {
        case .starting: break
        case .on: printer.print(path, "guard on")
        case .off(let refusal):
            printer.print(path, "guard off", [("reason", .text("\(refusal)"))])
        }
    }

    /// The environment variables for a shell command.
    private func environment(
        _ message: PresenterMessage, _ news: PresenterNews, of presenter: CommandPresenter
    ) -> [String: String] {
        let subject = news.subject ?? presenter.presentPath
        let environment = [
            "FILECOORD_MESSAGE": message.rawValue,
            "FILECOORD_URL": FileURLText.text(subject),
            "FILECOORD_PATH": subject.argument,
            "FILECOORD_PURPOSE": ProcessIdentity.purpose(ofPresenter: presenter.identity),
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
