// SPDX-License-Identifier: Apache-2.0
//
// The three processes of the demonstration. They coordinate as any program would, and do nothing
// else to keep out of each other's way.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem

/// The two that come and go.
enum DemoActors {
    /// Reads the document, and keeps its access until it is told to go on.
    static func read(_ path: NativePath) {
        DemoEvent.report(.reader, .asksToRead, path)
        coordinate(Coordinator(), path, .reading([])) { path in
            DemoEvent.report(.reader, .reads, path)
            _ = readLine()
            DemoEvent.report(.reader, .doneReading, path)
        }
    }

    /// Adds something to the document.
    static func write(_ path: NativePath) {
        DemoEvent.report(.writer, .asksToWrite, path)
        coordinate(Coordinator(), path, .writing(.plain)) { path in
            DemoEvent.report(.writer, .writes, path)
            let text = DemoEvent.content(of: path) + DemoScript.writersWords
            // What was not written comes up in the demonstration's checks.
            try? DemoDocument.save(text, at: path)
            DemoEvent.report(.writer, .wrote, path)
        }
    }

    /// Waits for access to the document, and runs `accessor` with it; returns why it did not.
    @discardableResult
    static func coordinate(
        _ coordinator: Coordinator, _ path: NativePath, _ access: Access,
        _ accessor: (NativePath) -> Void
    ) -> AccessFailure? {
        let item = RequestedItem(ItemName(path: path.bytes), access: access)
        do throws(AccessFailure) {
            let access = try coordinator.begin(
                [item], in: { () throws(AccessFailure) in try Session.current() })
            defer { coordinator.endWaiting(access) }
            switch access.wait() {
            case .granted: coordinator.run(access) { accessor(NativePath($0[0].path)) }
            case .failed(let failure): throw failure
            case .cancelled, .timedOut, nil: throw .cancelled
            }
            return nil
        } catch {
            return error
        }
    }
}

/// What is written in the demonstration.
enum DemoScript {
    /// What the document holds at first.
    static let beginning = "milk"
    /// What is typed in the editor.
    static let editorsWords = ", eggs"
    /// What the writer adds.
    static let writersWords = ", tea"
}
