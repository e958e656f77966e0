// SPDX-License-Identifier: Apache-2.0
//
// Looks up the other names of the items in a report. A file system that does not respond blocks the
// thread that examines it. So one thread examines the items of all pictures. If it has not finished
// in time, a picture is shown without the remarks.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire

/// Remarks about other names of the items in a report (Rule 2.24).
struct NameRemarks {
    fileprivate let remarks: [[UInt8]: String]

    /// No remarks.
    static let none = NameRemarks(remarks: [:])

    /// The remark about a path, if there is one.
    subscript(path: [UInt8]) -> String? { remarks[path] }
}

/// Looks up the remarks for one report after the other, on a thread of its own.
final class NameRemarkReader: Sendable {
    /// Makes the remark about a path, or returns nil if there is none.
    typealias Look = @Sendable ([UInt8], OtherPlaces) -> String?

    private struct State: Sendable {
        /// The paths to examine next, or nil if there are none.
        var wanted: Set<[UInt8]>?
        /// The remarks on the items of the last report.
        var remarks: [[UInt8]: String] = [:]
        /// The number of reports so far, and the number of the last one whose items were examined.
        var asked = 0
        var answered = 0
        var hasThread = false
    }

    private let state = Monitor(State())
    private let look: Look

    /// How long a picture waits for its remarks.
    private static let patience = Duration.milliseconds(200)

    /// Creates a reader; its thread begins with the first report.
    init(_ look: @escaping Look = NameRemarkReader.remark) { self.look = look }

    /// Returns the remarks on the items of a report.
    ///
    /// Waits until the thread has examined the items, but only for a short time; then returns the
    /// remarks that are known. If the thread is still busy with an earlier report, returns at once.
    func remarks(on report: StatusReport?) -> NameRemarks {
        let paths = Set((report?.claims ?? []).flatMap { $0.items.map(\.path.bytes) })
        guard !paths.isEmpty else { return .none }
        let (number, isIdle) = state.withLock { state in
            let isIdle = state.asked == state.answered
            state.asked += 1
            state.wanted = paths
            return (state.asked, isIdle)
        }
        guard startThread() else { return .none }
        state.notifyAll()
        if isIdle {
            _ = state.wait(until: MonotonicClock.after(Self.patience)) { $0.answered >= number }
        }
        return NameRemarks(remarks: state.withLock { $0.remarks })
    }

    /// Starts the thread, unless it runs.
    ///
    /// Returns false if there can be none; then the next report tries again.
    private func startThread() -> Bool {
        let isNeeded = state.withLock { state in
            defer { state.hasThread = true }
            return !state.hasThread
        }
        guard isNeeded else { return true }
        // Without a thread, the remarks are left out.
        let isStarted: Void? = try? DetachedThread.start(name: "other names") { [self] in work() }
        guard isStarted == nil else { return true }
        state.withLock { state in
            (state.hasThread, state.answered) = (false, state.asked)
        }
        return false
    }

    private func work() {
        while true {
            let next = state.wait(forValue: { state -> (paths: Set<[UInt8]>, number: Int)? in
                guard let paths = state.wanted else { return nil }
                state.wanted = nil
                state.remarks = state.remarks.filter { paths.contains($0.key) }
                return (paths, state.asked)
            })
            guard let next else { continue }
            let mounted = OtherPlaces.current
            for path in next.paths {
                let remark = look(path, mounted)
                state.withLock { $0.remarks[path] = remark }
            }
            state.withLock { $0.answered = next.number }
            state.notifyAll()
        }
    }

    private static func remark(on path: [UInt8], _ mounted: OtherPlaces) -> String? {
        var remarks: [String] = []
        // Without a status, there is nothing to remark.
        if let status = try? FileStatus(path: path, followLinks: false), status.kind == .regular,
            status.linkCount > 1
        {
            remarks.append("one of \(status.linkCount) names, which do not exclude each other")
        }
        if let other = mounted.places(of: path).first {
            remarks.append("also at \(UserText.text(other)), which is not excluded")
        }
        return remarks.isEmpty ? nil : "(\(remarks.joined(separator: "; ")))"
    }
}
