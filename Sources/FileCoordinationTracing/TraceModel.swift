// SPDX-License-Identifier: Apache-2.0
//
// The contents of a trace in the form that the reports need: processes, claims with the times in
// which they waited, asked presenters and held access, presenters, questions and messages. Times
// are counted from when the trace began. Claims, processes and presenters refer to each other by
// their index.

/// The contents of a trace.
package struct TraceModel {
    /// What a claim was doing.
    enum State {
        /// It waited for other claims.
        case waiting
        /// It waited for presenters.
        case asking
        /// Its accessor could run.
        case holding
    }

    /// A time in which a claim was in one state.
    struct Stay {
        var state: State
        var from: Duration
        var to: Duration
    }

    /// How a claim ended.
    enum Ending {
        /// It had not ended when the trace did.
        case none
        case ended
        case cancelled
        case refused
        case inCycle
        /// Its process ended.
        case died
        /// It was over when the recorder looked again.
        case unseen
        /// It was granted, and the server was not told of its end.
        case unreported
    }

    /// A process.
    struct Process {
        var processID: UInt64
        var name: String
        var label: String
    }

    /// An item of a claim.
    struct Item {
        /// Its path; the last one, if it was moved.
        var path: Int
        var isWriting: Bool
    }

    /// What a claim waited for from a certain time on.
    struct Wait {
        var time: Duration
        var claims: [Int]
        var presenters: [Int]
        var count: Int
    }

    /// A claim.
    struct Claim {
        var number: UInt64
        var process: Int
        var label: String
        var items: [Item]
        /// Whether its program had granted it itself.
        var isDelegated: Bool
        var stays: [Stay]
        var ending = Ending.none
        var waits: [Wait] = []
        var outcomes: [String] = []

        /// The earliest time at which the claim is known to have existed.
        var begin: Duration { stays.first?.from ?? .zero }
        /// The latest time at which the claim is known to have existed.
        var end: Duration { stays.last?.to ?? .zero }
        /// How long it waited for other claims and for presenters.
        var waited: Duration {
            stays.reduce(.zero) { $1.state == .holding ? $0 : $0 + ($1.to - $1.from) }
        }
    }

    /// A presenter.
    struct Presenter {
        var number: UInt64
        var process: Int
        var path: Int?
        var from: Duration
    }

    /// A question to a presenter.
    struct Question {
        var presenter: Int
        var claim: Int
        var message: String
        var from: Duration
        var to: Duration
        var isAnswered: Bool
        var isRefusal: Bool
    }

    /// A message to a presenter that expects no answer.
    struct Message {
        var time: Duration
        var presenter: Int
        var message: String
        var claim: Int?
        var isPlain: Bool
    }

    /// A time in which a process was stopped.
    struct Stop {
        var process: Int
        var from: Duration
        var to: Duration
    }

    /// Something that happened to the recording, to a process or to a delegation.
    struct Mark {
        var time: Duration
        /// The process, if it is about one.
        var process: Int?
        var text: String
    }

    var began = ""
    var program = ""
    var unseen = ""
    var isCut = false
    var end = Duration.zero
    var events = 0
    var dropped: UInt64 = 0
    var processes: [Process] = []
    /// Paths for display: bytes that are not text, or that a terminal would interpret, are escaped.
    var paths: [String] = []
    var claims: [Claim] = []
    var presenters: [Presenter] = []
    var questions: [Question] = []
    var messages: [Message] = []
    var marks: [Mark] = []
    var stops: [Stop] = []

    /// Returns the text for a process: its label, or else its name, and its process ID.
    func who(_ process: Int) -> String {
        guard processes.indices.contains(process) else { return "an unknown process" }
        let process = processes[process]
        return "\(process.label.isEmpty ? process.name : process.label) (pid \(process.processID))"
    }

    /// Returns the text for the program that made a claim.
    func who(of claim: Claim) -> String {
        guard !claim.label.isEmpty, processes.indices.contains(claim.process) else {
            return who(claim.process)
        }
        return "\(claim.label) (pid \(processes[claim.process].processID))"
    }
}
