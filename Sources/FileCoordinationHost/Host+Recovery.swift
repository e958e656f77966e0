// SPDX-License-Identifier: Apache-2.0
//
// Taking over. Everything the former host knew is in the ledgers, whose locks say which of their
// owners live; nobody's cooperation is needed, also not that of a stopped process (Rule 18.7).
//
// The order matters. All epochs first: after that nothing the former host still does has any
// effect, and only then is what the records say final. Then presenters, so that claims find them;
// then running claims; then the ended ones, whose messages are still owed; then the line.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Host {
    /// Throws if a living ledger cannot be read: who does not know what runs must not grant.
    ///
    /// - Parameters:
    ///   - orphans: ledgers that are not in the directory any more.
    ///   - opened: some of those that are, by name.
    /// - Returns: what is to be said of it once somebody can come.
    func recover(
        with orphans: [LedgerReader], opened: [String: LedgerReader]
    ) throws -> HostLogEntry {
        Failpoint.reach(.before, .recovers)
        defer { Failpoint.reach(.after, .recovers) }
        tell(.clockAdvanced(to: MonotonicClock.now))
        let owners = try adoptLedgers(and: orphans, opened)
        // Only now: the former host may have written until its epoch was over.
        try book.read()
        packagePolicy = PackageConfiguration.adding(
            book.addedPackages, to: configuration.packagePolicy)
        // Of those that died with, or after, the former host, only what they did still matters.
        let (living, dead) = parted(owners)
        lastTicket = epoch.firstTicket - 1
        let records = Self.records(of: living)
        for (client, snapshot) in records where snapshot.kind == .presenter {
            recoverPresenter(snapshot, of: client)
        }
        let running = (records + Self.records(of: dead)).filter {
            $0.snapshot.kind == .claim
                && ($0.snapshot.state == .granted || $0.snapshot.state == .released)
        }
        for (client, snapshot) in running.sorted(by: Self.inLine) {
            // Made known already if another one runs in its command.
            if let known = client.known[snapshot.reference.index], known.isOf(snapshot),
                case .claim(let claim) = known.identity
            {
                remind(snapshot, of: client, claim)
                continue
            }
            guard let claim = makeClaim(snapshot, of: client) else { continue }
            tell(.claimRecovered(claim))
            remind(snapshot, of: client, claim.id)
        }
        let waiting = records.filter { $0.snapshot.kind == .claim && $0.snapshot.state == .asked }
        for (client, snapshot) in waiting.sorted(by: Self.inLine) {
            if let claim = makeClaim(snapshot, of: client) { tell(.claimFiled(claim)) }
        }
        // Ended and cancelled claims: told, then given back to their clients.
        for client in owners { lookAtGrantedRecords(of: client) }
        for client in living { lookAtAllRecords(of: client) }
        tell(.recoveryFinished)
        for client in dead { bury(client) }
        settleBook()
        removeFormerRelays()
        return .serving(
            epoch: epoch.rawValue, recoveredClaims: running.count + waiting.count,
            recoveredPresenters: presenters.count)
    }

    /// Those who live, and those who do not.
    private func parted(_ owners: [Client]) -> (living: [Client], dead: [Client]) {
        var parts: (living: [Client], dead: [Client]) = ([], [])
        for client in owners {
            if isAlive(client), !hasVanished(client) {
                parts.living.append(client)
            } else {
                parts.dead.append(client)
            }
        }
        return parts
    }

    /// Whether there is no process of the client's number any more, though its lock is held.
    private func hasVanished(_ client: Client) -> Bool {
        client.process == nil && client.ledger.isProcessVisible
            && client.ledger.processID != CurrentProcess.id
            && ProcessState.hasEnded(client.ledger.processID)
    }

    /// Begins this host's own book.
    ///
    /// If that cannot be done just now, it is done with the first entry; the former one stays.
    private func settleBook() {
        do {
            try book.settle(
                living: Set(claims.keys.map(\.rawValue) + presenters.keys.map(\.rawValue)))
        } catch {
            configuration.log(.bookNotWritten(reason: "\(error)"))
        }
    }

    private static func records(
        of clients: [Client]
    ) -> [(client: Client, snapshot: RecordSnapshot)] {
        clients.flatMap { client in client.ledger.scan().map { (client, $0) } }
    }

    /// Ticketed claims in their order, then those that no host has seen, by their filing time.
    private static func inLine(
        _ first: (client: Client, snapshot: RecordSnapshot),
        _ second: (client: Client, snapshot: RecordSnapshot)
    ) -> Bool {
        func key(_ entry: (client: Client, snapshot: RecordSnapshot)) -> (UInt64, UInt64, UInt32) {
            let ticket = entry.snapshot.ticket
            return (ticket == 0 ? .max : ticket, entry.snapshot.filedAt, entry.client.id.rawValue)
        }
        return key(first) < key(second)
    }

    private func adoptLedgers(
        and orphans: [LedgerReader], _ opened: [String: LedgerReader]
    ) throws -> [Client] {
        var owners = try orphans.map { try adopt($0) }
        let names = try runtime.ledgers.names().sorted()
        for name in names where LedgerName.isTemporary(name) { removeIfAbandoned(name) }
        for name in names where LedgerName.isFinal(name) {
            do throws(LedgerError) {
                // Listed only now: what was made since the epoch was raised has adopted it.
                if let ledger = opened[name] {
                    owners.append(try adopt(ledger))
                } else {
                    owners.append(try adopt(name))
                }
            } catch {
                // A ledger that is there and cannot be read for want of something may be in use;
                // anything else with such a name is not a ledger.
                if Self.isWant(error) { throw error }
                configuration.log(.ledgerRejected(name: name, reason: "\(error)"))
            }
        }
        // The lock first, then the process: a number that was given to another process since then
        // would belong to a ledger whose lock is free.
        // In another namespace it is another process's; that client's is had when it is connected.
        // One that does not say where it has its number is had then, too.
        for client in owners where client.ledger.isAlive && client.ledger.isProcessVisible {
            client.visibleID = client.ledger.processID
            watchProcess(of: client, try? ProcessHandle(processID: client.ledger.processID))
        }
        return owners
    }

    /// Whether the kernel lacked something that may be had later.
    static func isWant(_ error: LedgerError) -> Bool {
        guard case .system(let cause) = error else { return false }
        return ErrorNumber.wants.contains(cause.code)
    }

    /// Removes a ledger whose client died while it made it.
    private func removeIfAbandoned(_ name: String) {
        guard let file = try? runtime.ledgers.openFile(name, [.read, .write]),
            (try? FileLock.isHeldByAnother(file)) == false,
            // Made and not locked yet is not abandoned.
            let status = try? file.status(),
            RealTimeClock.now - status.changed > HostLimits.abandonedAge
        else { return }
        try? runtime.ledgers.remove(name)
    }

    private func recoverPresenter(_ snapshot: RecordSnapshot, of client: Client) {
        switch snapshot.state {
        case .granted:
            if let presenter = makePresenter(snapshot, of: client) {
                tell(.presenterAdded(presenter))
            }
        case .draft, .asked, .free, .released, .cancelled:
            // Looked at, as any other, once the running claims are known.
            break
        }
    }
}
