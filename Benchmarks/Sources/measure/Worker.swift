// SPDX-License-Identifier: Apache-2.0
//
// The process that does what is measured. It reads a line, does it, and answers with its figures,
// so it is at rest whenever another process is measured.

import CPeers
import FileCoordination

/// What a worker can do, by name; each takes words and gives figures.
typealias WorkerTask = ([String]) throws -> [Double]

/// A worker's life.
enum Worker {
    /// The first argument of a process that is a worker.
    static let word = "worker"

    /// Does what it is told, until its input ends.
    static func serve() -> Never {
        let peers = PeerTasks()
        let accesses = AccessTasks()
        let presenters = PresenterTasks()
        let tasks = peers.tasks.merging(accesses.tasks) { $1 }
            .merging(presenters.tasks) { $1 }.merging(PlainTasks.tasks) { $1 }
        while let line = readLine() {
            let words = line.split(separator: "\t").map(String.init)
            guard let verb = words.first, let task = tasks[verb] else {
                say("error\tno errand \(line)")
                continue
            }
            do {
                let figures = try task(Array(words.dropFirst()))
                say((["ok"] + figures.map { "\($0)" }).joined(separator: "\t"))
            } catch {
                say("error\t\(verb): \(error)".replacingOccurrences(of: "\n", with: " "))
            }
        }
        _exit(0)
    }

    /// Says a line to the process that started this one.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        guard write(STDOUT_FILENO, bytes, bytes.count) == bytes.count else { _exit(1) }
    }
}

extension [String] {
    /// The word at a place, which the caller owes.
    func text(_ place: Int) throws -> String {
        guard indices.contains(place) else { throw MeasuringError("word \(place) is missing") }
        return self[place]
    }

    /// The number at a place.
    func number(_ place: Int) throws -> Int {
        guard let number = Int(try text(place)) else {
            throw MeasuringError("\(self[place]) is no number")
        }
        return number
    }
}

/// Nanoseconds as the peers' functions return them, or what the error number means.
func checked(_ result: Int64) throws -> Double {
    guard result >= 0 else { throw MeasuringError(String(cString: strerror(Int32(-result)))) }
    return Double(result)
}

/// A descriptor, or what the error number means.
func checked(_ result: Int32) throws -> Int32 {
    guard result >= 0 else { throw MeasuringError(String(cString: strerror(-result))) }
    return result
}
