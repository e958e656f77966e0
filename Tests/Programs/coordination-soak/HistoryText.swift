// SPDX-License-Identifier: Apache-2.0
//
// A history in the text form that the project's checkers read, one text for each file: files have
// nothing to do with each other here. What is known only up to an interval is written as one.

import FileCoordination

extension History {
    /// Writes the history of each file into a directory.
    func write(into directory: String, arbiterDeaths: [Instant]) throws {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let numbered = attempts.enumerated().map { (key: $0.offset + 1, attempt: $0.element) }
        let byItem = Dictionary(grouping: numbered, by: \.attempt.item)
        for item in byItem.keys.sorted() {
            let lines =
                facts(of: byItem[item] ?? []) + presenterSteps(of: item)
                + endings + arbiterDeaths.map { "\($0)-\($0 + 1_000_000_000) replaced" }
            let url = URL(fileURLWithPath: "\(directory)/\(item)")
            try Data((lines + ["\(rested) rested", ""]).joined(separator: "\n").utf8).write(to: url)
        }
    }

    /// When nothing happens any more.
    private var rested: Instant { end + 120_000_000_000 }

    private func facts(of attempts: [(key: Int, attempt: Attempt)]) -> [String] {
        attempts.flatMap { key, attempt -> [String] in
            let gone = lives[attempt.life].gone ?? end
            let known = [attempt.filed, attempt.entered].compactMap { $0 }.min()
            let filed = max(attempt.called, known ?? gone)
            var lines = [
                "\(attempt.called)-\(filed) filed claim=\(key) client=\(attempt.life + 1) "
                    + "purpose=c\(key) item=\(attempt.isWrite ? "write" : "read"),/\(attempt.item)"
            ]
            if let entered = attempt.entered {
                lines.append("\(attempt.called)-\(entered) granted claim=\(key)")
            }
            if let left = attempt.left { lines.append("\(left) ended claim=\(key)") }
            if attempt.hasFailed { lines.append("\(attempt.called)-\(gone) failed claim=\(key)") }
            return lines
        }
    }

    private func presenterSteps(of item: Int) -> [String] {
        presenterSteps.enumerated().filter { $0.element.item == item }.flatMap {
            offset, presenter in
            let key = offset + 1
            let since = presenter.presented - min(presenter.presented, 60_000_000_000)
            var lines = [
                "\(since)-\(presenter.presented) added presenter=\(key) "
                    + "client=\(presenter.life + 1) purpose=p\(key) "
                    + "place=/\(item) do=toReader do=toWriter"
            ]
            for step in presenter.steps {
                let what = "do=\(step.isWrite ? "toWriter" : "toReader")"
                if step.event == .yielded {
                    lines.append("\(step.time) asked presenter=\(key) \(what)")
                    lines.append("\(step.time) answered presenter=\(key)")
                } else {
                    lines.append("\(step.time) reacquired presenter=\(key) \(what)")
                }
            }
            if lives[presenter.life].gone == nil {
                let last = max(end, lives[presenter.life].lastSeen)
                lines.append("\(last)-\(rested - 1) removed presenter=\(key)")
            }
            return lines
        }
    }

    /// Who was stopped, and who died.
    private var endings: [String] {
        lives.enumerated().flatMap { offset, life -> [String] in
            var lines = life.stops.flatMap { stop in
                [
                    "\(stop.from) stopped client=\(offset + 1)",
                    "\(stop.to) continued client=\(offset + 1)",
                ]
            }
            if let gone = life.gone {
                // A signal takes a moment to arrive.
                let last = max(gone, life.lastSeen)
                lines.append("\(last)-\(max(last, life.reaped ?? end)) died client=\(offset + 1)")
            }
            return lines
        }
    }
}
