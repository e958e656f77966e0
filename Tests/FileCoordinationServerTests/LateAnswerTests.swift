// SPDX-License-Identifier: Apache-2.0
//
// Answers to questions that the server has withdrawn or renumbered, and of clients that have
// connected anew: they count for no claim, but the presenter is asked again (Rule 18.3).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Testing

@testable import FileCoordinationServer

@Suite(.timeLimit(.minutes(15))) struct LateAnswerTests {
    private let world: TicketQueueWorld
    private let editor: TicketQueueClient
    private let reader: TicketQueueClient
    /// The editor's presenter, which was passed over.
    private let presenter: Claimed
    /// Another presenter, which was asked and does not answer.
    private let other: Claimed
    /// The claim that asked both.
    private let claim: Claimed

    init() throws {
        world = try TicketQueueWorld()
        editor = try world.client()
        reader = try world.client()
        presenter = try editor.present("/f", .all)
        other = try world.client().present("/f", .all)
        try world.settle()
        claim = try reader.file("/f", .reading([]))
        try world.settle()
        world.server.decide(.presenterDismissed(number))
        #expect(isUnresponsive)
        #expect(!claim.isGranted)
    }

    private var number: PresenterID {
        PresenterID(rawValue: editor.ledger.serial(of: presenter.record))
    }

    private var isUnresponsive: Bool {
        world.server.arbiter.status(of: number)?.isUnresponsive == true
    }

    private var isAsked: Bool { world.server.arbiter.isAsked(number) }

    private func answer(_ question: UInt64, failure: [UInt8]? = nil) -> ClientMessage {
        .answered(
            presenter: presenter.record, claim: question, failure: failure)
    }

    private func expectAskedAgain() throws {
        #expect(!isUnresponsive)
        let next = try world.client().file("/f", .reading([]))
        try world.settle()
        #expect(isAsked)
        #expect(!next.isGranted)
    }

    @Test func `Rule 18.3: an answer without a question counts after the claim was cancelled`()
        throws
    {
        reader.ledger.cancel(claim.record)
        try reader.say(.ended(claim.record))
        try world.settle()
        #expect(isUnresponsive)
        try editor.say(answer(PresenterAnswer.noQuestion))
        try world.settle()
        try expectAskedAgain()
    }

    @Test func `Rule 18.3: so does one by the number of a question that got another`() throws {
        let question = reader.ledger.serial(of: claim.record)
        let client = try #require(
            world.server.clients.client(ofLedger: reader.ledger.fileName)?.id)
        world.server.decide(.clientStopped(client))
        world.server.decide(.clientContinued(client))
        #expect(isUnresponsive)
        // It is no refusal of the claim, which asks by another number.
        try editor.say(answer(question, failure: [0x7B, 0x7D]))
        try world.settle()
        #expect(claim.state == .filed)
        #expect(world.server.view.awaitsPresenters(claim: question))
        try expectAskedAgain()
    }

    @Test func `Rule 18.3: and one without a question on a new connection`() throws {
        let socket = try SequencedSocket.connect(
            in: world.runtime.directory, name: RuntimeDirectory.Name.socket)
        let hello = Hello(ledgerName: Array(editor.ledger.fileName.utf8))
        _ = try socket.send(ClientMessage.hello(hello).encode())
        try world.settle()
        #expect(isUnresponsive)
        _ = try socket.send(
            ClientMessage.madeWay([
                PresenterAnswer(
                    presenter: presenter.record, claim: PresenterAnswer.noQuestion)
            ]).encode())
        try world.settle()
        try expectAskedAgain()
    }

    @Test func `Rule 5.7: an answer of a presenter that was removed is ignored`() throws {
        if !editor.ledger.cancel(presenter.record) {
            _ = try editor.ledger.release(presenter.record)
        }
        try editor.say(.ended(presenter.record))
        try editor.say(answer(PresenterAnswer.noQuestion))
        try world.settle()
        #expect(world.server.records.presenterCount == 1)
    }
}
