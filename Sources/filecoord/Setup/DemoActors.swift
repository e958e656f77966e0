// SPDX-License-Identifier: Apache-2.0
//
// The reader and the writer of the demonstration, each a process of its own. They only use file
// coordination to avoid conflicts, as any other program would.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem

/// The reader and the writer, which access the document once and end.
enum DemoActors {
    /// Reads the document, and keeps its access until the parent process tells it to go on.
    static func read(_ path: NativePath) {
        DemoEvent.report(.reader, .asksToRead, path)
        coordinate(Coordinator(), path, .reading([])) { path in
            DemoEvent.report(.reader, .reads, path)
            _ = readLine()
            DemoEvent.report(.reader, .doneReading, path)
        }
    }

    /// Appends a text to the document.
    static func write(_ path: NativePath) {
        DemoEvent.report(.writer, .asksToWrite, path)
        coordinate(Coordinator(), path, .writing(.plain)) { path in
            DemoEvent.report(.writer, .writes, path)
            let text = DemoEvent.content(of: path) + DemoScript.writersWords
            // If the text could not be written, the demonstration's checks will find that.
            try? DemoDocument.save(text, at: path)
            DemoEvent.report(.writer, .wrote, path)
        }
    }

    /// Waits for access to the document and runs `accessor` with it.
    ///
    /// Returns the failure, if any.
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

/// The texts that are written in the demonstration.
enum DemoScript {
    /// The first content of the document.
    static let beginning = "milk"
    /// The text that is typed in the editor.
    static let editorsWords = ", eggs"
    /// The text that the writer appends.
    static let writersWords = ", tea"
}
