// SPDX-License-Identifier: Apache-2.0
//
// The other directories in which programs may look for a server. The server keeps other servers out
// of them with stand-ins, and takes such directories that appear later. For example, a login
// creates /run/user/UID; because it is mounted and given to its user only afterwards, the server
// looks at it several times.

/// The places of a server besides its own runtime directory.
struct OtherPlaces {
    private var standIns = StandIns()
    /// When to look for places that have appeared, or nil.
    private(set) var takeAt: UInt64?
    private var pause = ServerLimits.placesPause

    /// Whether a stand-in of this server keeps other servers out.
    var isHeld: Bool { standIns.isHeld }

    /// Takes all available places; see ``StandIns/complete(for:givesWay:)``.
    mutating func complete(
        for runtime: RuntimeDirectory, givesWay: Bool = false
    ) throws(RuntimeDirectoryError) {
        try standIns.complete(for: runtime, givesWay: givesWay)
    }

    /// Takes places that have appeared, if ``takeAt`` has passed.
    mutating func takeIfDue(
        for runtime: RuntimeDirectory, at now: UInt64
    ) throws(RuntimeDirectoryError) {
        guard let due = takeAt, due <= now else { return }
        takeAt = nil
        // Even if all places were taken: another file system may be mounted over one of them.
        if pause < ServerLimits.longestPlacesPause {
            takeAt = now + pause
            pause *= 2
        }
        try standIns.complete(for: runtime)
    }

    /// Plans looks for places that seem to appear, soon at first and then at ever longer intervals.
    mutating func expect(from now: UInt64) {
        pause = ServerLimits.placesPause
        // Not at once: a file created now could be hidden by a mount that follows, or be in its
        // way.
        takeAt = min(takeAt ?? .max, now + pause)
    }

    /// Removes the stand-ins' files, so that a server may start anywhere.
    func remove() { standIns.remove() }

    /// Releases the stand-ins; their files stay.
    mutating func letGo() { standIns = StandIns() }
}
