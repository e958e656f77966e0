// SPDX-License-Identifier: Apache-2.0
//
// Everything that a presenter can be told happens, to presenters in every spelling; each spelling
// of each method must be called. `accommodatePresentedItemEviction` is not here: nothing calls it,
// because there is no provider of files (Rule 9.7).

import FileCoordination
import TestHome
import XCTest

final class CalledTests: ExampleTestCase {
    private static let relinquishing: Set = ["toReader", "toWriter"]
    private static let suspending: Set = ["save", "delete", "delete inside"]
    private static let answering = relinquishing.union(suspending)
    private static let all: Set = answering.union([
        "move", "change", "attributes", "gain", "lose", "resolve", "appear inside", "move inside",
        "change inside", "gain inside", "lose inside", "resolve inside",
    ])

    /// A spelling, and the methods that it has.
    private struct Spelling: Sendable {
        let name: String
        let methods: Set<String>
        /// On the main actor, because that is where some presenters are made.
        let make: @MainActor @Sendable (URL, CallLog) -> any NSFilePresenter
    }

    private let blocks = [
        Spelling(name: "SendableBlocks", methods: answering) { SendableBlocks($0, $1) },
        Spelling(name: "ClassicBlocks", methods: answering) { ClassicBlocks($0, $1) },
        Spelling(name: "ClassicBlocksOverridden", methods: answering) {
            ClassicBlocksOverridden($0, $1)
        },
        Spelling(name: "OuterSendable", methods: relinquishing) { OuterSendable($0, $1) },
        Spelling(name: "InnerSendable", methods: relinquishing) { InnerSendable($0, $1) },
        Spelling(name: "SpelledOut", methods: relinquishing.union(["save", "delete"])) {
            SpelledOut($0, $1)
        },
        Spelling(name: "NamedBlocks", methods: relinquishing.union(["save"])) {
            NamedBlocks($0, $1)
        },
        Spelling(name: "PromptBlocks", methods: relinquishing.union(["save", "delete"])) {
            PromptBlocks($0, $1)
        },
        Spelling(name: "LaterBlocks", methods: relinquishing.union(["save"])) {
            LaterBlocks($0, $1)
        },
        Spelling(name: "MixedBlocks", methods: relinquishing) { MixedBlocks($0, $1) },
        Spelling(name: "AsyncThrowing", methods: suspending) { AsyncThrowing($0, $1) },
        Spelling(name: "CalmAnswers", methods: suspending) { CalmAnswers($0, $1) },
        Spelling(name: "MainActorAnswers", methods: suspending) { MainActorAnswers($0, $1) },
        Spelling(name: "ActorMethods", methods: all) { ActorMethods($0, $1) },
        Spelling(name: "ActorBlocks", methods: answering) { ActorBlocks($0, $1) },
        Spelling(name: "ArchiveAnswers", methods: answering) { ArchiveAnswers($0, $1) },
    ]

    private let ways = [
        Spelling(name: "DeclaredMethods", methods: all) { DeclaredMethods($0, $1) },
        Spelling(name: "OverriddenMethods", methods: all) { OverriddenMethods($0, $1) },
        Spelling(name: "InheritedMethods", methods: all) { InheritedMethods($0, $1) },
        Spelling(name: "ExtensionMethods", methods: all) { ExtensionMethods($0, $1) },
        Spelling(name: "GenericMethods", methods: all) { GenericMethods<[Int]>($0, $1) },
        Spelling(name: "NonisolatedMethods", methods: all) { NonisolatedMethods($0, $1) },
        Spelling(name: "MainActorMethods", methods: all) { MainActorMethods($0, $1) },
        Spelling(name: "SharedMethods", methods: all) { SharedMethods($0, $1) },
        Spelling(
            name: "PresenterOfMethods",
            methods: ["toReader", "toWriter", "save", "delete", "move", "change", "change inside"]
        ) { PresenterOfMethods($0, $1) },
        Spelling(name: "OptionalBlocks", methods: relinquishing.union(["save", "delete"])) {
            OptionalBlocks($0, $1)
        },
        Spelling(name: "TypedErrors", methods: ["save", "delete"]) { TypedErrors($0, $1) },
        Spelling(name: "ConcurrentAnswers", methods: ["save", "delete"]) {
            ConcurrentAnswers($0, $1)
        },
        Spelling(name: "ConformingOnMain", methods: all) { ConformingOnMain($0, $1) },
        Spelling(name: "MainActorOnEach", methods: answering.union(["change"])) {
            MainActorOnEach($0, $1)
        },
        Spelling(name: "ReturningMethods", methods: all) { ReturningMethods($0, $1) },
    ]

    /// The `async` forms, and the two methods that relinquish in each other's spelling.
    private let otherForms = [
        Spelling(name: "AsyncOverridden", methods: suspending) { AsyncOverridden($0, $1) },
        Spelling(name: "AsyncInherited", methods: suspending) { AsyncInherited($0, $1) },
        Spelling(name: "AsyncOverriddenCalmly", methods: suspending) {
            AsyncOverriddenCalmly($0, $1)
        },
        Spelling(name: "AsyncInExtension", methods: suspending) { AsyncInExtension($0, $1) },
        Spelling(name: "AsyncGeneric", methods: suspending) { AsyncGeneric<String>($0, $1) },
        Spelling(name: "AsyncOfNumbers", methods: suspending) { AsyncOfNumbers($0, $1) },
        Spelling(name: "AsyncShared", methods: suspending) { AsyncShared($0, $1) },
        Spelling(name: "AsyncOfSuperclass", methods: suspending) { AsyncOfSuperclass($0, $1) },
        Spelling(name: "AsyncNonisolated", methods: suspending) { AsyncNonisolated($0, $1) },
        Spelling(name: "ReturningAnswers", methods: suspending) { ReturningAnswers($0, $1) },
        Spelling(name: "SwappedOverridden", methods: relinquishing) { SwappedOverridden($0, $1) },
        Spelling(name: "SwappedInherited", methods: relinquishing) { SwappedInherited($0, $1) },
        Spelling(name: "SwappedInExtension", methods: relinquishing) { SwappedInExtension($0, $1) },
        Spelling(name: "SwappedGeneric", methods: relinquishing) { SwappedGeneric<[Int]>($0, $1) },
        Spelling(name: "SwappedNonisolated", methods: relinquishing) { SwappedNonisolated($0, $1) },
        Spelling(name: "SwappedOnMain", methods: relinquishing) { SwappedOnMain($0, $1) },
        Spelling(name: "SwappedShared", methods: relinquishing) { SwappedShared($0, $1) },
        Spelling(name: "SwappedOfSuperclass", methods: relinquishing) {
            SwappedOfSuperclass($0, $1)
        },
    ]

    @MainActor func testEverySpellingOfABlockIsCalled() async throws {
        for spelling in blocks { try await checkCalls(of: spelling) }
    }

    @MainActor func testEveryMethodIsCalledHoweverAClassComesByIt() async throws {
        for spelling in ways { try await checkCalls(of: spelling) }
    }

    @MainActor func testTheOtherFormsAreCalledHoweverAClassComesByThem() async throws {
        for spelling in otherForms { try await checkCalls(of: spelling) }
    }

    /// Presenters of a file, a directory and a package, and everything that can happen to them.
    @MainActor private func checkCalls(of spelling: Spelling) async throws {
        let log = CallLog()
        let scene = try CallScene(in: folder.appendingPathComponent(spelling.name))
        let presenters = [scene.item, scene.directory, scene.package].map {
            spelling.make($0, log)
        }
        presenters.forEach { NSFileCoordinator.addFilePresenter($0) }
        defer { presenters.forEach { NSFileCoordinator.removeFilePresenter($0) } }
        // Elsewhere, so that the main thread may run what its actor is asked.
        let end = expectation(description: spelling.name)
        let methods = spelling.methods
        let name = spelling.name
        Thread.detachNewThread {
            do {
                try scene.play()
                XCTAssertEqual(log.missing(of: methods), [], "\(name) was not called")
            } catch {
                XCTFail("\(name): \(error)")
            }
            end.fulfill()
        }
        await fulfillment(of: [end], timeout: test_patience(120))
    }
}

/// A file, a directory and a package, to which all happens that presenters are told.
struct CallScene: Sendable {
    private let folder: URL
    var item: URL { folder.appendingPathComponent("item.txt") }
    var directory: URL { folder.appendingPathComponent("directory") }
    var package: URL { folder.appendingPathComponent("package.fc-called") }

    init(in folder: URL) throws {
        self.folder = folder
        try NSFileCoordinator.treatDirectories(withPathExtension: "fc-called", as: .package)
        for directory in [folder, self.directory, package] {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
        }
        for file in [item, inside(directory), inside(package)] { try Data().write(to: file) }
    }

    private func inside(_ directory: URL) -> URL { directory.appendingPathComponent("a.txt") }

    func play() throws {
        try reading(item)
        try writing(item) { try Data("new".utf8).write(to: $0) }
        try writing(directory.appendingPathComponent("b.txt")) { try Data().write(to: $0) }
        try writing(inside(directory)) { try Data("new".utf8).write(to: $0) }
        try versions(of: item)
        try versions(of: inside(directory))
        NSFileCoordinator().item(at: item, didChangeUbiquityAttributes: [.isUbiquitousItemKey])
        try writing(item, .forDeleting) { _ in }
        try writing(inside(package), .forDeleting) { _ in }
        try move(inside(directory), to: directory.appendingPathComponent("c.txt"))
        try move(item, to: folder.appendingPathComponent("moved.txt"))
    }

    private func reading(_ url: URL) throws {
        var error: NSError?
        NSFileCoordinator().coordinate(readingItemAt: url, error: &error) { _ in }
        if let error { throw error }
    }

    private func writing(
        _ url: URL, _ options: NSFileCoordinator.WritingOptions = [], _ body: (URL) throws -> Void
    ) throws {
        var error: NSError?
        var failure: Error?
        NSFileCoordinator().coordinate(writingItemAt: url, options: options, error: &error) {
            do { try body($0) } catch let problem { failure = problem }
        }
        if let problem = error ?? failure { throw problem }
    }

    private func versions(of url: URL) throws {
        try writing(url, .contentIndependentMetadataOnly) { url in
            let version = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            let conflict = try NSFileVersion.addConflictOfItem(at: url, withContentsOf: url)
            conflict.isResolved = true
            try version.remove()
        }
    }

    private func move(_ old: URL, to new: URL) throws {
        var error: NSError?
        var failure: Error?
        let coordinator = NSFileCoordinator()
        coordinator.coordinate(
            writingItemAt: old, options: .forMoving, writingItemAt: new, options: .forReplacing,
            error: &error
        ) { old, new in
            do {
                try FileManager.default.moveItem(at: old, to: new)
                coordinator.item(at: old, didMoveTo: new)
            } catch let problem {
                failure = problem
            }
        }
        if let problem = error ?? failure { throw problem }
    }
}
