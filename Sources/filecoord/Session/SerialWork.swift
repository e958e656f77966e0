// SPDX-License-Identifier: Apache-2.0
//
// Work that is done in order, without a thread of its own: what a client does with one claim, such
// as replacing its file and ending it. A file system that does not answer keeps only this waiting.

import FileCoordinationSystem

/// Jobs that run one after the other, on the thread of the first.
final class SerialWork: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var isRunning = false
    }

    private let state = Lock(State())

    /// Adds `job`, to run after those that were added before.
    ///
    /// Returns what the caller must run, if no thread runs jobs.
    func add(_ job: @escaping Job) -> Job? {
        let isFirst = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return nil }
        return { self.run() }
    }

    private func run() {
        while let job = takeNext() { job() }
    }

    private func takeNext() -> Job? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.isRunning = false
                return nil
            }
            return state.jobs.removeFirst()
        }
    }
}
