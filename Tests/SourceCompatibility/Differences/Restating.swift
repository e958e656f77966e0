// SPDX-License-Identifier: Apache-2.0
//
// Subclasses that must repeat a conformance of their superclass, and an override whose inner
// closure is not `@Sendable`.
// Cure: `@unchecked Sendable`, as the compiler proposes; `@escaping @Sendable () -> Void`.

import FileCoordination

class PlainIntent: NSFileAccessIntent {}  // warning 5 6

class UnannotatedBatch: NSFileCoordinator {
    override func prepare(  // warning 5 6
        forReadingItemsAt readingURLs: [URL], options readingOptions: ReadingOptions = [],
        writingItemsAt writingURLs: [URL], options writingOptions: WritingOptions = [],
        error outError: NSErrorPointer, byAccessor batchAccessor: (@escaping () -> Void) -> Void
    ) { batchAccessor {} }
}
