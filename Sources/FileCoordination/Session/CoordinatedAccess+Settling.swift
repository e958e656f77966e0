// SPDX-License-Identifier: Apache-2.0
//
// Between the grant and the accessor: where are the items by now, is one of them a link that is to
// be followed, is a copy to be made? All of it under the claim, on the thread that will run the
// accessor.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Foundation

extension CoordinatedAccess {
    /// As many links are followed as the kernel follows.
    private static let hopLimit = 40

    /// Does what is to be done between the grant and the accessor.
    ///
    /// - Returns: how the wait ended; nil if it goes on, with another claim.
    func settle() -> AccessEnding? {
        let ending: AccessEnding
        do throws(NSError) {
            try follow()
            if let targets = try linkTargets() {
                try goOn(at: targets)
                return nil
            }
            try makeSnapshots()
            ending = .granted
        } catch {
            abandon()
            ending = .failed(error)
        }
        state.withLock { $0.ending = ending }
        return ending
    }

    /// Finds out where items are that were moved while the claim waited (Rule 11.4).
    private func follow() throws(NSError) {
        let claim = claim
        guard session.ledger.isRelocated(claim.record) else { return }
        let count = requests.count
        guard let moved = session.movedItems(of: claim), moved.count == count else {
            throw FailureReason.arbiterUnreachable(
                "an item was moved meanwhile, and the arbiter does not say where to"
            ).nsError
        }
        state.withLock { state in
            for (index, item) in moved.enumerated() {
                state.items[index].relocate(
                    to: ResolvedPlace(
                        path: item.path, isDirectory: item.isDirectory,
                        packageDepths: item.packageDepths))
            }
        }
    }

    // MARK: Links

    /// Where the links lead that are to be followed, by item; nil if there are none.
    private func linkTargets() throws(NSError) -> [Int: ResolvedPlace]? {
        let items = state.withLock { $0.items }
        var targets: [Int: ResolvedPlace] = [:]
        for (index, item) in items.enumerated()
        where item.readingOptions.contains(.resolvesSymbolicLink) {
            do throws(PlaceError) {
                targets[index] = try session.target(ofLinkAt: item.place.path)
            } catch {
                throw error.nsError(url: item.request.url, writing: false)
            }
        }
        guard !targets.isEmpty else { return nil }
        let hops = state.withLock { state in
            state.hops += 1
            return state.hops
        }
        guard hops <= Self.hopLimit else {
            let index = targets.keys.min() ?? 0
            throw PlaceError.linkLoop.nsError(url: requests[index].url, writing: false)
        }
        return targets
    }

    /// Ends the claim on the links, and files one for where they lead: it may have to wait there,
    /// and presenters there are asked (Rule 1.5).
    ///
    /// - Returns: why it was given up meanwhile, if it was.
    private func goOn(at targets: [Int: ResolvedPlace]) throws(NSError) {
        let (former, items) = state.withLock { state in
            for (index, place) in targets { state.items[index].relocate(to: place) }
            return (state.claim, state.items)
        }
        session.release(former, outcomes: requests.map { _ in .unchanged })
        state.withLock { $0.isReleased = true }
        let next = try session.file(
            ClaimRequest(
                purpose: purpose, items: items.map(\.claimed), kind: kind, enclosing: enclosing,
                standpoint: nil, onEnding: onEnding))
        let givenUp = state.withLock { state in
            state.claim = next
            state.isReleased = false
            return state.givenUp
        }
        if let givenUp { session.giveUp(next, givenUp) }
    }

    // MARK: Copies

    /// Makes the copies that accessors for uploading get, and ends the claim if there is nothing
    /// else in it (Rule 15.1).
    private func makeSnapshots() throws(NSError) {
        let items = state.withLock { $0.items }
        let uploads = items.indices.filter { items[$0].readingOptions.contains(.forUploading) }
        guard !uploads.isEmpty, kind == .access else { return }
        for index in uploads {
            do throws(UploadError) {
                let snapshot = try UploadSnapshot.make(of: items[index].place.path)
                state.withLock { $0.items[index].use(snapshot) }
            } catch {
                throw error.nsError(item: items[index].url)
            }
        }
        guard uploads.count == items.count else { return }
        session.release(claim, outcomes: requests.map { _ in .unchanged })
        state.withLock { $0.isReleased = true }
    }
}
