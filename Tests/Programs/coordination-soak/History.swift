// SPDX-License-Identifier: Apache-2.0
//
// All journals of a field, put together, and what the driver did meanwhile. What a killed process
// did not write down any more is taken from when it was killed.

import FileCoordination

/// The life of one process.
struct Life {
    let name: String
    let process: pid_t
    /// When it was killed, just before; nil if it was not.
    var killed: Instant?
    /// When it exited in the middle of everything; nil if it did not.
    var exited: Instant?
    /// When its end was seen.
    var reaped: Instant?
    /// The time of its last line.
    var lastSeen: Instant = 0
    /// When it was stopped, from just before to just after.
    var stops: [Span] = []

    /// When it ended before it was asked to.
    var gone: Instant? { killed ?? exited }
}

/// A stretch of time.
struct Span {
    var from: Instant
    var to: Instant

    func overlaps(_ other: Span) -> Bool { from < other.to && other.from < to }
    var length: UInt64 { to > from ? to - from : 0 }
}

/// One call, from its beginning to its end.
struct Attempt {
    var life: Int
    var number: Int
    var item: Int
    var isWrite: Bool
    var called: Instant
    var filed: Instant?
    var entered: Instant?
    var left: Instant?
    var hasFailed = false
}

/// What one presenter did, in order.
struct PresenterSteps {
    var life: Int
    var item: Int
    var presented: Instant
    /// When it let go of the file, or had it back.
    var steps: [JournalLine] = []
}

/// Everything that was written down.
struct History {
    private(set) var lives: [Life]
    private(set) var attempts: [Attempt] = []
    private(set) var presenterSteps: [PresenterSteps] = []
    private(set) var taken: [(life: Int, line: JournalLine)] = []
    private(set) var errors: [String] = []
    /// When all processes were asked to end.
    let end: Instant

    init(_ field: Field, _ lives: [Life], end: Instant) {
        self.lives = lives
        self.end = end
        for (index, life) in lives.enumerated() {
            let path = field.directory + "/journals/" + life.name
            read(JournalLine.all(at: path), of: index)
            if let text = try? String(contentsOfFile: path + ".errors", encoding: .utf8) {
                errors += text.split(separator: "\n").map { "\(life.name): \($0)" }
            }
        }
    }

    private mutating func read(_ lines: [JournalLine], of life: Int) {
        var open: [Int: Int] = [:]
        var presented: JournalLine?
        var steps: [JournalLine] = []
        lives[life].lastSeen = lines.map(\.time).max() ?? 0
        for line in lines {
            let index = open[line.access]
            switch line.event {
            case .call:
                open[line.access] = attempts.count
                attempts.append(
                    Attempt(
                        life: life, number: line.access, item: line.item, isWrite: line.isWrite,
                        called: line.time))
            case .filed: if let index { attempts[index].filed = line.time }
            case .enter: if let index { attempts[index].entered = line.time }
            case .leave: if let index { attempts[index].left = line.time }
            case .failed: if let index { attempts[index].hasFailed = true }
            case .taken: taken.append((life, line))
            case .presented: presented = line
            // A presenter may be asked before its registration has returned.
            case .yielded, .back: steps.append(line)
            case .exiting: lives[life].exited = line.time
            }
        }
        guard let presented else { return }
        presenterSteps.append(
            PresenterSteps(
                life: life, item: presented.item, presented: presented.time, steps: steps))
    }

    /// When an access that was granted ended, at the earliest.
    func end(of attempt: Attempt) -> Instant {
        attempt.left ?? lives[attempt.life].gone ?? .max
    }

    func name(_ attempt: Attempt) -> String {
        "\(lives[attempt.life].name)#\(attempt.number) \(attempt.isWrite ? "write" : "read") of "
            + "\(attempt.item) (called \(attempt.called), entered \(attempt.entered ?? 0))"
    }

    /// The accesses of each file that were granted, in the order in which they began.
    var grantedByItem: [[Attempt]] {
        Dictionary(grouping: attempts.filter { $0.entered != nil }, by: \.item)
            .sorted { $0.key < $1.key }
            .map { $0.value.sorted { ($0.entered ?? 0) < ($1.entered ?? 0) } }
    }
}
