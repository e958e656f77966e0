// SPDX-License-Identifier: Apache-2.0
//
// Many accesses of one coordinator that are prepared together (section 14). The claim behind a
// batch asks the presenters but excludes no other claim.

#if !canImport(Darwin)
import FileCoordinationClient
import FileCoordinationSystem
import Foundation

/// One call of `prepare`.
struct Batch {
    private let reading: [URL]
    private let readingOptions: NSFileCoordinator.ReadingOptions
    private let writing: [URL]
    private let writingOptions: NSFileCoordinator.WritingOptions

    init(
        reading: [URL], _ readingOptions: NSFileCoordinator.ReadingOptions,
        writing: [URL], _ writingOptions: NSFileCoordinator.WritingOptions
    ) {
        self.reading = reading
        self.readingOptions = readingOptions
        self.writing = writing
        self.writingOptions = writingOptions
    }

    /// Returns the items of the batch; throws for options that are invalid in a batch (Rule 14.6).
    func items() throws(NSError) -> [CallItem] {
        if readingOptions.contains(.resolvesSymbolicLink)
            || writingOptions.contains(.resolvesSymbolicLink)
        {
            throw FailureReason.invalidOptions(
                "a batch cannot follow links: leave .resolvesSymbolicLink to the calls inside"
            ).nsError
        }
        if writingOptions.contains(.forReplacing) {
            throw FailureReason.invalidOptions(
                "a batch cannot replace: leave .forReplacing to the calls inside"
            ).nsError
        }
        var items: [CallItem] = []
        for url in reading { items.append(try CallItem(reading: url, readingOptions)) }
        for url in writing { items.append(try CallItem(writing: url, writingOptions)) }
        return items
    }

    /// Runs the accessor, and waits until its completion handler was called or released (Rule
    /// 14.4).
    func run(_ accessor: (@escaping @Sendable () -> Void) -> Void) {
        let process = ForkGuard.processToken
        let isComplete = Monitor(false)
        accessor(
            Self.handler {
                isComplete.withLock { $0 = true }; isComplete.notifyAll()
            })
        // If a forked child returns from its parent's accessor, nothing will call the handler in
        // the child.
        if process == ForkGuard.processToken { _ = isComplete.wait { $0 } }
    }

    /// Creates a completion handler.
    private static func handler(
        _ complete: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let promise = Promise(complete)
        return { promise.keep() }
    }

    /// Calls a closure once, at the latest when the last reference is released.
    private final class Promise: Sendable {
        private let complete: @Sendable () -> Void

        init(_ complete: @escaping @Sendable () -> Void) { self.complete = complete }

        deinit { complete() }

        func keep() { complete() }
    }
}
#endif
