// SPDX-License-Identifier: Apache-2.0
//
// One thread that waits for many descriptors.

internal import CFileCoordinationSystem

/// A set of descriptors to wait for (epoll, level-triggered).
///
/// May be used from any thread.
public final class Poller: Sendable {
    /// What is being waited for, or has come.
    public struct Interest: OptionSet, Hashable, Sendable {
        /// The set as bits.
        public let rawValue: UInt32

        /// Makes a set of bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// There is something to read, or the end of it.
        public static let readable = Interest(rawValue: UInt32(FCS_READABLE))
        /// There is room to write.
        public static let writable = Interest(rawValue: UInt32(FCS_WRITABLE))
        static let hangup = Interest(rawValue: UInt32(FCS_HANGUP))
    }

    /// A descriptor for which something has come.
    public struct Ready: Hashable, Sendable {
        /// What was given to ``Poller/add(_:token:_:)``.
        public let token: UInt64
        /// There is something to read.
        public let readable: Bool
        /// There is room to write.
        public let writable: Bool
        /// The other end is gone, or the descriptor is broken.
        ///
        /// Reported without being asked for; what the other end sent may still be there to read.
        public let hangup: Bool
    }

    /// So many are told of at once.
    public static var most: Int { FCS_POLL_BATCH }

    private let descriptor: Descriptor

    /// Makes an empty set.
    public init() throws(SystemError) {
        // A child that changed its inherited set would change the parent's.
        descriptor = Descriptor(
            adopting: try check(fcs_poller(), "make a poller"), inForkedChild: .closed)
    }

    /// Starts to wait for a descriptor; `token` is how it is reported.
    ///
    /// Remove it before it is closed: a copy of it elsewhere would keep it in the set.
    public func add(
        _ descriptor: Descriptor, token: UInt64, _ interest: Interest
    ) throws(SystemError) {
        try control(FCS_POLL_ADD, descriptor, token, interest)
    }

    /// Changes what a descriptor is waited for, and its token.
    public func modify(
        _ descriptor: Descriptor, token: UInt64, _ interest: Interest
    ) throws(SystemError) {
        try control(FCS_POLL_MODIFY, descriptor, token, interest)
    }

    /// Stops waiting for a descriptor.
    public func remove(_ descriptor: Descriptor) throws(SystemError) {
        try control(FCS_POLL_REMOVE, descriptor, 0, [])
    }

    /// Waits until something comes, and fills `ready` with it: up to 64 entries, none if the time
    /// ran out first.
    ///
    /// `deadline` is in nanoseconds of ``MonotonicClock``; `nil` is for ever. May return up to a
    /// millisecond late, never early.
    public func wait(into ready: inout [Ready], until deadline: UInt64?) throws(SystemError) {
        ready.removeAll(keepingCapacity: true)
        let capacity = Self.most
        let count = withUnsafeTemporaryAllocation(of: fcs_ready.self, capacity: capacity) {
            buffer in
            guard let base = buffer.baseAddress else { return Int32(0) }
            let count = fcs_poller_wait(descriptor.number, base, deadlineWord(deadline))
            for entry in buffer.prefix(Int(max(0, count))) {
                let seen = Interest(rawValue: entry.events)
                ready.append(
                    Ready(
                        token: entry.token, readable: seen.contains(.readable),
                        writable: seen.contains(.writable), hangup: seen.contains(.hangup)))
            }
            return count
        }
        try check(count, "wait for events")
    }

    /// The number of the set's own descriptor.
    var number: Int32 { descriptor.number }

    private func control(
        _ operation: Int, _ descriptor: Descriptor, _ token: UInt64,
        _ interest: Interest
    ) throws(SystemError) {
        try check(
            fcs_poller_control(
                self.descriptor.number, Int32(operation), descriptor.number, token,
                interest.rawValue),
            "poll descriptor \(descriptor.number)")
    }
}
