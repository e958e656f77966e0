// SPDX-License-Identifier: Apache-2.0
//
// Every spelling of the one presenter method that nothing calls (Rule 9.7): it counts as
// implemented, as the others do that `CalledTests` calls.

import FileCoordination
import FileCoordinationArbiter
import Testing

private class Bare: NSObject {
    let presentedItemURL: URL? = nil
    let presentedItemOperationQueue = OperationQueue()
}

private final class ClassicEviction: Bare, NSFilePresenter {
    func accommodatePresentedItemEviction(
        completionHandler: @escaping ((any Error)?) -> Void
    ) { completionHandler(nil) }
}

private final class SendableEviction: Bare, NSFilePresenter {
    func accommodatePresentedItemEviction(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { completionHandler(nil) }
}

private final class ThrowingEviction: Bare, NSFilePresenter {
    func accommodatePresentedItemEviction() async throws { throw CancellationError() }
}

private final class CalmEviction: Bare, NSFilePresenter {
    func accommodatePresentedItemEviction() async {}
}

private final class PromptEviction: Bare, NSFilePresenter {
    func accommodatePresentedItemEviction() {}
}

private class DeclaredPresenter: Bare, NSFilePresenter {}

private class ExtendedEviction: Bare {}
extension ExtendedEviction: NSFilePresenter {
    func accommodatePresentedItemEviction(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { completionHandler(nil) }
}

private final class InheritedEviction: ExtendedEviction {}

private final class GenericEviction<Value>: Bare, NSFilePresenter {
    func accommodatePresentedItemEviction() async throws {}
}

@MainActor private final class MainActorEviction: NSObject, NSFilePresenter {
    nonisolated let presentedItemURL: URL? = nil
    nonisolated let presentedItemOperationQueue = OperationQueue.main
    func accommodatePresentedItemEviction() async throws {}
}

@MainActor private final class NonisolatedEviction: NSObject, NSFilePresenter {
    nonisolated let presentedItemURL: URL? = nil
    nonisolated let presentedItemOperationQueue = OperationQueue.main
    nonisolated func accommodatePresentedItemEviction(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) { completionHandler(nil) }
}

@Suite struct EvictionSpellingTests {
    @Test func `Rule 9.7: each spelling counts as implemented`() async {
        let presenters: [any NSFilePresenter] = await [
            ClassicEviction(), SendableEviction(), ThrowingEviction(), CalmEviction(),
            PromptEviction(), ExtendedEviction(), InheritedEviction(), GenericEviction<Int>(),
            MainActorEviction(), NonisolatedEviction(),
        ]
        for presenter in presenters {
            #expect(
                PresenterMethods(implementedBy: presenter) == .accommodateEviction,
                "\(type(of: presenter))")
        }
        #expect(PresenterMethods(implementedBy: DeclaredPresenter()) == [])
    }
}
