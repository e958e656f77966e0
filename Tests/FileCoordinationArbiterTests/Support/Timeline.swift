// SPDX-License-Identifier: Apache-2.0
//
// Scenarios as pictures: a row per claim or presenter, a column per instant.
//
//     claims                             presenters
//     .   waits                          ?   is being asked
//     =   may run                        r   is relinquished to readers
//     x   is cancelled now               w   is relinquished to writers
//     †   its process dies now           b   is relinquished to both
//                                        !   answers with an error now
//                                        †   is removed now
//
// The picture is script and expectation at once: a claim is filed at its first mark and ends after
// its last `=`; a presenter answers when its `?` are over. What then happens is drawn again by the
// arbiter, and the two pictures must be equal. In one instant, ends and answers come before
// filings, and within either the rows are taken from the top.

import FileCoordinationArbiter
import Testing

/// One row of a timeline.
struct Row {
    enum Subject {
        case claim([AccessItem], purpose: String?, inside: String?, outcome: ItemOutcome)
        case presenter(String, PresenterMethods, purpose: String?)
    }

    let name: String
    let subject: Subject
    let picture: String

    /// A claim; `inside` is the first word of the row of the claim in whose accessor the call is
    /// made.
    static func claim(
        _ name: String, _ items: [AccessItem], purpose: String? = nil, inside: String? = nil,
        outcome: ItemOutcome = .changed, _ picture: String
    ) -> Row {
        Row(
            name: name,
            subject: .claim(items, purpose: purpose, inside: inside, outcome: outcome),
            picture: picture)
    }

    /// A presenter, there from the beginning.
    static func presenter(
        _ name: String, at place: String, methods: PresenterMethods = .all,
        purpose: String? = nil, _ picture: String
    ) -> Row {
        Row(name: name, subject: .presenter(place, methods, purpose: purpose), picture: picture)
    }
}

/// Plays the rows and checks that the arbiter draws the same picture.
func expectTimeline(_ rows: Row..., sourceLocation: SourceLocation = #_sourceLocation) {
    var player = Player(rows: rows, sourceLocation: sourceLocation)
    let drawn = player.play()
    for (row, picture) in zip(rows, drawn) {
        let expected = row.picture.padding(to: picture.count)
        #expect(
            "\(row.name): \(picture)" == "\(row.name): \(expected)", sourceLocation: sourceLocation)
    }
}

private struct Player {
    let rows: [Row]
    let sourceLocation: SourceLocation
    private var fixture = ArbiterFixture()
    private var claims: [Int: ClaimID] = [:]
    private var clients: [Int: ClientID] = [:]
    private var presenters: [Int: PresenterID] = [:]
    private let script: [[Character]]
    private let length: Int

    init(rows: [Row], sourceLocation: SourceLocation) {
        self.rows = rows
        self.sourceLocation = sourceLocation
        length = rows.map(\.picture.count).max() ?? 0
        let length = length
        script = rows.map { Array($0.picture.padding(to: length)) }
    }

    mutating func play() -> [String] {
        for (index, row) in rows.enumerated() {
            guard case .presenter(let place, let methods, let purpose) = row.subject else {
                continue
            }
            presenters[index] = fixture.present(
                place, methods, purpose: purpose, sourceLocation: sourceLocation)
        }
        var drawn = [String](repeating: "", count: rows.count)
        for instant in 0..<length {
            for index in rows.indices { finish(index, at: instant) }
            for index in rows.indices { begin(index, at: instant) }
            for index in rows.indices { drawn[index].append(mark(index, at: instant)) }
        }
        return drawn
    }

    private func mark(before instant: Int, in index: Int) -> Character {
        instant == 0 ? " " : script[index][instant - 1]
    }

    /// Ends, cancels, deaths and answers.
    private mutating func finish(_ index: Int, at instant: Int) {
        let now = script[index][instant]
        let before = mark(before: instant, in: index)
        switch rows[index].subject {
        case .claim(let items, _, _, let outcome):
            guard let claim = claims[index] else { return }
            if now == "x" {
                fixture.cancel(claim, sourceLocation: sourceLocation)
            } else if now == "†", let client = clients[index] {
                fixture.handle(.clientDied(client), sourceLocation: sourceLocation)
            } else if before == "=", now != "=" {
                fixture.handle(
                    .claimEnded(claim, outcomes: items.map { _ in outcome }),
                    sourceLocation: sourceLocation)
            }
        case .presenter:
            guard let presenter = presenters[index] else { return }
            if now == "†" {
                fixture.handle(.presenterRemoved(presenter), sourceLocation: sourceLocation)
            } else if before == "?", now != "?" {
                for question in fixture.witness.open where question.presenter == presenter {
                    fixture.answer(
                        presenter, question.claim, failure: now == "!" ? .disk : nil,
                        sourceLocation: sourceLocation)
                }
            }
        }
    }

    private mutating func begin(_ index: Int, at instant: Int) {
        guard case .claim(let items, let purpose, let inside, _) = rows[index].subject,
            claims[index] == nil, script[index][instant] != " "
        else { return }
        let outer = rows.firstIndex { $0.name.prefix { $0 != " " } == inside ?? " " }
        let client = outer.flatMap { clients[$0] } ?? fixture.client()
        let purposeOfOuter = outer.flatMap { claims[$0] }.flatMap { id in
            fixture.witness.rules.claim(id)?.filed.purpose.description
        }
        clients[index] = client
        claims[index] = fixture.file(
            items, purpose: purpose ?? purposeOfOuter, client: client,
            inside: outer.flatMap { claims[$0] }.map { [$0] } ?? [], blocksCaller: outer != nil,
            sourceLocation: sourceLocation)
    }

    private func mark(_ index: Int, at instant: Int) -> Character {
        let now = script[index][instant]
        switch rows[index].subject {
        case .claim:
            switch claims[index].flatMap({ fixture.stage($0) }) {
            case .waiting, .asking: return "."
            case .granted: return "="
            case nil: return now == "x" || now == "†" ? now : " "
            }
        case .presenter:
            guard let presenter = presenters[index], let seen = fixture.witness.seen(presenter)
            else {
                return now == "†" ? now : " "
            }
            if now == "!" { return now }
            if fixture.witness.open.contains(where: { $0.presenter == presenter }) { return "?" }
            switch (seen.away.contains(.reader), seen.away.contains(.writer)) {
            case (true, true): return "b"
            case (true, false): return "r"
            case (false, true): return "w"
            case (false, false): return " "
            }
        }
    }
}

extension String {
    fileprivate func padding(to length: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, length - count))
    }
}
