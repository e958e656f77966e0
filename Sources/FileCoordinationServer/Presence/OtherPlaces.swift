// SPDX-License-Identifier: Apache-2.0
//
// The other places in which programs may look for a server: this one keeps other servers out of
// them, by stand-ins, and takes places that come later. A login makes /run/user/UID; what is made
// is mounted and given to its user only afterwards, so it is looked at several times.

/// The places besides the server's own.
struct OtherPlaces {
    private var standIns = StandIns()
    /// When to look for places that have come.
    private(set) var takeAt: UInt64?
    private var pause = ServerLimits.placesPause

    /// Whether a stand-in keeps other servers out.
    var isHeld: Bool { standIns.isHeld }

    /// Takes all places that can be had; see ``StandIns/complete(for:givesWay:)``.
    mutating func complete(
        for runtime: RuntimeDirectory, givesWay: Bool = false
    ) throws(RuntimeDirectoryError) {
        try standIns.complete(for: runtime, givesWay: givesWay)
    }

    /// Takes places that have come, if it is time.
    mutating func takeIfDue(
        for runtime: RuntimeDirectory, at now: UInt64
    ) throws(RuntimeDirectoryError) {
        guard let due = takeAt, due <= now else { return }
        takeAt = nil
        // Also if all could be taken: another file system may be mounted over what was there.
        if pause < ServerLimits.longestPlacesPause {
            takeAt = now + pause
            pause *= 2
        }
        try standIns.complete(for: runtime)
    }

    /// Looks soon, and then after ever longer pauses, for places that seem to come.
    mutating func expect(from now: UInt64) {
        pause = ServerLimits.placesPause
        // Not at once: what is below a mount that follows would be in its way later.
        takeAt = now + pause
    }

    /// Removes the files: the server's place is free for all.
    func remove() { standIns.remove() }

    /// Lets go of the stand-ins; their files stay.
    mutating func letGo() { standIns = StandIns() }
}
