// SPDX-License-Identifier: Apache-2.0
//
// The state machine of one presenter's lease guard: facts in, actions out, without the kernel. A
// lease is only wanted while neither a claim nor a program of the presenter's own purpose writes.

/// Whether plain programs that open a presenter's file must wait until it has saved.
package enum LeaseGuardStatus: Hashable, Sendable {
    /// There is no lease yet.
    case starting
    /// A plain program that opens the file for writing waits.
    case on
    /// No plain program waits, for this reason; the next event at the file may change it.
    case off(LeaseRefusal)

    /// Why there is no lease.
    package enum LeaseRefusal: Hashable, Sendable, CustomStringConvertible {
        /// A process has the file open for writing.
        case isOpenForWriting
        /// There is no file at the path.
        case noFile
        /// It is no regular file.
        case notARegularFile
        /// It is another user's file.
        case otherUsersFile
        /// The presenter's process has written in the file, instead of replacing it; the guard has
        /// ended.
        case writtenInPlace
        /// The kernel or the file system refuses, with this error number.
        case system(Int32)

        package var description: String {
            switch self {
            case .isOpenForWriting: "a process has the file open for writing"
            case .noFile: "there is no file"
            case .notARegularFile: "it is no regular file"
            case .otherUsersFile: "it is another user's file"
            case .writtenInPlace:
                "the presenter's program writes in the file instead of replacing it"
            case .system(let code): "the kernel refuses: error \(code)"
            }
        }
    }
}

/// The lifecycle of a guard.
///
///     idle ─► seeking ─► held ─► asking ─► letGo ─► seeking
///               ▲  │
///             refused
///
/// It ends when the presenter's own process writes in the file: then the plain program's bytes and
/// the presenter's meet in one file, and no version can keep either.
struct LeaseGuardLifecycle: Hashable, Sendable {
    typealias LeaseRefusal = LeaseGuardStatus.LeaseRefusal

    private enum Phase: Hashable, Sendable {
        /// A claim, or a writer of the presenter's purpose, needs the file without a lease.
        case idle
        /// The thread is to take the lease.
        case seeking
        /// The lease was refused. The next event at the file makes the thread try again.
        case refused(LeaseRefusal)
        /// The lease is held.
        case held
        /// A plain program waits, and the presenter is asked.
        case asking
        /// As `asking`, but the lease was dropped, because the presenter's own process waited for
        /// it.
        case askingWithoutLease
        /// The plain program continues; the presenter waits until that has closed the file.
        case letGo
        /// As `letGo`, after a presenter that writes in its file was asked.
        case lettingGoForGood
        /// The guard has ended, because the presenter's process writes in the file.
        case ended
        /// The presenter was removed.
        case removed
    }

    enum GuardEvent: Hashable, Sendable {
        /// A claim, or a writer of the presenter's purpose, needs the file without a lease.
        case lifted
        /// No claim or writer needs that any more.
        case restored
        /// The item was moved, replaced, created, closed or changed.
        case itemMayHaveChanged
        /// The file that has the lease is no longer at the item's path.
        case replaced
        /// The thread has taken the lease.
        case leaseTaken
        case leaseRefused(LeaseRefusal)
        /// A process waits for the lease to be dropped.
        case broken(byOwnProcess: Bool)
        /// The presenter's own process waits for the lease, because it opens the file to save.
        case saverWaits
        /// The presenter has answered, and what it saved is preserved.
        case answered
        /// The thread cannot go on, with this error number; the next task starts another one.
        case threadFailed(Int32)
        case removed
    }

    enum GuardAction: Hashable, Sendable {
        /// Drop the lease now.
        case drop
        /// Have the thread take a lease.
        case takeLease
        /// Have the thread compare the file that has the lease with the one at the path.
        case checkPath
        /// Ask the presenter to relinquish and to save.
        case ask
        /// Give the presenter its item back.
        case giveBack
        /// Have the thread preserve what the presenter saved, and drop the lease.
        case finish
        /// Tell the program.
        case report(LeaseGuardStatus)
    }

    private var state = Phase.seeking
    private var lifters = 0
    private(set) var status = LeaseGuardStatus.starting

    /// Whether the presenter is asked while its lease is held.
    var isAsking: Bool { state == .asking }

    /// Whether the lease is held, so that a break of it must be handled.
    var isHolding: Bool { state == .held }

    /// Whether the thread is to try to take a lease.
    var isSeeking: Bool {
        switch state {
        case .seeking, .letGo, .lettingGoForGood: true
        case .idle, .refused, .held, .asking, .askingWithoutLease, .ended, .removed: false
        }
    }

    mutating func handle(_ event: GuardEvent) -> [GuardAction] {
        switch event {
        case .lifted:
            lifters += 1
            return lift()
        case .restored:
            lifters -= 1
            guard lifters == 0, state == .idle else { return [] }
            return seek()
        case .itemMayHaveChanged: return itemMayHaveChanged()
        case .replaced:
            guard state == .held else { return [] }
            return [.drop] + seek()
        case .leaseTaken: return leaseTaken()
        case .leaseRefused(let refusal): return leaseRefused(refusal)
        case .broken(let isOwn):
            guard state == .held else { return [] }
            state = isOwn ? .ended : .asking
            return isOwn ? [.drop] + report(.off(.writtenInPlace)) : [.ask]
        case .saverWaits:
            guard state == .asking else { return [] }
            state = .askingWithoutLease
            return [.drop] + report(.off(.writtenInPlace))
        case .answered:
            guard state == .asking || state == .askingWithoutLease else { return [] }
            state = state == .asking ? .letGo : .lettingGoForGood
            return [.drop, .takeLease]
        case .threadFailed(let code): return threadFailed(code)
        case .removed: return remove()
        }
    }

    private mutating func lift() -> [GuardAction] {
        switch state {
        case .held:
            state = .idle
            return [.drop]
        case .seeking, .refused:
            state = .idle
            return []
        case .idle, .asking, .askingWithoutLease, .letGo, .lettingGoForGood, .ended, .removed:
            return []
        }
    }

    private mutating func seek() -> [GuardAction] {
        state = .seeking
        return [.takeLease]
    }

    private mutating func itemMayHaveChanged() -> [GuardAction] {
        switch state {
        case .held: [.checkPath]
        case .refused: seek()
        case .seeking, .letGo, .lettingGoForGood: [.takeLease]
        case .idle, .asking, .askingWithoutLease, .ended, .removed: []
        }
    }

    private mutating func leaseTaken() -> [GuardAction] {
        switch state {
        case .seeking:
            state = .held
            return report(.on)
        case .letGo:
            // The kernel gives a lease only when no process has the file open for writing.
            state = lifters == 0 ? .held : .idle
            return (lifters == 0 ? report(.on) : [.drop]) + [.giveBack]
        case .lettingGoForGood:
            state = .ended
            return [.drop, .giveBack]
        case .held:
            return []
        case .idle, .refused, .asking, .askingWithoutLease, .ended, .removed:
            return [.drop]
        }
    }

    private mutating func leaseRefused(_ refusal: LeaseRefusal) -> [GuardAction] {
        switch state {
        case .seeking:
            state = .refused(refusal)
            return report(.off(refusal))
        case .letGo:
            guard refusal != .isOpenForWriting else { return report(.off(refusal)) }
            state = lifters == 0 ? .refused(refusal) : .idle
            return report(.off(refusal)) + [.giveBack]
        case .lettingGoForGood:
            guard refusal != .isOpenForWriting else { return [] }
            state = .ended
            return [.giveBack]
        case .idle, .refused, .held, .asking, .askingWithoutLease, .ended, .removed:
            return []
        }
    }

    private mutating func threadFailed(_ code: Int32) -> [GuardAction] {
        let former = state
        switch former {
        case .idle: return report(.off(.system(code)))
        case .askingWithoutLease, .lettingGoForGood:
            state = .ended
            return [.drop, .giveBack]
        case .seeking, .refused, .held, .asking, .letGo:
            state = .refused(.system(code))
            let isAsked = former == .asking || former == .letGo
            return [.drop] + report(.off(.system(code))) + (isAsked ? [.giveBack] : [])
        case .ended, .removed: return []
        }
    }

    private mutating func remove() -> [GuardAction] {
        defer { state = .removed }
        switch state {
        case .asking, .askingWithoutLease: return [.finish]
        case .held: return [.drop]
        case .idle, .seeking, .refused, .letGo, .lettingGoForGood, .ended, .removed: return []
        }
    }

    private mutating func report(_ new: LeaseGuardStatus) -> [GuardAction] {
        defer { status = new }
        return new == status ? [] : [.report(new)]
    }
}
