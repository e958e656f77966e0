// SPDX-License-Identifier: Apache-2.0
//
// The thread of the lease guards cannot go on: no guard keeps a lease that nothing watches.

import FileCoordinationArbiter
import FileCoordinationSystem
import Foundation
import Glibc
import TestHome
import Testing

@testable import FileCoordinationClient

@Suite struct LeaseGuardThreadTests {
    /// What a guard reports.
    private final class Reports: Sendable {
        private let last = Lock<LeaseGuardStatus?>(nil)

        func add(_ status: LeaseGuardStatus) { last.withLock { $0 = status } }

        func await(_ status: LeaseGuardStatus) throws {
            let end = Date() + test_patience(30)
            while last.withLock({ $0 }) != status {
                try #require(Date() < end, "\(String(describing: last.withLock { $0 }))")
                sched_yield()
            }
        }
    }

    @Test func `If its wait fails, all guards drop their leases, and begin anew`() throws {
        let directory = NSTemporaryDirectory() + "guards-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let server = try SimulatedServer()
        let thread = try LeaseGuardThread(server.session.services)
        let guards = try (0..<2).map { number in
            let file = "\(directory)/\(number)"
            try Data("text".utf8).write(to: URL(fileURLWithPath: file))
            let reports = Reports()
            let leaseGuard = LeaseGuard(on: thread) { reports.add($0) }
            leaseGuard.itemMayHaveChanged(at: ItemPath(file))
            try reports.await(.on)
            return (leaseGuard, reports, file)
        }
        defer { for (leaseGuard, _, _) in guards { leaseGuard.end() } }
        thread.fail(SystemError(code: EINVAL, operation: "wait"))
        for (_, reports, file) in guards {
            try reports.await(.off(.system(EINVAL)))
            let opened = open(file, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            #expect(opened >= 0, "the lease is still there")
            close(opened)
        }
        for (leaseGuard, reports, _) in guards {
            leaseGuard.itemMayHaveChanged()
            try reports.await(.on)
        }
    }
}
