// SPDX-License-Identifier: Apache-2.0
//
// Methods that look like a presenter's and are never called: each of them is found, named, and
// told with the right spelling. Helpers with names of their own are left in peace.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import Testing

private class Presenting: NSObject {
    let presentedItemURL: URL? = nil
    let presentedItemOperationQueue = OperationQueue.main
}

/// Names of Swift 2, and others that are nearly right.
private final class Misnamed: Presenting, NSFilePresenter {
    func relinquishPresentedItemToReader(_ reader: ((() -> Void)?) -> Void) {}
    func relinquishPresentedItem(to reader: @escaping ((() -> Void)?) -> Void) {}
    func savePresentedItemChangesWithCompletionHandler(_ handler: ((any Error)?) -> Void) {}
    func accommodatePresentedItemDeletion(completion: @escaping ((any Error)?) -> Void) {}
    func presentedItemDidMoveToURL(_ url: URL) {}
    func presentedItemDidChanged() {}
    func presentedItemDidGainVersion(_ version: NSFileVersion) {}
    func presentedSubitemAtURL(_ old: URL, didMoveToURL new: URL) {}
    func presentedSubItemDidChange(at url: URL) {}
    func presentedSubitemDidAppearAtURL(_ url: URL) {}
}

/// Right names with other types.
private class Mistyped: Presenting, NSFilePresenter {
    func relinquishPresentedItem(toReader reader: @escaping (@escaping () -> Void) -> Void) {}
    func savePresentedItemChanges(completionHandler: @escaping (any Error) -> Void) {}
    func presentedItemDidMove(to newURL: URL?) {}
    func presentedItemDidChange() async {}
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<String>) {}
}

/// Is looked at twice.
private class Seen: Presenting, NSFilePresenter {
    func presentedItemDidChanged() {}
}

/// Has a superclass that was looked at.
private final class SeenAgain: Seen {}

/// Has what its superclass should have.
private final class Late: Correct {
    override func presentedItemDidChange() {}
    func presentedItemDidMove(to newURL: URL) {}
}

/// Has nothing to complain about.
private class Correct: Presenting, NSFilePresenter {
    func presentedItemDidChange() {}
    func savePresentedItemChanges() async throws {}
    // Helpers.
    func savePresentedItemChanges(to url: URL) {}
    func presentedItemDidClose() {}
    func presentedItemIsOpen() -> Bool { true }
    func presentedItemDidChangeOnDisk() {}
    func move(to url: URL) {}
    func presented() {}
}

@Suite struct NearMissTests {
    private static var hasSymbols: Bool { ProgramSymbols.prefix(of: Correct.self) != nil }

    private func sentences(_ presenter: any NSFilePresenter) -> [String] {
        PresenterAdvice.sentences(
            about: type(of: presenter), methods: PresenterMethods(implementedBy: presenter))
    }

    @Test(.enabled(if: hasSymbols, "needs a program that was not stripped"))
    func `A misspelled name is told with the right one`() {
        let meant = sentences(Misnamed()).map { $0.split(separator: " ").last.map(String.init) }
        #expect(
            Set(meant) == [
                "relinquishPresentedItem(toReader:).",
                "savePresentedItemChanges(completionHandler:).",
                "accommodatePresentedItemDeletion(completionHandler:).",
                "presentedItemDidMove(to:).", "presentedItemDidChange().",
                "presentedItemDidGain(_:).", "presentedSubitem(at:didMoveTo:).",
                "presentedSubitemDidChange(at:).", "presentedSubitemDidAppear(at:).",
            ])
        #expect(
            sentences(Misnamed()).contains(
                "Misnamed.presentedItemDidMoveToURL(URL) is never called: NSFilePresenter's "
                    + "method is presentedItemDidMove(to:)."))
    }

    @Test(.enabled(if: hasSymbols, "needs a program that was not stripped"))
    func `A method with another type is told`() {
        let told = sentences(Mistyped())
        #expect(told.count == 5, "\(told)")
        #expect(
            told.contains(
                "Mistyped.presentedItemDidChange() async is never called: its type is not that "
                    + "of NSFilePresenter's presentedItemDidChange()."))
    }

    @Test(.enabled(if: hasSymbols, "needs a program that was not stripped"))
    func `A method that only a subclass has is told with the class that should have it`() {
        #expect(
            sentences(Late()) == [
                "Late.presentedItemDidMove(to: URL) is never called: Correct, which states the "
                    + "conformance to NSFilePresenter, does not have it. Declare it there, empty, "
                    + "and override it."
            ])
    }

    #if DEBUG
    @Test(.enabled(if: hasSymbols, "needs a program that was not stripped"))
    func `A class is looked at when its first presenter is registered`() async {
        let (said, continuation) = AsyncStream<String>.makeStream()
        let presenter = Seen()
        for _ in 0..<2 {
            PresenterAdvice.examine(presenter, methods: []) { continuation.yield($0) }
        }
        PresenterAdvice.examine(Late(), methods: .itemDidChange) {
            continuation.yield($0)
            continuation.finish()
        }
        let sentences = await said.reduce(into: []) { $0.append($1) }
        #expect(sentences.count { $0.hasPrefix("Seen.presentedItemDidChanged()") } == 1)
    }
    #endif

    @Test func `A presenter without such methods is left in peace`() {
        #expect(sentences(Correct()) == [])
        let others: [any NSFilePresenter] = [
            ThoroughPresenter(), ThoroughSubclass(), AsyncPresenter(), ExtendedPresenter(),
            GenericPresenter<Int>(), DocumentPresenter(), VersionPresenter(),
        ]
        for presenter in others { #expect(sentences(presenter) == []) }
    }

    @Test(arguments: [
        ("A.B.f() -> ()", "f()", "f()"),
        ("A.B.f(to: Foundation.URL) -> ()", "f(to:)", "f(to: URL)"),
        ("A.B.f(A) -> ()", "f(_:)", "f(A)"),
        (
            "A.B.f<A>(_: A, b: () -> ()) async throws -> ()", "f(_:b:)",
            "f(_: A, b: () -> ()) async throws"
        ),
        ("A.B.(f in _12AB)(at: [A : B]) -> ()", "f(at:)", "f(at: [A : B])"),
        ("(extension in C):A.B<A where A == Swift.Int>.f() -> ()", "f()", "f()"),
    ])
    func `What the demangler says is read`(text: String, name: String, declaration: String) {
        let found = FoundMethod(demangled: text, of: "A.B")
        #expect(found?.name == name)
        #expect(found?.declaration == declaration)
    }

    @Test(arguments: ["", "A.B", "A.B.C.f() -> ()", "A.C.f() -> ()", "A.B.f", "A.B.(", "A.B.f("])
    func `What is no method of the class is not read`(text: String) {
        #expect(FoundMethod(demangled: text, of: "A.B") == nil)
    }
}
