// SPDX-License-Identifier: Apache-2.0
//
// Keeps two directories the same, whichever of them is edited.
//
//     syncdirs FIRST SECOND        prints what it did, one line for each file
//
// What is special in it:
//
// - It looks at a file in both directories under one claim, so editors of either have saved first.
// - It decides again under the claim by which it acts, because files may change in between.
// - If both sides have changed, the later one wins, and the other one becomes a conflict version
//   of the file: no edit is lost, and no stray files appear.
// - A file is replaced in one step, and then the step is remembered. It can be killed anywhere.

import FileCoordination

@main
struct Sync {
    /// The one for all calls, because they are made inside of each other: a call of another
    /// coordinator would wait for a backup that waits for this run.
    private let coordinator: NSFileCoordinator
    private let replicas: [Replica]
    private var state: StateFile
    private var failures = 0

    static func main() async {
        let roots = CommandLine.arguments.dropFirst().map {
            URL(fileURLWithPath: $0, isDirectory: true).resolvingSymlinksInPath()
        }
        guard roots.count == 2, roots[0] != roots[1] else {
            complain("usage: syncdirs FIRST SECOND")
            exit(64)
        }
        do {
            for root in roots where !FileManager.default.fileExists(atPath: root.path) {
                throw DirectoryGone(root: root)
            }
            exit(try await run(roots.map(Replica.init)) ? 0 : 1)
        } catch {
            complain(error.localizedDescription)
            exit(1)
        }
    }

    /// Runs once, as the only one that uses this state.
    private static func run(_ replicas: [Replica]) async throws -> Bool {
        let url = replicas[1].own.appendingPathComponent("state")
        let coordinator = NSFileCoordinator()
        coordinator.label = "sync with \(replicas[0].root.lastPathComponent)"
        return try await coordinator.coordinate(writingItemAt: url, timeout: .seconds(60)) { url in
            // A first run makes `.sync` in both. Later on, both must be there.
            if FileManager.default.fileExists(atPath: url.path) {
                for replica in replicas { try replica.check() }
            }
            for replica in replicas { try replica.prepare() }
            let pair = replicas.map(\.root.path).joined(separator: " ")
            var sync = Sync(
                coordinator: coordinator, replicas: replicas,
                state: try StateFile(at: url, pair: pair))
            return try await sync.syncAll()
        }
    }

    /// Goes through all files that are there, or were there.
    private mutating func syncAll() async throws -> Bool {
        var paths = Set(state.fingerprints.keys)
        for replica in replicas { paths.formUnion(try replica.paths()) }
        for path in paths.sorted() {
            do {
                try await sync(path)
            } catch let error as DirectoryGone {
                throw error
            } catch {
                // One file that cannot be synchronized does not keep the others from it.
                failures += 1
                Self.complain("\(path): \(error.localizedDescription)")
            }
        }
        return failures == 0
    }

    private mutating func sync(_ path: String) async throws {
        var decision = try await look(at: path)
        // Every round ends without an action only if the file was changed in the meantime.
        for _ in 0..<10 where decision != .same {
            decision = try await act(decision, at: path)
        }
        if decision != .same { Self.complain("\(path): changes too often; next time") }
    }

    /// Decides, with access to both files for reading: editors save first.
    private mutating func look(at path: String) async throws -> Decision {
        let intents = replicas.map { NSFileAccessIntent.readingIntent(with: $0.url(path)) }
        return try await coordinator.coordinate(with: intents, timeout: .seconds(60)) { _ in
            try decide(at: path, intents[0].url, intents[1].url)
        }
    }

    private mutating func decide(at path: String, _ first: URL, _ second: URL) throws -> Decision {
        let found = (try replicas[0].look(at: first), try replicas[1].look(at: second))
        let decision = Decision(found.0, found.1, base: state.fingerprints[path])
        if decision == .same { try state.remember(found.0.fingerprint, at: path) }
        return decision
    }

    /// Does what was decided, if it is still right.
    ///
    /// - Returns: what is to be done now; `same` after it was done.
    private mutating func act(_ decision: Decision, at path: String) async throws -> Decision {
        let winner: Side
        switch decision {
        case .same: return .same
        case .follow(let side), .conflict(winner: let side): winner = side
        }
        let (from, to) = (replicas[winner.rawValue], replicas[winner.other.rawValue])
        let isThere = FileManager.default.fileExists(atPath: from.url(path).path)
        // The option that says what will happen: those who present the file are asked accordingly.
        return try await coordinator.coordinate(
            readingItemAt: from.url(path), options: [],
            writingItemAt: to.url(path), options: isThere ? .forMerging : .forDeleting,
            timeout: .seconds(60)
        ) { source, target in
            let found = (try from.look(at: source), try to.look(at: target))
            let ordered = winner == .first ? found : (found.1, found.0)
            let now = Decision(ordered.0, ordered.1, base: state.fingerprints[path])
            guard now == decision, (found.0.contents != nil) == isThere else { return now }

            if case .conflict = now { try to.keepAsConflict(target, contents: found.1.contents) }
            if isThere {
                try to.replace(target, withCopyOf: source)
            } else {
                try FileManager.default.removeItem(at: target)
            }
            try state.remember(found.0.fingerprint, at: path)
            print(Self.sentence(now, path, from.root, to.root, isThere: isThere))
            fflush(nil)  // At once, also into a pipe.
            return .same
        }
    }

    private static func sentence(
        _ decision: Decision, _ path: String, _ from: URL, _ to: URL, isThere: Bool
    ) -> String {
        if case .conflict = decision {
            return "conflict \(path): \(from.path) wins; the other is a version in \(to.path)"
        }
        return isThere ? "copied \(path) to \(to.path)" : "deleted \(path) from \(to.path)"
    }

    private static func complain(_ message: String) {
        FileHandle.standardError.write(Data("syncdirs: \(message)\n".utf8))
    }
}
