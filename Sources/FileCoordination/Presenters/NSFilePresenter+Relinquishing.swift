// SPDX-License-Identifier: Apache-2.0
//
// Calls a relinquish method in the form that the presenter implements. Older programs use blocks
// whose type is not `@Sendable`; the contract of the method makes them safe to pass between
// threads.

#if !canImport(Darwin)
import FileCoordinationArbiter
import Foundation

extension NSFilePresenter {
    /// Calls the relinquish method of this kind.
    ///
    /// The presenter calls `block` when it has relinquished.
    ///
    /// If a presenter has both forms, the one with `@Sendable` is called.
    func relinquish(
        _ kind: Relinquishment, _ block: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        switch kind {
        case .reader where Self._RelinquishToReader.self != _NotImplemented.self:
            let _: Self._RelinquishToReader = relinquishPresentedItem(toReader: block)
        case .reader:
            // Only the type of the result distinguishes the two forms.
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

/// A presenter's block whose type is not `@Sendable`.
///
/// Unchecked, because Apple's contract makes it safe: the block is called once, on the presenter's
/// queue, like the presenter's methods (Rule 8.2).
private struct UnannotatedBlock: @unchecked Sendable {
    let block: () -> Void

    /// Wraps a block in one that is `@Sendable`.
    static func sendable(_ block: (() -> Void)?) -> (@Sendable () -> Void)? {
        guard let block else { return nil }
        let carried = UnannotatedBlock(block: block)
        return { carried.block() }
    }
}
#endif
