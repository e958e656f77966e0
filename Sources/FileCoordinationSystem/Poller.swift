// SPDX-License-Identifier: Apache-2.0
//
// Lets one thread wait for many descriptors.

internal import CFileCoordinationSystem
public import MonotonicTime

/// A set of descriptors to wait for (epoll, level-triggered).
///
/// May be used from any thread.
public final class Poller: Sendable {
    /// The events of a descriptor.
    public struct Interest: OptionSet, Hashable, Sendable {
        /// The bits of the set.
        public let rawValue: UInt32

        /// Creates a set from bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Data can be read, or the end was reached.
        public static let readable = Interest(rawValue: UInt32(FCS_READABLE))
        /// Whether data can be written.
        public static let writable = Interest(rawValue: UInt32(FCS_WRITABLE))
        /// Each new event is reported once, even if the descriptor stays ready.
        public static let onlyNew = Interest(rawValue: UInt32(FCS_EDGE))
        static let hangup = Interest(rawValue: UInt32(FCS_HANGUP))
    }

    /// A descriptor with events.
    public struct Ready: Hashable, Sendable {
        /// The token that was passed to ``Poller/add(_:token:_:)``.
        public let token: UInt64
        /// Whether data can be read.
        public let readable: Bool
        /// Whether data can be written.
        public let writable: Bool
        /// Whether the other end is gone, or the descriptor is invalid.
        ///
        /// Always reported. Data that the other end has sent before may still be readable.
        public let hangup: Bool
    }

    /// The most descriptors that one call reports.
    public static var most: Int { FCS_POLL_BATCH }

    private let descriptor: Descriptor

    /// Creates an empty set.
    public init() throws(SystemError) {
        // A child that changed its inherited set would change its parent's.
        descriptor = Descriptor(
            adopting: try check(fcs_poller(), "make a poller"), inForkedChild: .closed)
    }

    /// Adds a descriptor, which is reported with `token`.
    ///
    /// Remove it before closing it, because a copy of the descriptor elsewhere would keep it in the
    /// set.
    public func add(
        _ descriptor: Descriptor, token: UInt64, _ interest: Interest
    ) throws(SystemError) {
        try control(FCS_POLL_ADD, descriptor, token, interest)
    }

    /// Changes the events and the token of a descriptor.
    public func modify(
        _ descriptor: Descriptor, token: UInt64, _ interest: Interest
    ) throws(SystemError) {
        try control(FCS_POLL_MODIFY, descriptor, token, interest)
    }

    /// Removes a descriptor.
    public func remove(_ descriptor: Descriptor) throws(SystemError) {
        try control(FCS_POLL_REMOVE, descriptor, 0, [])
    }

    /// Removes a descriptor that may not be there.
    public func forget(_ descriptor: Descriptor) {
        // Fails only if the descriptor was not added.
        try? remove(descriptor)
    }

    /// Waits for events and stores them in `ready`: up to 64 entries; none if the deadline passes.
    ///
    /// A `deadline` of `nil` means no limit. May return up to a millisecond late, never early.
    public func wait(into ready: inout [Ready], until deadline: Instant?) throws(SystemError) {
        ready.removeAll(keepingCapacity: true)
        let capacity = Self.most
        let count = unsafe withUnsafeTemporaryAllocation(of: fcs_ready.self, capacity: capacity) {
            buffer in
            guard let base = buffer.baseAddress else { return Int32(0) }
            let count = unsafe fcs_poller_wait(descriptor.number, base, deadlineWord(deadline))
            for index in 0..<Int(max(0, count)) {
                let entry = unsafe buffer[index]
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
