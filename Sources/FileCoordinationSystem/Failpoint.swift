// SPDX-License-Identifier: Apache-2.0
//
// Points at which a test can make a process die, stop or exit: before and after each message and
// each write to a ledger. Release builds contain only the names.
//
//     FILECOORDINATION_FAILPOINT=after.grants          the first time, by SIGKILL
//     FILECOORDINATION_FAILPOINT=before.asks:3:stop    the third time, by SIGSTOP

import Glibc
import Synchronization

/// Points at which a process can be made to fail.
public enum Failpoint {
    /// Before or after the operation.
    public enum Moment: String, CaseIterable, Sendable {
        case before
        case after
    }

    /// The operations.
    public enum Operation: String, CaseIterable, Sendable {
        // Operations of a client on its ledger.
        case writesRecord
        case drafts
        case asks
        case cancels
        case releases
        case appendsOutcome
        case sleeps
        case takesNumber
        case passesTurn
        // Messages of a client.
        case sendsHello
        case sendsFiled
        case sendsEnded
        case sendsAnnounced
        case sendsAnswered
        case sendsOther
        case receivesWelcome
        case receivesGranted
        case receivesDeliveries
        case receivesOther
        // Operations of a server on ledgers.
        case raisesLedger
        case raisesRecord
        case numbersRecord
        case marksRelocation
        case grants
        case wakes
        case frees
        case renewsTicketQueue
        // Messages of a server.
        case handlesHello
        case handlesFiled
        case handlesEnded
        case handlesAnnounced
        case handlesAnswered
        case handlesOther
        case saysWelcome
        case saysGranted
        case saysDeliveries
        case saysOther
        // Operations of a server on the runtime directory.
        case elects
        case takesRole
        case raisesEpoch
        case recovers
        case listens
        case writesRelocations
        case replacesRelocations
        case removesClient
    }

    #if DEBUG
    /// Fails here, if the environment variable names this point.
    public static func reach(_ moment: Moment, _ operation: @autoclosure () -> Operation?) {
        guard let armed, armed.moment == moment, armed.operation == operation() else { return }
        armed.fail()
    }

    private static let armed = Armed(CurrentProcess.environmentVariable(variable))
    private static let variable = "FILECOORDINATION_FAILPOINT"

    private final class Armed: Sendable {
        let moment: Moment
        let operation: Operation
        private let action: Substring
        private let rest: Atomic<Int>

        init?(_ text: String?) {
            let parts = (text ?? "").split(separator: ":")
            let names = (parts.first ?? "").split(separator: ".").map(String.init)
            guard names.count == 2, let moment = Moment(rawValue: names[0]),
                let operation = Operation(rawValue: names[1])
            else { return nil }
            self.moment = moment
            self.operation = operation
            action = parts.last { Int($0) == nil && $0 != parts.first } ?? "kill"
            rest = Atomic(parts.dropFirst().lazy.compactMap { Int($0) }.first ?? 1)
        }

        func fail() {
            guard rest.subtract(1, ordering: .relaxed).newValue == 0 else { return }
            switch action {
            case "stop": kill(getpid(), SIGSTOP)
            case "exit": exit(0)
            case _: kill(getpid(), SIGKILL)
            }
        }
    }
    #else
    /// Does nothing in a release build.
    @inlinable
    public static func reach(_ moment: Moment, _ operation: @autoclosure () -> Operation?) {}
    #endif
}
