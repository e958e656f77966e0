// SPDX-License-Identifier: Apache-2.0
//
// Tells presenters that want to know it who made a change. The arbiter does not decide by it, so it
// is not told: the server knows which claim's end or announcement led to a message.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire

extension Server {
    /// Queues a message about a change that a claim has made, if one is known.
    mutating func deliver(
        _ message: PresenterMessage, to presenter: PresenterID, by writer: ClaimID?
    ) {
        guard let writer, outgoing.watching[presenter]?.wantsAuthors == true,
            let known = author(of: writer, for: presenter)
        else { return deliver(message, to: presenter) }
        deliver(message.signed(by: known), to: presenter)
    }

    /// Returns who made the changes of a claim, as the presenter's process sees it.
    private func author(of claim: ClaimID, for presenter: PresenterID) -> ChangeAuthor? {
        guard let address = records.address(of: claim), let writer = clients[address.client],
            let reader = records.address(of: presenter).flatMap({ clients[$0.client] })
        else { return nil }
        let text = label(of: address, writer)
        return ChangeAuthor(
            processID: processes.number(of: writer, for: reader.ledger.processNamespace),
            label: text.isEmpty ? writer.ledger.programName : text)
    }
}

extension Event {
    /// The claim whose writer made the changes that follow from the event; nil if they have another
    /// reason.
    var writer: ClaimID? {
        switch self {
        case .claimAnnounced(let claim, _), .claimEnded(let claim, _),
            .unreportedClaimEnded(let claim):
            claim
        case .claimFiled, .claimRecovered, .claimReminded, .claimCancelled, .grantWithdrawn,
            .presenterAdded, .presenterRelocated, .presenterMoved, .presenterRemoved,
            .presenterAnswered, .presenterAnsweredLate, .presenterBlocked, .presenterDismissed,
            .clientStopped, .clientContinued, .clientDied, .clockAdvanced, .recoveryFinished,
            .delegationRecalled, .queueOpened, .queueClosed:
            nil
        }
    }
}
