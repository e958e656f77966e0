// SPDX-License-Identifier: Apache-2.0
//
// Whether a program that looks again at whatever it is told ends up with what is there (Rules 7.7,
// 7.14, 11.9): two processes change the tree at random, one under claims and one without. After
// each round the follower's copy must become equal to the tree. Where no writer coordinates, no
// change may be told as a coordinated writer's. With `--log` all operations and messages are
// printed.

import FileCoordination
import FileCoordinationSystem
import Glibc

/// The proof `changes`.
struct ChangesProof {
    private let options: Options
    private let field: Field
    private let place: ChangesPlace

    init(_ options: Options, _ field: Field) throws {
        self.options = options
        self.field = field
        place = try ChangesPlace(field.directory)
    }

    func run() throws -> Verdict {
        let operations = options.number("operations", 20_000)
        let perRound = options.number("round", 200)
        let patience = options.number("patience", 30.0) * Kernel.crowding
        let follower = Follower(place.root, isLogged: options.has("log"))
        let task = try follower.start()
        defer { task.cancel() }
        var verdict = Verdict()
        var settings = ["directory": field.directory, "seed": "\(options.seed)"]
        if options.has("log") { settings["log"] = "yes" }
        let writers = [
            try field.start("changes-writer", settings.merging(["index": "1"]) { $1 }),
            try field.start(
                "changes-writer", settings.merging(["index": "2", "coordinated": "yes"]) { $1 }),
        ]
        var settling = Sample()
        var rounds = 0
        let began = Kernel.now
        while place[0] * writers.count < operations, verdict.count == 0 {
            follower.state.withLock { $0.latest = [] }
            place[0] += perRound / writers.count
            let isDone = Kernel.until(seconds: patience) {
                writers.indices.allSatisfy { place[$0 + 1] == place[0] }
            }
            verdict.demand(isDone, "the writers do not get on: \(place[1]), \(place[2])")
            let ended = Kernel.now
            var left: String?
            let isEqual = Kernel.until(seconds: patience) {
                left = follower.difference()
                return left == nil
            }
            settling.add(Kernel.now - ended)
            rounds += 1
            let seen = follower.state.withLock { $0 }
            verdict.demand(isEqual, "round \(rounds): \(left ?? "")")
            if !isEqual { for change in seen.latest { say("told: \(change)") } }
            for complaint in seen.complaints { verdict.blame(complaint) }
        }
        for writer in writers { _ = field.kill(writer) }
        let end = follower.state.withLock { $0 }
        verdict.demand(end.changes > operations / 20, "only \(end.changes) changes were told")
        let seconds = Double(Kernel.now - began) / 1e9
        say(
            "\(place[0] * writers.count) operations in \(rounds) rounds and "
                + "\(String(format: "%.1f", seconds)) s, \(end.changes) changes told, "
                + "\(end.coordinated) of them coordinated, \(end.rereadings) times to read all; "
                + Kernel.load)
        say("from the last operation of a round until the copy was right: \(settling.text)")
        return verdict
    }
}

/// A task that keeps a copy of a tree, and what it was told.
private final class Follower: Sendable {
    struct State {
        var tree = FollowedTree()
        var changes = 0
        var coordinated = 0
        var rereadings = 0
        /// The changes of this round, to be shown if it fails.
        var latest: [String] = []
        var complaints: [String] = []
    }

    let state = Lock(State())
    private let root: String

    /// Whether each message is printed.
    private let isLogged: Bool

    init(_ root: String, isLogged: Bool) {
        self.root = root
        self.isLogged = isLogged
    }

    func start() throws -> Task<Void, Never> {
        let changes = try NSFileCoordinator.changes(at: URL(fileURLWithPath: root))
        state.withLock { $0.tree.read(root) }
        return Task.detached { for await change in changes { self.take(change) } }
    }

    /// In what the copy differs from what is there; nil if in nothing.
    func difference() -> String? {
        var now = FollowedTree()
        now.read(root)
        return state.withLock { state in
            state.tree.lookAgain()
            return state.tree
        }.difference(from: now)
    }

    private func take(_ change: FileChange) {
        let path = change.url.path.dropFirst(root.count + 1)
        let text = "\(path) \(change.kind) \(change.isCoordinated ? "coordinated" : "plain")"
            .replacingOccurrences(of: root, with: "")
        state.withLock { state in
            state.tree.lookAgain()
            state.tree.apply(change)
            state.changes += 1
            if change.isCoordinated { state.coordinated += 1 }
            state.latest.append(text)
            if isLogged { say("\(Kernel.now) told \(text)") }
            if change.kind == .everything {
                state.rereadings += 1
                return
            }
            let part = path.split(separator: "/").first.map(String.init)
            // A coordinated writer's change may be told as anyone's.
            let isWrong = part == ChangesPlace.plain && change.isCoordinated
            if isWrong, state.complaints.count < 12 {
                let before = state.latest.suffix(12).joined(separator: "; ")
                state.complaints.append("told as a coordinated change: \(text); after \(before)")
            }
        }
    }
}
