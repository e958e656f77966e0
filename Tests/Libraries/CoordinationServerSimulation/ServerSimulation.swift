// SPDX-License-Identifier: Apache-2.0
//
// Runs one schedule in one simulated world and collects the violations; and finds the smallest part
// of a failing schedule that fails in the same way.

package import CoordinationCheckers
import CoordinationSimulation
import FileCoordinationArbiter
import FileCoordinationServer
import FileCoordinationSystem
import Glibc

/// The result of one schedule.
package struct ServerSimulation {
    /// What happened.
    package let history: History
    /// What is wrong with it, in words.
    package let complaints: [String]
    /// How much of everything there was.
    package let coverage: ServerCoverage
    /// Everything in order, if that was wanted.
    package let timeline: [String]

    /// Runs the world that a schedule makes, in a runtime directory that no other world uses.
    package init(_ schedule: Schedule, in scene: Scene, isTraced: Bool = false) {
        var findings: [String] = []
        var (filedAgain, sentOn): (Set<ClaimKey>, Set<ClaimKey>) = ([], [])
        do {
            let world = try ServerWorld(schedule, in: scene.runtime, isTraced: isTraced)
            do {
                try world.play()
                try world.comeToRest()
            } catch {
                world.find("\(error)")
            }
            findings = world.findings
            (filedAgain, sentOn) = (world.filedAgain, world.sentOn)
            history = world.wholeHistory
            world.coverage.count(.steps, schedule.choices.count)
            world.coverage.countWorld()
            coverage = world.coverage
            timeline = world.trace ?? []
            world.strike()
        } catch {
            findings.append("no world can be made: \(error)")
            (history, coverage, timeline) = (History(), ServerCoverage(), [])
        }
        complaints = findings + history.complaints(but: filedAgain, sentOn)
    }

    /// The kind of what is wrong: a schedule is shrunk as long as it fails in this way.
    package var failure: String? {
        complaints.first.map { text in
            String(text.prefix { $0 != ":" }.filter { $0.isLetter || $0 == " " })
        }
    }
}

extension History {
    /// Lists the violations that the checkers find, except for what they cannot know.
    ///
    /// - Parameters:
    ///   - filedAgain: claims that were refused, and filed again because their clients had not
    ///     heard that: they have been over in between, which histories cannot say.
    ///   - sentOn: claims that waited while something moved.
    /// - Returns: one text for each violation.
    fileprivate func complaints(
        but filedAgain: Set<ClaimKey>, _ sentOn: Set<ClaimKey>
    ) -> [String] {
        // Grants are seen; since when a claim has asked presenters is not.
        var plain = History()
        for entry in entries {
            switch entry.fact {
            case .holding, .returned: continue
            default: plain.append(entry.fact, at: entry.moment)
            }
        }
        let judged =
            violations(of: [.exclusion, .order, .cycle, .stray])
            + plain.violations(of: [.requiredStep])
        let excused =
            filedAgain.flatMap { ["overtook claim \($0)", "claim \($0) was granted although"] }
            + sentOn.map { "claim \($0) was granted" }
        return judged.map(\.description).filter { text in
            !excused.contains { (text + " ").contains($0 + " ") }
        }
    }
}

/// A runtime directory for worlds, one after the other.
package final class Scene {
    let runtime: RuntimeDirectory

    /// Makes a directory.
    package init() throws {
        let parent =
            access("/dev/shm", W_OK) == 0
            ? "/dev/shm" : getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/world-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw SimulationFault("no directory can be made in \(parent)")
        }
        let path = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        runtime = try RuntimeDirectory.open(path: path)
    }

    deinit {
        for name in (try? runtime.directory.names()) ?? [] {
            unlink("\(runtime.path)/\(name)")
        }
        unlink("\(runtime.path)/ledgers/settled")
        rmdir("\(runtime.path)/ledgers")
        rmdir(runtime.path)
    }
}

extension Schedule {
    /// The shortest part of it that was found to fail in the same way.
    package func shrunk(in scene: Scene) -> Schedule {
        var best = self
        guard let failure = ServerSimulation(self, in: scene).failure else { return self }
        var length = max(1, choices.count / 2)
        while true {
            var start = 0
            var hasShrunk = false
            while start < best.choices.count {
                var shorter = best
                shorter.choices.removeSubrange(
                    start..<min(start + length, best.choices.count))
                if ServerSimulation(shorter, in: scene).failure == failure {
                    best = shorter
                    hasShrunk = true
                } else {
                    start += length
                }
            }
            if length > 1 { length /= 2 } else if !hasShrunk { return best }
        }
    }
}
