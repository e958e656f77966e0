// SPDX-License-Identifier: Apache-2.0
//
// Names from which items have gone, as presenters were told lately. A presenter looks at such a
// name when the message arrives. By then, another item may be there, and be gone again before the
// watcher has checked the name. Then nothing differs from the last report, but the presenter has
// seen that item. So it is told once more that nothing is there.

/// The names of the items whose departure was told lately.
struct RecentDepartures {
    /// The most names that are kept; if there are more, those until then are forgotten.
    private static let most = 1024

    private struct Departure {
        let until: UInt64
        /// Whether a coordinated writer made it.
        let isCoordinated: Bool
        /// Whether the kernel's event about it was read.
        ///
        /// Until then, an event of a new item at the name is older than the departure.
        var isNotified: Bool
    }

    private var names: [ToldSlot: Departure] = [:]
    /// No name is forgotten before this time.
    private var earliest = UInt64.max

    /// Adds a name for which the departure of its item is told, until a time.
    mutating func add(
        _ name: ToldSlot, isCoordinated: Bool, isNotified: Bool, until time: UInt64
    ) {
        if names.count >= Self.most { names = [:] }
        names[name] = Departure(
            until: time, isCoordinated: isCoordinated, isNotified: isNotified)
        earliest = min(earliest, time)
    }

    /// Whether presenters were told lately that the item of a name has gone.
    func contains(_ name: ToldSlot) -> Bool { names[name] != nil }

    /// Whether an event says that a program has put another item at such a name.
    ///
    /// While coordinated writes are under way, an item where a coordinated writer's was before
    /// counts as one that such writers announce.
    mutating func precede(
        _ event: KernelEvent, of name: ToldSlot, besideClaims: Bool
    ) -> Bool {
        guard let departure = names[name] else { return false }
        guard event.what.isDisjoint(with: [.removed, .movedFrom]) else {
            names[name]?.isNotified = true
            return false
        }
        return departure.isNotified && !(departure.isCoordinated && besideClaims)
    }

    /// Forgets the names whose time is over.
    mutating func expire(at now: UInt64) {
        guard earliest <= now else { return }
        names = names.filter { $0.value.until > now }
        earliest = names.values.map(\.until).min() ?? .max
    }
}

extension WatchReconciler {
    /// Remembers a name from which presenters are told that an item has gone.
    mutating func rememberDeparture(_ report: TurnReport) {
        let node = nodes[report.node]
        let isNotified: Bool
        switch report.what {
        case .appeared, .changed: return
        case .deleted: isNotified = node.flags.contains(.removed)
        // Where the item is now was found by its identity, mostly because of that event.
        case .moved: isNotified = true
        }
        let own = node.parent.map { ToldSlot(parent: $0, name: node.name) }
        guard let name = ToldSlot(node.known) ?? own else { return }
        presenters.departures.add(
            name, isCoordinated: report.origins.contains(.coordinated), isNotified: isNotified,
            until: pace.now + limits.returning)
    }
}
