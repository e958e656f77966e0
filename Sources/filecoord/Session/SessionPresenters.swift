// SPDX-License-Identifier: Apache-2.0
//
// The presenters of a session. Messages go to the client as they come; those that the client wants
// to answer have a number, by which its answer names them. A client that does not read keeps its
// presenters' threads waiting, so that what they have not heard is merged as for each slow
// presenter (Rule 7.14).

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire

/// The presenters of a session.
final class SessionPresenters: Sendable {
    private typealias Answer = @Sendable ((any Error)?) -> Void

    private struct Question: Sendable {
        let presenter: String
        let message: PresenterMessage
        let answer: Answer
    }

    private struct State {
        var presenters: [String: CommandPresenter] = [:]
        var questions: [Int: Question] = [:]
        /// How many presenters there were.
        var presenterCount = 0
        /// How many questions there were.
        var questionCount = 0
    }

    private let state = Lock(State())
    private let replies: SessionReplies

    init(_ replies: SessionReplies) { self.replies = replies }

    /// Registers a presenter.
    func add(
        _ path: NativePath, label: String, answering answers: Set<PresenterMessage>,
        for id: SessionRequestID
    ) -> Conversation.Work {
        let name = state.withLock { state in
            state.presenterCount += 1
            return "p\(state.presenterCount)"
        }
        // The server must have it before the answer.
        return { [self] in
            let presenter: CommandPresenter
            do throws(Failure) {
                presenter = try CommandPresenter(
                    path, methods: PresenterMethods(answering: answers),
                    receiver: Receiver(name: name, answers: answers, presenters: self))
            } catch {
                let text = error.lines.joined(separator: " ")
                return replies.fail(id, SessionError(.limitExceeded, text))
            }
            do throws(AccessFailure) {
                try presenter.register(label: label) {
                    state.withLock { $0.presenters[name] = presenter }
                    let purpose = ProcessIdentity.purpose(ofPresenter: presenter.identity)
                    replies.finish(
                        id,
                        [
                            ("presenter", .text(name)), ("state", .text("registered")),
                            ("purpose", .text(purpose)),
                        ])
                }
            } catch {
                replies.fail(id, SessionError(error, of: [path]))
            }
        }
    }

    /// Unregisters a presenter.
    func remove(
        _ name: String, for id: SessionRequestID
    ) throws(SessionError) -> Conversation.Work {
        let (presenter, questions) = state.withLock { state in
            let presenter = state.presenters.removeValue(forKey: name)
            let questions = state.questions.filter { $0.value.presenter == name }
            for number in questions.keys { state.questions[number] = nil }
            return (presenter, questions)
        }
        guard let presenter else {
            throw .badRequest("there is no presenter \"\(UserText.line(name))\"")
        }
        return { [replies] in
            presenter.unregister()
            for question in questions.values { question.answer(nil) }
            replies.finish(id, [("state", .text("done"))])
        }
    }

    /// Answers a question; an error refuses.
    func answer(_ number: Int, refusal: String?) throws(SessionError) {
        guard let question = state.withLock({ $0.questions.removeValue(forKey: number) }) else {
            throw .badRequest("there is no question \(number), or it was answered")
        }
        guard let refusal else { return question.answer(nil) }
        guard question.message.expectation == .consent else {
            question.answer(nil)
            throw .badRequest("\(question.message.rawValue) cannot be refused: it counts as done")
        }
        question.answer(
            PresenterRefusal(domain: "filecoord.session", code: 1, description: refusal))
    }

    /// Unregisters all presenters, because the session ends.
    func removeAll() {
        let presenters = state.withLock { state in
            defer { state = State() }
            return state.presenters
        }
        for presenter in presenters.values { presenter.unregister() }
    }

    /// Hands the messages of one presenter to the client.
    private struct Receiver: PresenterMessageReceiver {
        let name: String
        let answers: Set<PresenterMessage>
        let presenters: SessionPresenters

        func receive(
            _ message: PresenterMessage, _ news: PresenterNews, of presenter: CommandPresenter,
            answer: @escaping @Sendable ((any Error)?) -> Void
        ) {
            presenters.tell(self, message, news, answer)
        }

        func guardChanged(_ status: LeaseGuardStatus) {}
    }

    private func tell(
        _ receiver: Receiver, _ message: PresenterMessage, _ news: PresenterNews,
        _ answer: @escaping Answer
    ) {
        let head: SessionReplies.Fields = [
            ("presenter", .text(receiver.name)), ("message", .text(message.rawValue)),
        ]
        let isQuestion = receiver.answers.contains(message)
        // A question is late rather than lost.
        replies.output.waitForRoom()
        guard isQuestion else {
            replies.output.write(head + news.fields)
            return answer(nil)
        }
        let question = Question(presenter: receiver.name, message: message, answer: answer)
        let number = state.withLock { state in
            state.questionCount += 1
            state.questions[state.questionCount] = question
            return state.questionCount
        }
        replies.output.write(head + news.fields + [("question", .integer(number))])
    }
}

extension PresenterMethods {
    /// The methods of a presenter that answers these messages and hears of everything.
    fileprivate init(answering answers: Set<PresenterMessage>) {
        let questions: [PresenterMessage: PresenterMethods] = [
            .relinquishToReader: .relinquishToReader, .relinquishToWriter: .relinquishToWriter,
            .save: .save, .accommodateDeletion: .accommodateDeletion,
            .accommodateSubitemDeletion: .accommodateSubitemDeletion,
            .accommodateEviction: .accommodateEviction,
        ]
        self = .all
        for (message, method) in questions where !answers.contains(message) { remove(method) }
    }
}
