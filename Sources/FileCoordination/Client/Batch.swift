// SPDX-License-Identifier: Apache-2.0
//
// Many accesses of one coordinator, prepared together (section 14). The claim behind a batch asks
// the presenters and excludes no other claim.

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

    /// What the batch is about, or the error for options that mean nothing here (Rule 14.6).
    func items() throws(NSError) -> [CallItem] {
        if readingOptions.contains(.resolvesSymbolicLink) {
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

    /// Runs the accessor, and waits until its completion handler was called or was released (Rule
    /// 14.4).
    func run(_ accessor: (@escaping @Sendable () -> Void) -> Void) {
        let process = ForkGuard.processToken
        let isComplete = Monitor(false)
        accessor(
            Self.handler {
                isComplete.withLock { $0 = true }; isComplete.notifyAll()
            })
        // In a forked child that returns from its parent's accessor no code will ever call it.
        if process == ForkGuard.processToken { _ = isComplete.wait { $0 } }
    }

    /// A completion handler.
    private static func handler(
        _ complete: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let promise = Promise(complete)
        return { promise.keep() }
    }

    /// Something that is done once, at the latest when no code can do it any more.
    private final class Promise: Sendable {
        private let complete: @Sendable () -> Void

        init(_ complete: @escaping @Sendable () -> Void) { self.complete = complete }

        deinit { complete() }

        func keep() { complete() }
    }
}
#endif
