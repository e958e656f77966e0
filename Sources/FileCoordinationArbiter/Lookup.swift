// SPDX-License-Identifier: Apache-2.0
//
// Looks up single claims and presenters.

extension Arbiter {
    /// Returns a claim, or nil if it is over.
    public func claim(_ id: ClaimID) -> FiledClaim? { records[id]?.claim }

    /// Returns a presenter, or nil if it is not registered.
    public func presenter(_ id: PresenterID) -> RegisteredPresenter? {
        registry[id]?.registration
    }
}
