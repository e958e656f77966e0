// SPDX-License-Identifier: Apache-2.0
//
// Looking at one claim or presenter without making a list of all.

extension Arbiter {
    /// A claim as it was filed, or nil if it is over.
    public func claim(_ id: ClaimID) -> FiledClaim? { records[id]?.claim }

    /// A presenter as it was registered, or nil if it is not.
    public func presenter(_ id: PresenterID) -> RegisteredPresenter? {
        registry[id]?.registration
    }
}
