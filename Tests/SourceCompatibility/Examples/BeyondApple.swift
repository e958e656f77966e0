// SPDX-License-Identifier: Apache-2.0
//
// What programs write with the calls that Apple has not: errors told apart by kind, the throwing
// call inside `async` functions, presenters whose registration may fail, questions, and holds.

import FileCoordination

/// Errors, told apart.
enum Outcomes {
    /// With `catch`.
    static func caught(_ url: URL, timeout: Duration) -> String {
        do {
            try NSFileCoordinator().coordinate(writingItemAt: url, timeout: timeout) { _ in }
            return "done"
        } catch FileCoordinationError.timedOut {
            return "in use"
        } catch FileCoordinationError.deadlock, FileCoordinationError.limitExceeded {
            return "try later"
        } catch CocoaError.userCancelled {
            return "cancelled"
        } catch {
            return "\(error)"
        }
    }

    /// With `switch`, over whatever error there is.
    static func switched(_ error: any Error) -> String {
        switch error {
        case FileCoordinationError.timedOut: "in use"
        case FileCoordinationError.arbiterUnreachable: "not available"
        case FileCoordinationError.invalidOptions, FileCoordinationError.notHandedDown: "mistake"
        case CocoaError.userCancelled: "cancelled"
        default: "other"
        }
    }

    /// With `switch`, over the kind of one of ours.
    static func ofKind(_ error: FileCoordinationError) -> String {
        switch error.code {
        case .timedOut: "in use"
        case .deadlock: "try later"
        default: "other"
        }
    }

    /// An Apple-shaped call reports the same kinds.
    static func reported(_ url: URL) -> String? {
        var failure: NSError?
        NSFileCoordinator().coordinate(
            readingItemAt: url, options: .init(rawValue: 1 << 30), error: &failure
        ) { _ in }
        return failure.map { switched($0) }
    }
}

/// The throwing call in `async` code.
enum Blocking {
    /// In a closure that is called on the spot.
    static func closure(_ url: URL) async throws -> String {
        let coordinator = NSFileCoordinator()
        return try {
            try coordinator.coordinate(readingItemAt: url) {
                try String(contentsOf: $0, encoding: .utf8)
            }
        }()
    }

    /// In a function of its own.
    static func function(_ url: URL) async throws -> String {
        func read() throws -> String {
            try NSFileCoordinator().coordinate(readingItemAt: url) {
                try String(contentsOf: $0, encoding: .utf8)
            }
        }
        return try read()
    }

    /// And the call that holds no thread.
    static func waiting(_ url: URL) async throws -> String {
        try await NSFileCoordinator().coordinate(readingItemAt: url, timeout: .seconds(30)) {
            try String(contentsOf: $0, encoding: .utf8)
        }
    }
}

/// A database that is kept for its program, and for a child of that.
final class OpenDatabase: Sendable {
    private let hold: FileAccessHold

    init(_ url: URL) throws {
        hold = try NSFileCoordinator().hold(writingItemAt: url, timeout: .seconds(30))
    }

    var url: URL { hold.urls[0] }

    /// Who else is interested.
    func rivals() throws -> [String] {
        try FileCoordinationStatus(ofItemAt: url).waiters.map(\.participant.label)
    }

    func close() { hold.release() }
}
