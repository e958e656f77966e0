// SPDX-License-Identifier: Apache-2.0
//
// The recordings that programs have requested: entries to be sent, encoded in slices. The memory
// for them is bounded: a program that reads too slowly misses entries, which are counted, and never
// delays another program. While no program records, the only cost is the check whether there is a
// recording.

import FileCoordinationArbiter
import FileCoordinationWire

/// All recordings.
struct Recordings {
    private(set) var all: [Recording] = []

    var isEmpty: Bool { all.isEmpty }
    var count: Int { all.count }

    /// The number of connections when the recordings were last examined.
    private var connections = 0

    /// Whether a slice can perhaps be sent, or a connection may have ended.
    mutating func mayHaveWork(at now: Instant, connections count: Int) -> Bool {
        defer { connections = count }
        if connections != count { return true }
        // By index, because a copy of each would cost more than all the rest.
        return all.indices.contains { index in
            all[index].deadline.map { $0 <= now } ?? all[index].isOver
        }
    }

    /// Adds a recording.
    mutating func begin(_ recording: Recording) { all.append(recording) }

    /// Whether there is a recording for a connection.
    func contains(_ token: UInt64) -> Bool { all.contains { $0.token == token } }

    /// Changes each recording, and removes those for which `change` returns false.
    mutating func update(_ change: (inout Recording) -> Bool) {
        var index = 0
        while index < all.count {
            if change(&all[index]) { index += 1 } else { all.remove(at: index) }
        }
    }

    /// Changes the recording for a connection, if there is one.
    mutating func update(_ token: UInt64, _ change: (inout Recording) -> Void) {
        guard let index = all.firstIndex(where: { $0.token == token }) else { return }
        change(&all[index])
    }
}

/// The entries for one connection that are not sent yet.
struct Recording {
    /// The connection.
    let token: UInt64
    /// The PID namespace of the recording program.
    let namespace: UInt64
    /// The entries that are not in a slice yet.
    private var open = TraceEncoder()
    /// Encoded entries to be sent, oldest first.
    private var slices: ArraySlice<[UInt8]> = []
    private var sliceBytes = 0
    /// The number of entries that were dropped after the last one.
    private(set) var dropped: UInt64 = 0
    /// When the first entry of those that are not in a slice was made.
    private var openSince = Instant.distantPast
    /// The clients that were described.
    private var described: Set<ClientID> = []
    /// The clients whose stop was recorded, and not that they run again or have ended.
    private var stopped: Set<ClientID> = []
    /// Claims that were filed, and for which what they wait for was not recorded yet.
    var unchecked: [ClaimID] = []
    /// The claims that wait, as far as the recording has seen, in the order of their filing.
    var waiting = OrderedWaiting()
    /// Whether the program has ended the recording.
    private(set) var isOver = false

    /// Begins a recording.
    ///
    /// The first entry can be sent at once, because the program waits for it.
    init(token: UInt64, namespace: UInt64, at time: Instant) {
        self.token = token
        self.namespace = namespace
        add(.began, at: time)
        close()
    }

    // MARK: Adding

    /// Adds an entry, or counts it as dropped.
    ///
    /// - Returns: whether it was added.
    @discardableResult
    mutating func add(_ event: TraceEvent, at time: Instant) -> Bool {
        guard !isOver else { return false }
        // A recording that was full takes entries again only when half of it is free, so that there
        // is one long gap instead of many short ones.
        let limit =
            dropped == 0 ? ServerLimits.recordingBytes : ServerLimits.recordingBytes / 2
        guard sliceBytes + open.count < limit else {
            dropped += 1
            return false
        }
        sayWhatIsMissing(at: time)
        return put(event, at: time)
    }

    /// Describes a client, unless that was done before.
    mutating func describe(_ client: ClientID, at time: Instant, as event: () -> TraceEvent) {
        guard !described.contains(client) else { return }
        if add(event(), at: time) { described.insert(client) }
    }

    /// Adds that a client's process is stopped, unless the last such entry says so already.
    mutating func addStop(of client: ClientID, at time: Instant) {
        guard !stopped.contains(client) else { return }
        if add(.stopped(client.rawValue, true), at: time) { stopped.insert(client) }
    }

    /// Adds that a client's process runs again.
    mutating func addContinuation(of client: ClientID, at time: Instant) {
        stopped.remove(client)
        add(.stopped(client.rawValue, false), at: time)
    }

    /// Adds that a client's process has ended.
    mutating func addDeath(of client: ClientID, at time: Instant) {
        stopped.remove(client)
        add(.died(client.rawValue), at: time)
        // No later entry is about this client.
        described.remove(client)
    }

    /// Adds what a claim waits for, unless the last such entry says the same.
    mutating func addWaits(
        of claim: ClaimID, claims: [UInt64], presenters: [UInt64], count: Int, at time: Instant
    ) {
        let event = TraceEvent.waits(
            claim.rawValue, claims: claims, presenters: presenters, count: UInt32(clamping: count))
        guard waiting.lastRecorded(of: claim) != event.hashValue else { return }
        if add(event, at: time) { waiting.setLastRecorded(event.hashValue, of: claim) }
    }

    /// Adds an entry with the number of dropped entries, if there are any.
    private mutating func sayWhatIsMissing(at time: Instant) {
        guard dropped > 0 else { return }
        let count = dropped
        dropped = 0
        _ = put(.dropped(count), at: time)
    }

    private mutating func put(_ event: TraceEvent, at time: Instant) -> Bool {
        if open.count == 0 { openSince = time }
        var isAdded = open.add(TraceEntry(time: time, event))
        if !isAdded {
            close()
            openSince = time
            isAdded = open.add(TraceEntry(time: time, event))
            // A claim of thousands of items is longer than any message.
            if !isAdded { dropped += 1 }
        }
        if open.count >= ServerLimits.recordingSlice { close() }
        return isAdded
    }

    /// Makes a slice of the entries so far.
    private mutating func close() {
        guard open.count > 0 else { return }
        let slice = open.take()
        sliceBytes += slice.count
        slices.append(slice)
    }

    /// Ends the recording, with a last entry that says that it is over.
    mutating func end(at time: Instant) {
        guard !isOver else { return }
        sayWhatIsMissing(at: time)
        _ = put(.over, at: time)
        close()
        isOver = true
    }

    // MARK: Sending

    /// Returns the next slice to send, if there is one that is full, or old enough.
    mutating func takeSlice(at now: Instant) -> [UInt8]? {
        if slices.isEmpty, let deadline, deadline <= now { close() }
        guard let slice = slices.popFirst() else { return nil }
        sliceBytes -= slice.count
        return slice
    }

    /// Whether all was sent.
    var isSent: Bool { slices.isEmpty && open.count == 0 }

    /// When the next slice is to be sent, if the connection has room for it.
    var deadline: Instant? {
        if !slices.isEmpty { return .distantPast }
        return open.count == 0 ? nil : openSince + ServerLimits.recordingDelay
    }
}

/// The claims that wait, oldest first; removing one does not search the others.
struct OrderedWaiting {
    private var order: ArraySlice<ClaimID> = []
    /// The claims, each with the hash of the last entry about its wait; nil if there is none.
    private var members: [ClaimID: Int?] = [:]

    /// Adds a claim behind the others.
    mutating func add(_ claim: ClaimID) {
        guard members[claim] == nil else { return }
        members[claim] = .some(nil)
        order.append(claim)
    }

    /// Removes a claim.
    mutating func remove(_ claim: ClaimID) {
        guard !members.isEmpty, members.removeValue(forKey: claim) != nil else { return }
        // Removed claims stay in the list until they are at its front, or are most of it.
        while let first = order.first, members[first] == nil { order.removeFirst() }
        if order.count > 2 * members.count + 64 {
            order = ArraySlice(order.filter { members[$0] != nil })
        }
    }

    /// Returns the hash of the last entry about a claim's wait, or nil.
    func lastRecorded(of claim: ClaimID) -> Int? { members[claim] ?? nil }

    /// Stores the hash of an entry about a claim's wait.
    mutating func setLastRecorded(_ hash: Int, of claim: ClaimID) {
        if members[claim] != nil { members[claim] = .some(hash) }
    }

    /// The first claims that still wait.
    func first(_ count: Int) -> [ClaimID] {
        Array(order.lazy.filter { members[$0] != nil }.prefix(count))
    }
}
