// SPDX-License-Identifier: Apache-2.0
//
// How a presenter reacts to a message, as the options of `present` say.

import ArgumentParser

/// The reaction to one message: first the delay, then the shell commands, then the answer.
struct PresenterReaction: Hashable, Sendable {
    /// The answer of the presenter.
    enum Answer: Hashable, Sendable {
        case consent
        case refusal
        case none
    }

    /// The delay before everything else.
    var delay = Duration.zero
    /// Shell commands, which run one after the other until one fails.
    var shells: [String] = []
    /// The answer if no shell command fails.
    var answer = Answer.consent

    /// Parses the values of the options.
    static func parse(
        on: [FoldedArguments], delay: [FoldedArguments], fail: [String], neverAnswer: [String]
    ) throws -> [PresenterMessage: PresenterReaction] {
        var reactions: [PresenterMessage: PresenterReaction] = [:]
        for pair in on {
            let (name, shell) = try pair.pair(of: "--on")
            let message = try message(name, of: "--on", [.consent, .answer, .nothing])
            reactions[message, default: Self()].shells.append(shell)
        }
        for pair in delay {
            let (name, text) = try pair.pair(of: "--delay")
            let message = try message(name, of: "--delay", [.consent, .answer])
            guard let seconds = Double(text), seconds >= 0, seconds < 1e9 else {
                throw ValidationError("--delay takes MESSAGE SECONDS; \"\(text)\" are none.")
            }
            reactions[message, default: Self()].delay = .seconds(seconds)
        }
        for name in fail {
            let message = try message(name, of: "--fail", [.consent])
            reactions[message, default: Self()].answer = .refusal
        }
        for name in neverAnswer {
            let message = try message(name, of: "--never-answer", [.consent, .answer])
            guard reactions[message]?.answer != .refusal else {
                throw ValidationError("--fail and --never-answer of \(name) exclude each other.")
            }
            reactions[message, default: Self()].answer = .none
        }
        return reactions
    }

    private static func message(
        _ name: String, of option: String, _ expectations: Set<PresenterMessage.Expectation>
    ) throws -> PresenterMessage {
        let message = PresenterMessage(rawValue: name)
        if let message, expectations.contains(message.expectation) { return message }
        let reason =
            switch message?.expectation {
            case nil: "There is no message \"\(name)\"."
            case .nothing: "No program waits for an answer to \(name)."
            case .answer, .consent: "\(name) cannot be refused."
            }
        throw ValidationError(
            "\(reason) \(option) takes one of\n\(PresenterMessage.names(expectations))")
    }
}
