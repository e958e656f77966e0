// SPDX-License-Identifier: Apache-2.0
//
// Taking over. Everything the former server knew is in the ledgers, whose locks say which of their
// owners live; no client's cooperation is needed, also not that of a stopped process (Rule 18.7).
//
// The order matters. All epochs first: after that nothing the former server still does has any
// effect, and only then is what the records say final. Then presenters, so that claims find them;
// then running claims; then the ended ones, whose messages are still owed; then those that wait.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    private typealias Found = (client: Client, snapshot: RecordSnapshot)

    /// Throws if a living ledger cannot be read: a server that does not know what runs must not
    /// grant.
    ///
    /// - Parameters:
    ///   - orphans: ledgers that are not in the directory any more.
    ///   - opened: some of those that are, by name.
    /// - Returns: what is to be said of it once clients can come.
    func recover(
        with orphans: [LedgerReader], opened: [String: LedgerReader]
    ) throws -> ServerLogEntry {
        Failpoint.reach(.before, .recovers)
        defer { Failpoint.reach(.after, .recovers) }
        decide(.clockAdvanced(to: MonotonicClock.now))
        let owners = try admitAll(orphans, opened)
        // Only now: the former server may have written until its epoch was over.
        try records.relocations.read()
        connections.greeting.packagePolicy = PackageConfiguration.adding(
            records.relocations.addedPackages, to: configuration.packagePolicy)
        // Of those that died with, or after, the former server, only what they did still matters.
        let (living, dead) = parted(owners)
        let found = Self.records(of: living)
        for (client, snapshot) in found where snapshot.kind == .presenter {
            recoverPresenter(snapshot, of: client)
        }
        let running = (found + Self.records(of: dead)).filter {
            $0.snapshot.kind == .claim
                && ($0.snapshot.state == .granted || $0.snapshot.state == .released)
        }
        for (client, snapshot) in running.sorted(by: Self.inLine) {
            work.append(.recover(RecordLook(snapshot, of: client.id)))
        }
        let waiting = found.filter { $0.snapshot.kind == .claim && $0.snapshot.state == .asked }
        for (client, snapshot) in waiting.sorted(by: Self.inLine) {
            work.append(.fileAgain(RecordLook(snapshot, of: client.id)))
        }
        // Ended and cancelled claims: told, then given back to their clients.
        for client in owners { work.append(.scan(.granted(of: client.id))) }
        for client in living { work.append(.scan(.all(of: client.id))) }
        work.append(.decide(.recoveryFinished))
        for client in dead { work.append(.removeClient(client.id)) }
        finishWork()
        beginRelocationLog()
        Delegations.removeFormerTicketQueues(
            from: presence.runtime.directory, before: presence.epoch)
        return .serving(
            epoch: presence.epoch.rawValue, recoveredClaims: running.count + waiting.count,
            recoveredPresenters: records.presenterCount)
    }

    /// Those that live, and those that do not.
    private func parted(_ owners: [Client]) -> (living: [Client], dead: [Client]) {
        var parts: (living: [Client], dead: [Client]) = ([], [])
        for client in owners {
            if processes.isAlive(client), !processes.hasVanished(client) {
                parts.living.append(client)
            } else {
                parts.dead.append(client)
            }
        }
        return parts
    }

    /// Tells the arbiter of a claim that a former server has granted, and of what it has announced.
    func recover(_ look: RecordLook) {
        guard let client = clients[look.client],
            let snapshot = client.ledger.snapshot(ofRecord: look.record.index),
            snapshot.reference == look.record
        else { return }
        // Made known already if another one runs in its command.
        if let claim = records.claim(look.record, of: client.id) {
            return remind(look.record, of: client, claim)
        }
        guard let body = claimBody(snapshot, client),
            let claim = claim(snapshot, body, look, client, again: { .recover($0) })
        else { return }
        decide(.claimRecovered(claim))
        watchWrites(of: claim.id, isFound: true)
        remind(look.record, of: client, claim.id)
    }

    /// Tells the arbiter of a claim that waited when the former server left.
    func fileAgain(_ look: RecordLook) {
        guard let client = clients[look.client],
            let snapshot = client.ledger.snapshot(ofRecord: look.record.index),
            snapshot.reference == look.record, snapshot.state == .asked,
            let body = claimBody(snapshot, client),
            let claim = claim(snapshot, body, look, client, again: { .fileAgain($0) })
        else { return }
        decide(.claimFiled(claim))
    }

    private func recoverPresenter(_ snapshot: RecordSnapshot, of client: Client) {
        // The others are looked at, as any other, once the running claims are known.
        guard snapshot.state == .granted else { return }
        guard let body = client.ledger.presenterBody(snapshot.reference) else {
            return reject(snapshot, client)
        }
        let presenter = records.presenter(snapshot, body, of: client)
        decide(.presenterAdded(presenter))
        // Its process has it look at its item once it knows of this server; what came before that
        // need not be told. Files may be stamped by the tick.
        watch(
            presenter, snapshot.reference, of: client,
            changedAfter: RealTimeClock.now - ServerLimits.stampTick)
    }

    /// Begins this server's own relocation log.
    ///
    /// If that cannot be done just now, it is done with the first entry; the former one stays.
    private func beginRelocationLog() {
        do {
            try records.relocations.begin(living: records.serials)
        } catch {
            configuration.log(.relocationNotWritten(reason: "\(error)"))
        }
    }

    private static func records(of clients: [Client]) -> [Found] {
        clients.flatMap { client in client.ledger.scan().map { (client, $0) } }
    }

    /// Ticketed claims in their order, then those that no server has seen, by their filing time.
    private static func inLine(_ first: Found, _ second: Found) -> Bool {
        func key(_ entry: Found) -> (UInt64, UInt64, UInt32) {
            let serial = entry.snapshot.serial
            return (serial == 0 ? .max : serial, entry.snapshot.filedAt, entry.client.id.rawValue)
        }
        return key(first) < key(second)
    }

    // MARK: Ledgers

    private func admitAll(
        _ orphans: [LedgerReader], _ opened: [String: LedgerReader]
    ) throws -> [Client] {
        var owners = try orphans.map { try admit($0) }
        let names = try presence.runtime.ledgers.names().sorted()
        for name in names where LedgerName.isTemporary(name) { removeIfAbandoned(name) }
        for name in names where LedgerName.isFinal(name) {
            do throws(LedgerError) {
                // Listed only now: what was made since the epoch was raised has adopted it.
                if let ledger = opened[name] {
                    owners.append(try admit(ledger))
                } else {
                    owners.append(try admit(name))
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
            processes.see(client.id, as: client.ledger.processID)
            // A process that is gone has no handle; its lock tells.
            processes.watch(client.id, try? ProcessHandle(processID: client.ledger.processID))
        }
        return owners
    }

    /// Removes a ledger whose client died while it made it.
    private func removeIfAbandoned(_ name: String) {
        let ledgers = presence.runtime.ledgers
        // What cannot be looked at stays.
        guard let file = try? ledgers.openFile(name, [.read, .write]),
            (try? FileLock.isHeldByAnother(file)) == false,
            // Made and not locked yet is not abandoned.
            let status = try? file.status(),
            RealTimeClock.now - status.changed > ServerLimits.abandonedAge
        else { return }
        try? ledgers.remove(name)
    }
}
