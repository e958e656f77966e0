// SPDX-License-Identifier: Apache-2.0
//
// Which deed it is to send or receive a message, for tests that have a process fail there.

package import FileCoordinationSystem
package import FileCoordinationWire

extension ClientMessage {
    /// What the server does with it.
    package var handling: Failpoint.Deed {
        switch self {
        case .hello: .handlesHello
        case .filed: .handlesFiled
        case .ended: .handlesEnded
        case .announced: .handlesAnnounced
        case .answered, .madeWay: .handlesAnswered
        case .explain, .statusRequest, .metricsRequest, .handOver, .packagePolicy, .blocked:
            .handlesOther
        }
    }

    /// What the client does with it.
    package var sending: Failpoint.Deed {
        switch self {
        case .hello: .sendsHello
        case .filed: .sendsFiled
        case .ended: .sendsEnded
        case .announced: .sendsAnnounced
        case .answered, .madeWay: .sendsAnswered
        case .explain, .statusRequest, .metricsRequest, .handOver, .packagePolicy, .blocked:
            .sendsOther
        }
    }
}

extension ServerMessage {
    /// What the server does with it.
    package var saying: Failpoint.Deed {
        switch self {
        case .welcome: .saysWelcome
        case .granted: .saysGranted
        case .deliveries, .deliveryPart: .saysDeliveries
        case .refused, .failed, .inCycle, .explanation, .statusPart, .metrics, .retiring,
            .packagePolicy, .skipped, .overLimit:
            .saysOther
        }
    }

    /// What the client does with it.
    package var receiving: Failpoint.Deed {
        switch self {
        case .welcome: .receivesWelcome
        case .granted: .receivesGranted
        case .deliveries, .deliveryPart: .receivesDeliveries
        case .refused, .failed, .inCycle, .explanation, .statusPart, .metrics, .retiring,
            .packagePolicy, .skipped, .overLimit:
            .receivesOther
        }
    }
}
