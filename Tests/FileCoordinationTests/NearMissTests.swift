// SPDX-License-Identifier: Apache-2.0
//
// Members that look like a presenter's and are never called: the library finds each of them, and
// names it with the right spelling. It does not complain of a program's own helpers.

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

/// Names that say the same, as it may seem.
private final class Reworded: Presenting, NSFilePresenter {
    func presentedItemChanged() {}
    func presentedItemMoved(to newURL: URL) {}
    func presentedItemLost(_ version: NSFileVersion) {}
    func presentedSubitemAppeared(at url: URL) async {}
    var observedPresentedItemUbiquityAttribute: Set<URLResourceKey> { [] }
    var primaryPresentedItemUrl: URL? { nil }
}

/// Right names with other types.
private class Mistyped: Presenting, NSFilePresenter {
    func relinquishPresentedItem(toReader reader: @escaping (@escaping () -> Void) -> Void) {}
    func savePresentedItemChanges(completionHandler: @escaping (any Error) -> Void) {}
    func presentedItemDidMove(to newURL: URL?) {}
    func presentedItemDidChange() async {}
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<String>) {}
    func presentedSubitemDidAppear(at url: URL) throws {}
    let observedPresentedItemUbiquityAttributes: Set<String> = []
    lazy var primaryPresentedItemURL = presentedItemURL?.path
}

/// Right names with blocks that no caller of a presenter has.
///
/// A block on the main actor does not compile.
private final class WithOtherBlocks: Presenting, NSFilePresenter {
    func relinquishPresentedItem(toReader reader: (((() -> Void)?) -> Void)?) {}
    func savePresentedItemChanges(completionHandler: (((any Error)?) -> Void)?) {}
}

/// Right names that the class has, and not its instances; and two names of helpers.
private class OfClass: Presenting, NSFilePresenter {
    static func presentedItemDidChange() {}
    class func savePresentedItemChanges() async throws {}
    static func presentedItemDidMove(to newURL: URL) -> Bool { true }
    static var primaryPresentedItemURL: URL? { nil }
    static func presentedItemDidGainVersion(_ version: NSFileVersion) {}
    class var observedPresentedItemUbiquityAttribute: Set<URLResourceKey> { [] }
}

/// Has the properties.
private class Observing: Presenting, NSFilePresenter {
    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { [] }
    var primaryPresentedItemURL: URL? { nil }
    // Helpers.
    var observedPresentedItemUbiquityAttribute: URLResourceKey? { nil }
    var primaryPresentedItemURLs: [URL] { [] }
    var primaryPresentedItem: String { "" }
}

/// Overrides them.
private final class ObservingAgain: Observing {
    override var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> {
        [.isUbiquitousItemKey]
    }
    override var primaryPresentedItemURL: URL? { presentedItemURL }
}

/// Has a property that its superclass should have.
private final class LateObserving: Correct {
    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { [] }
    var primaryPresentedItemURL: URL? { nil }
}

/// Is looked at twice.
private class Seen: Presenting, NSFilePresenter {
    func presentedItemDidChanged() {}
}

/// Is not looked at.
private final class Unseen: Presenting, NSFilePresenter {
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
    func presentedItemMoves(to url: URL) -> Bool { true }
    func move(to url: URL) {}
    func presented() {}
    static func presentedItemDidChange() {}
}

@Suite struct NearMissTests {
    private static var hasSymbols: Bool { ProgramSymbols.prefix(of: Correct.self) != nil }

    private func sentences(_ presenter: any NSFilePresenter) -> [String] {
        // As registering does (Rule 5.3).
        _ = presenter.observedPresentedItemUbiquityAttributes
        return PresenterAdvice.sentences(
            about: type(of: presenter), methods: PresenterMethods(implementedBy: presenter))
    }

    /// The last words of sentences.
    private func endings(_ sentences: [String]) -> Set<String> {
        Set(sentences.compactMap { $0.split(separator: " ").last.map(String.init) })
    }

    @Test(.enabled(if: hasSymbols, "needs a program that was not stripped"))
    func `A misspelled name is told with the right one`() {
        #expect(
            endings(sentences(Misnamed())) == [
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
    func `A name that says the same is told, and that of a property`() {
        let told = sentences(Reworded())
        #expect(
            endings(told) == [
                "presentedItemDidChange().", "presentedItemDidMove(to:).",
                "presentedItemDidLose(_:).", "presentedSubitemDidAppear(at:).",
                "observedPresentedItemUbiquityAttributes.", "primaryPresentedItemURL.",
            ])
        #expect(
            told.contains(
                "Reworded.primaryPresentedItemUrl: URL? is never read: NSFilePresenter's property "
                    + "is primaryPresentedItemURL."))
    }

    @Test(.enabled(if: hasSymbols, "needs a program that was not stripped"))
    func `A method with another type is told`() {
        let told = sentences(Mistyped())
        #expect(told.count == 8, "\(told)")
        #expect(
            told.contains(
                "Mistyped.presentedItemDidChange() async is never called: its type is not that "
                    + "of NSFilePresenter's presentedItemDidChange()."))
        #expect(
            told.contains(
                "Mistyped.observedPresentedItemUbiquityAttributes: Set<String> is never read: its "
                    + "type is not that of NSFilePresenter's "
                    + "observedPresentedItemUbiquityAttributes."))
    }

    @Test(.enabled(if: hasSymbols, "needs a program that was not stripped"))
    func `A method with another block is told`() {
        let told = sentences(WithOtherBlocks())
        #expect(
            endings(told) == [
                "relinquishPresentedItem(toReader:).",
                "savePresentedItemChanges(completionHandler:).",
            ], "\(told)")
        #expect(told.allSatisfy { $0.contains("its type is not that of") })
    }

    @Test(.enabled(if: hasSymbols, "needs a program that was not stripped"))
    func `A static member with a presenter's name is told, and no other one`() {
        let method = "is never called: NSFilePresenter's method is not static."
        #expect(
            sentences(OfClass()).sorted() == [
                "OfClass.presentedItemDidChange() \(method)",
                "OfClass.presentedItemDidMove(to: URL) \(method)",
                "OfClass.primaryPresentedItemURL: URL? is never read: NSFilePresenter's property "
                    + "is not static.",
                "OfClass.savePresentedItemChanges() async throws \(method)",
            ])
    }

    @Test(.enabled(if: hasSymbols, "needs a program that was not stripped"))
    func `A method that only a subclass has is told with the class that should have it`() {
        #expect(
            sentences(Late()) == [
                "Late.presentedItemDidMove(to: URL) is never called: Correct, which states the "
                    + "conformance to NSFilePresenter, does not have it. Declare it there, empty, "
                    + "and override it."
            ])
        #expect(
            sentences(LateObserving()) == [
                "LateObserving.observedPresentedItemUbiquityAttributes: Set<URLResourceKey> is "
                    + "never read: Correct, which states the conformance to NSFilePresenter, does "
                    + "not have it. Declare it there, and override it."
            ])
    }

    @Test(.enabled(if: hasSymbols, "needs a program that was not stripped"))
    func `A class is looked at when its first presenter is registered`() async {
        let (said, continuation) = AsyncStream<String>.makeStream()
        let presenter = Seen()
        for _ in 0..<2 {
            PresenterAdvice.examine(presenter, methods: []) { continuation.yield($0) }
        }
        PresenterAdvice.examine(Unseen(), methods: [], setting: "off") { continuation.yield($0) }
        PresenterAdvice.examine(Late(), methods: .itemDidChange) {
            continuation.yield($0)
            continuation.finish()
        }
        let sentences = await said.reduce(into: []) { $0.append($1) }
        #expect(sentences.count { $0.hasPrefix("Seen.presentedItemDidChanged()") } == 1)
        #expect(!sentences.contains { $0.hasPrefix("Unseen") })
    }

    @Test func `A presenter without such methods is left in peace`() {
        #expect(sentences(Correct()) == [])
        #expect(sentences(Observing()) == [])
        #expect(sentences(ObservingAgain()) == [])
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
        ("A.B.p.getter : Swift.Set<Swift.String>", "p", "p: Set<String>"),
        ("A.B.(p in _12AB).getter : Foundation.URL?", "p", "p: URL?"),
        ("merged A.B.f() -> ()", "f()", "f()"),
        ("merged static (extension in C):A.B.f() -> ()", "f()", "f()"),
        ("static A.B.(p in _12AB).getter : Foundation.URL?", "p", "p: URL?"),
        (
            "function signature specialization <Arg[0] = [Closure Propagated : $s1A, Argument "
                + "Types : [() -> ()]]> of A.B.f(to: A) -> ()", "f(to:)", "f(to: A)"
        ),
        (
            "function signature specialization <Arg[0] = Dead> of generic specialization "
                + "<Swift.Int> of A.B.p.getter : A", "p", "p: A"
        ),
    ])
    func `What the demangler says is read`(text: String, name: String, declaration: String) {
        let found = FoundMember(demangled: text, of: "A.B")
        #expect(found?.name == name)
        #expect(found?.declaration == declaration)
        #expect(found?.isStatic == text.contains("static "))
    }

    @Test(arguments: [
        "", "A.B", "A.B.C.f() -> ()", "A.C.f() -> ()", "A.B.f", "A.B.(", "A.B.f(",
        "A.B.C.p.getter : A", "A.B.p.setter : A", "A.B..getter : A", "merged ", "static ",
        "method descriptor for A.B.f() -> ()", "generic specialization <",
        "function signature specialization <Arg[0] = Dead> A.B.f() -> ()",
        "closure #1 () -> () in A.B.f() -> ()", "static A.B.== infix(A.B, A.B) -> Swift.Bool",
    ])
    func `What is no member of the class is not read`(text: String) {
        #expect(FoundMember(demangled: text, of: "A.B") == nil)
    }
}
