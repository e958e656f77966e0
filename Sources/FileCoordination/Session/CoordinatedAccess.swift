// SPDX-License-Identifier: Apache-2.0
//
// One coordinated access from beginning to end: resolve the places, file the claim, wait, let the
// accessor run, compare, release. The classes and the command line are two faces of this.

package import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
package import FileCoordinationWire
package import Foundation

/// An item as a caller names it.
package struct RequestedItem: Sendable {
    /// The URL, which the accessor gets back as it is while nothing moves (Rule 1.8).
    package var url: URL
    /// What is wanted with it.
    package var access: Access

    /// An item as a caller names it.
    package init(url: URL, access: Access) {
        self.url = url
        self.access = access
    }
}

/// One claim of this process and what belongs to it.
package final class CoordinatedAccess: Sendable {
    /// The items, in the caller's order.
    package let items: [RequestedItem]
    let session: Session
    let claim: PendingClaim
    private let places: [ResolvedPlace]
    private let before = Lock<[ItemStamp?]>([])

    /// Resolves the places and files the claim; does not wait.
    ///
    /// - Parameter onEnding: for callers that do not wait; called once, on any thread.
    package init(
        _ items: [RequestedItem], purpose: Purpose,
        onEnding: (@Sendable (AccessEnding) -> Void)? = nil
    ) throws(NSError) {
        self.items = items
        places = try Self.places(of: items)
        session = try Session.current()
        claim = try session.file(
            items: zip(places, items).map { $0.item($1.access) }, purpose: purpose,
            onEnding: onEnding)
    }

    private static func places(of items: [RequestedItem]) throws(NSError) -> [ResolvedPlace] {
        var places: [ResolvedPlace] = []
        for item in items {
            do throws(PlaceError) {
                places.append(try PlaceResolver.resolve(item.url))
            } catch {
                throw error.nsError(url: item.url, writing: item.access.isWriting)
            }
        }
        return places
    }

    // MARK: Waiting

    /// Waits for the claim to be decided.
    ///
    /// - Parameter deadline: monotonic nanoseconds; nil: without bound (Rule 2.22).
    /// - Returns: nil when the deadline passed and the claim still waits.
    package func wait(until deadline: UInt64? = nil) -> AccessEnding? {
        claim.wait(until: deadline)
    }

    /// Gives the claim up, unless it was granted first; returns whether it did.
    @discardableResult
    package func giveUp(_ reason: AccessEnding) -> Bool { session.giveUp(claim, reason) }

    /// Asks whom the claim waits for; nil when no answer came until `deadline`.
    package func explain(until deadline: UInt64) -> [Party]? {
        session.explain(claim, until: deadline)
    }

    // MARK: The accessor

    /// Runs `accessor` under the granted claim, on this thread, and ends the claim when it returns.
    package func run<Result>(_ accessor: ([URL]) throws -> Result) rethrows -> Result {
        begin()
        defer { end() }
        return try accessor(items.map(\.url))
    }

    /// Ends a granted claim whose accessor will not run.
    func abandon() {
        guard session.isOurs else { return }
        session.release(claim, outcomes: items.map { _ in .unchanged })
    }

    /// Notes that the accessor starts on this thread.
    private func begin() {
        AccessorStack.push(claim.record)
        before.withLock { $0 = stampsOfWrittenItems() }
    }

    /// Releases the claim, with what became of its items.
    private func end() {
        AccessorStack.pop(claim.record)
        // A forked child that returns from its parent's accessor owns nothing (Rule 18.8).
        guard session.isOurs else { return }
        let outcomes = zip(before.withLock { $0 }, stampsOfWrittenItems()).map { before, after in
            guard let before, let after else { return ItemOutcome.unchanged }
            return before.outcome(after: after)
        }
        session.release(claim, outcomes: outcomes)
    }

    private func stampsOfWrittenItems() -> [ItemStamp?] {
        zip(items, places).map { item, place in
            item.access.isWriting ? ItemStamp.take(of: place.path) : nil
        }
    }
}
