// SPDX-License-Identifier: Apache-2.0
//
// The failpoints of messages, at which tests make a process fail.

package import FileCoordinationSystem
package import FileCoordinationWire

extension ClientMessage {
    /// The server's failpoint for handling the message.
    package var handling: Failpoint.Operation {
        switch self {
        case .hello: .handlesHello
        case .filed: .handlesFiled
        case .ended: .handlesEnded
        case .announced: .handlesAnnounced
        case .answered, .madeWay: .handlesAnswered
        case .explain, .askForWriter, .statusRequest, .record, .dismiss, .handOver,
            .packagePolicy, .blocked:
            .handlesOther
        }
    }

    /// The client's failpoint for sending the message.
    package var sending: Failpoint.Operation {
        switch self {
        case .hello: .sendsHello
        case .filed: .sendsFiled
        case .ended: .sendsEnded
        case .announced: .sendsAnnounced
        case .answered, .madeWay: .sendsAnswered
        case .explain, .askForWriter, .statusRequest, .record, .dismiss, .handOver,
            .packagePolicy, .blocked:
            .sendsOther
        }
    }
}

extension ServerMessage {
    /// The server's failpoint for sending the message.
    package var saying: Failpoint.Operation {
        switch self {
        case .welcome: .saysWelcome
        case .granted: .saysGranted
        case .deliveries, .deliveryPart: .saysDeliveries
        case .refused, .failed, .inCycle, .explanation, .statusPart, .trace,
            .retiring, .packagePolicy, .skipped, .overLimit, .dismissed, .dismissal, .writer:
            .saysOther
        }
    }

    /// The client's failpoint for receiving the message.
    package var receiving: Failpoint.Operation {
        switch self {
        case .welcome: .receivesWelcome
        case .granted: .receivesGranted
        case .deliveries, .deliveryPart: .receivesDeliveries
        case .refused, .failed, .inCycle, .explanation, .statusPart, .trace,
            .retiring, .packagePolicy, .skipped, .overLimit, .dismissed, .dismissal, .writer:
            .receivesOther
        }
    }
}
