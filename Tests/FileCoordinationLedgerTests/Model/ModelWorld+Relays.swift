// SPDX-License-Identifier: Apache-2.0
//
// Relays in the model: how a host begins, opens and ends one. It has one at a time, whose number is
// the host's own, so each host writes another word.

import FileCoordinationLedger

extension ModelWorld {
    // MARK: What may be decided

    /// A relay can begin at any time: as in reality, that is amid the claims for the place.
    func addRelay(
        _ host: Int, to events: inout [ModelEvent], _ configuration: ModelConfiguration
    ) {
        if canOpenRelay(host, configuration.fault) { events.append(.openRelay(host: host)) }
        guard relays > 0, hosts[host].relay == nil, hosts[host].listed != 0 else { return }
        for place in 0..<ModelMemory.slotCount {
            let isWanted = configuration.tasks.joined().contains {
                $0.isLocal && $0.place == place
            }
            if isWanted, !isDelegated(place, by: host) {
                events.append(.beginRelay(host: host, place: place))
            }
        }
    }

    /// Once the host's claims at the place are over, it is the clients' turn.
    private func canOpenRelay(_ host: Int, _ fault: LedgerFault?) -> Bool {
        guard let relay = hosts[host].relay, relay.stage == .held else { return false }
        if fault == .relayOpenedEarly { return true }
        return !hosts[host].knowledge.contains {
            ($0.holds || $0.waits) && $0.place == relay.place
        }
    }

    func holdsRelay(_ host: Int, _ place: Int) -> Bool {
        hosts[host].relay?.place == place && hosts[host].relay?.stage == .held
    }

    /// Before it does anything else.
    func mustEndRelay(_ host: Int) -> Bool {
        guard let relay = hosts[host].relay else { return false }
        return relay.mustEnd || relay.stage == .open && isWaitedFor(relay.place, host)
    }

    // MARK: Beginning

    mutating func beginRelay(_ host: Int, _ place: Int, _ configuration: ModelConfiguration) {
        relays -= 1
        hosts[host].relay = ModelHost.Relay(place: place)
        hosts[host].enter(.renewing(RenewRelay(host)))
        stepHost(host, configuration)
    }

    mutating func delegateInRelay(_ host: Int, after client: Int) {
        guard let place = hosts[host].relay?.place else { return }
        guard let next = listed(host, after: client) else {
            hosts[host].relay?.stage = .held
            return serve(host)
        }
        // As soon as its slot names the relay, it may have claims there.
        hosts[host].relay?.members |= 1 << next
        hosts[host].enter(
            .delegating(
                next, place: place,
                DelegateSlot(slot: place, inRelay: host, epoch: hosts[host].epoch)))
    }

    mutating func openRelay(_ host: Int, _ configuration: ModelConfiguration) {
        guard let ticket = hosts[host].relay?.ticket else { return }
        hosts[host].enter(.opening(PassTurn(ticket)))
        stepHost(host, configuration)
    }

    // MARK: What comes up meanwhile

    /// A claim at the place waits for the host, and was not known to it.
    mutating func noteNews(_ host: Int, at place: Int) {
        if holdsRelay(host, place) { hosts[host].relay?.hasNews = true }
    }

    /// Done with what it looked at.
    mutating func serve(_ host: Int) {
        hosts[host].phase = hosts[host].relay?.hasNews == true ? .checkingLine : .serving
    }

    /// A new claim comes before those in the line only if there are none.
    mutating func checkLine(_ host: Int) {
        let value = memory.load(.word(.relay(host), of: 0), by: process(ofHost: host))
        hosts[host].relay?.hasNews = false
        if !RelayWord(rawValue: value).isLast { hosts[host].relay?.mustEnd = true }
        hosts[host].phase = .serving
    }

    mutating func buryInRelay(_ host: Int, _ client: Int) {
        guard let relay = hosts[host].relay, relay.has(client) else { return }
        hosts[host].relay?.members &= ~(1 << client)
        hosts[host].relay?.mustEnd = true
    }

    // MARK: Ending

    /// First no client can come in any more, then no number counts, then the host decides about all
    /// claims.
    mutating func endRelay(_ host: Int, _ configuration: ModelConfiguration) {
        hosts[host].relay?.stage = .ending
        hosts[host].relay?.mustEnd = false
        if configuration.fault == .scanBeforeRevoke {
            careInRelay(host, after: -1, configuration.records)
        } else {
            revokeInRelay(host, after: -1)
        }
        if hosts[host].phase != .serving { stepHost(host, configuration) }
    }

    mutating func revokeInRelay(_ host: Int, after client: Int) {
        guard let place = hosts[host].relay?.place else { return }
        if let next = firstInRelay(host, after: client, where: { isInRelay(host, $0, place) }) {
            enterRevoking(host, next, place)
        } else {
            hosts[host].enter(.renewing(RenewRelay(host)))
        }
    }

    private func isInRelay(_ host: Int, _ client: Int, _ place: Int) -> Bool {
        hosts[host].delegations[client * ModelMemory.slotCount + place].relay != nil
    }

    /// A member's records have been cared for: those of the next one.
    mutating func careInRelay(_ host: Int, after client: Int, _ count: Int) {
        guard let relay = hosts[host].relay else { return }
        if client >= 0 { hosts[host].relay?.members &= ~(1 << client) }
        if let next = firstInRelay(host, after: client, where: { relay.has($0) }) {
            care(host, next, place: relay.place, record: 0, count)
        } else if clients.indices.contains(where: { isInRelay(host, $0, relay.place) }) {
            // Only under the fault that scans first.
            revokeInRelay(host, after: -1)
        } else {
            hosts[host].relay = nil
            hosts[host].phase = .serving
        }
    }

    private func firstInRelay(
        _ host: Int, after client: Int, where isMeant: (Int) -> Bool
    ) -> Int? {
        clients.indices.first { $0 > client && isMeant($0) }
    }

    mutating func finishRenewing(
        _ host: Int, _ ticket: RelayTicket, _ configuration: ModelConfiguration
    ) {
        if hosts[host].relay?.stage == .forming {
            hosts[host].relay?.ticket = ticket
            delegateInRelay(host, after: -1)
        } else {
            // Under the fault that scans first, no client is left.
            careInRelay(host, after: -1, configuration.records)
        }
    }

    /// Whether the host decides of this claim from now on.
    func waitedInRelay(_ host: Int, _ word: RecordWord) -> Bool {
        hosts[host].relay?.stage == .ending && word.state == .asked
            && word.epoch == hosts[host].epoch
    }
}
