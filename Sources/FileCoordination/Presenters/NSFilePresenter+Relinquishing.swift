// SPDX-License-Identifier: Apache-2.0
//
// Calls a relinquish method in the spelling that the presenter has. Programs from before there was
// `@Sendable` hand over blocks whose type does not say that they may cross threads; the contract of
// the method says it instead.

#if !canImport(Darwin)
import FileCoordinationArbiter
import Foundation

extension NSFilePresenter {
    /// Calls the relinquish method of this kind; the presenter calls `block` when it has made way.
    ///
    /// A presenter that has both spellings is called in the one with `@Sendable`.
    func relinquish(
        _ kind: Relinquishment, _ block: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        switch kind {
        case .reader where Self._RelinquishToReader.self != _NotImplemented.self:
            let _: Self._RelinquishToReader = relinquishPresentedItem(toReader: block)
        case .reader:
            // Only the type of the result tells the two spellings apart.
            let _: Self._RelinquishToReaderUnannotated = relinquishPresentedItem(
                toReader: { block(UnannotatedBlock.sendable($0)) })
        case .writer where Self._RelinquishToWriter.self != _NotImplemented.self:
            let _: Self._RelinquishToWriter = relinquishPresentedItem(toWriter: block)
        case .writer:
            let _: Self._RelinquishToWriterUnannotated = relinquishPresentedItem(
                toWriter: { block(UnannotatedBlock.sendable($0)) })
        }
    }
}

/// A presenter's block whose type does not say that it may cross threads.
///
/// Unchecked, because Apple's contract makes it safe: the block is called once, on the presenter's
/// queue, as the presenter's methods are (Rule 8.2).
private struct UnannotatedBlock: @unchecked Sendable {
    let block: () -> Void

    /// The same block as one that may cross threads.
    static func sendable(_ block: (() -> Void)?) -> (@Sendable () -> Void)? {
        guard let block else { return nil }
        let carried = UnannotatedBlock(block: block)
        return { carried.block() }
    }
}
#endif
