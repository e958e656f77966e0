// SPDX-License-Identifier: Apache-2.0
//
// Presenters as they stand in programs written for macOS, type-checked by a compiler in both
// language modes. Apart from PresenterSpellings, because these are accepted with warnings, or only
// in one mode, or not at all.

import FileCoordination
import FileCoordinationClient
import XCTest

final class PresenterSourceTests: XCTestCase {
    private let completionHandlers = """
        import FileCoordination
        class Editor: NSObject, NSFilePresenter {
            var presentedItemURL: URL?
            lazy var presentedItemOperationQueue = OperationQueue.main
            weak var other: NSFilePresenter?
            var all: [NSFilePresenter] = []
            var reload: (() -> Void)?
            func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
                reader(nil)
            }
            func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
                writer { self.presentedItemURL = nil }
            }
            func savePresentedItemChanges(completionHandler: @escaping (Error?) -> Void) {
                completionHandler(nil)
            }
            func accommodatePresentedItemDeletion(
                completionHandler: @escaping (Swift.Error?) -> Void
            ) { completionHandler(nil) }
            func accommodatePresentedItemEviction(
                completionHandler: @escaping ((any Error)?) -> Void
            ) { completionHandler(nil) }
            func accommodatePresentedSubitemDeletion(
                at url: URL, completionHandler: @escaping (Optional<Error>) -> Void
            ) { completionHandler(nil) }
            dynamic func presentedItemDidChange() { reload?() }
            nonisolated func presentedSubitemDidChange(at url: URL) {}
            func presentedItemDidGain(_ version: NSFileVersion) { resolve(version) }
            func presentedItemDidLose(_ version: NSFileVersion) {}
            func presentedItemDidResolveConflict(_ version: NSFileVersion) {}
            func presentedSubitem(at url: URL, didGain version: NSFileVersion) {}
            func presentedSubitem(at url: URL, didLose version: NSFileVersion) {}
            func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {}
            func resolve(_ version: NSFileVersion) {
                if version.isConflict { version.isResolved = true }
            }
            func use(_ presenter: NSFilePresenter) -> Bool {
                other = presenter
                all = all.filter { $0 !== presenter }
                presenter.savePresentedItemChanges { _ in }
                return presenter is Editor
            }
        }
        class HalfwayEditor: NSObject, NSFilePresenter {
            let presentedItemURL: URL?
            let presentedItemOperationQueue: OperationQueue
            init(_ url: URL) {
                presentedItemURL = url
                presentedItemOperationQueue = .init()
            }
            func relinquishPresentedItem(
                toWriter writer: @escaping @Sendable ((() -> Void)?) -> Void
            ) { writer {} }
            func savePresentedItemChanges(
                completionHandler: @escaping @Sendable (Error?) -> Void
            ) { completionHandler(nil) }
        }
        func check<P: NSFilePresenter>(
            _: P.Type, saves: P._Save.Type, changes: P._DidChange.Type, gains: P._DidGain.Type
        ) {}
        check(Editor.self, saves: Void.self, changes: Void.self, gains: Void.self)
        check(
            HalfwayEditor.self, saves: Void.self, changes: _NotImplemented.self,
            gains: _NotImplemented.self)
        """

    private let isolatedProperties = """
        import FileCoordination
        @MainActor class Window: NSObject, NSFilePresenter {
            var presentedItemURL: URL?
            let presentedItemOperationQueue = OperationQueue.main
            func presentedItemDidChange() { presentedItemURL = nil }
        }
        """

    private let coordination = """
        import FileCoordination
        var failure: NSError?
        let pointer: NSErrorPointer = nil
        func fail(_ error: NSErrorPointer) { error?.pointee = NSError(domain: "a", code: 1) }
        fail(nil)
        fail(&failure)
        let intent = NSFileAccessIntent.writingIntent(
            with: URL(fileURLWithPath: "/a"), options: .forReplacing)
        let options: NSFileCoordinator.ReadingOptions = [.withoutChanges]
        print(intent.url, options.contains(.immediatelyAvailableMetadataOnly))
        """

    private let versions = """
        import FileCoordination
        func settle(_ url: URL, _ old: URL) async throws {
            guard let current = NSFileVersion.currentVersionOfItem(at: url) else { return }
            for version in NSFileVersion.otherVersionsOfItem(at: url) ?? [] {
                if version == current { continue }
                print(version.localizedName ?? "", version.modificationDate ?? Date.distantPast)
                print(version.localizedNameOfSavingComputer ?? "", version.hasLocalContents)
                print(version.originatorNameComponents?.givenName ?? "", version.hasThumbnail)
                version.isDiscardable = true
            }
            let conflicts = NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? []
            conflicts.forEach { $0.isResolved = true }
            if let winner = conflicts.last { try winner.replaceItem(at: url, options: .byMoving) }
            let place = NSFileVersion.temporaryDirectoryURLForNewVersionOfItem(at: url)
            try NSFileVersion.addOfItem(at: url, withContentsOf: place, options: [.byMoving])
            let added = try NSFileVersion.addOfItem(at: url, withContentsOf: old)
            let data = try NSKeyedArchiver.archivedData(
                withRootObject: added.persistentIdentifier, requiringSecureCoding: false)
            let same = NSFileVersion.version(
                itemAt: url, forPersistentIdentifier: added.persistentIdentifier)
            _ = try same?.replaceItem(at: url)
            try same?.remove()
            try NSFileVersion.removeOtherVersionsOfItem(at: url)
            NSFileVersion.getNonlocalVersionsOfItem(at: url) { versions, error in
                print(versions?.count ?? 0, error as Any, data.count)
            }
            print(try await NSFileVersion.nonlocalVersionsOfItem(at: url).count)
        }
        class Special: NSFileVersion {
            override func remove() throws { try super.remove() }
            override class func currentVersionOfItem(at url: URL) -> NSFileVersion? { nil }
        }
        """

    func testProgramsThatUseVersionsCompileInBothModes() throws {
        XCTAssertNil(try errors(in: versions, mode: "5"))
        XCTAssertNil(try errors(in: versions, mode: "6"))
    }

    func testPresentersWithoutSendableCompileInBothModes() throws {
        XCTAssertNil(try errors(in: completionHandlers, mode: "5"))
        XCTAssertNil(try errors(in: completionHandlers, mode: "6"))
    }

    func testPropertiesOnTheMainActorCompileInSwift5ModeOnlyAsOnApplePlatforms() throws {
        XCTAssertNil(try errors(in: isolatedProperties, mode: "5"))
        let errors = try XCTUnwrap(errors(in: isolatedProperties, mode: "6"))
        XCTAssertTrue(errors.contains("main actor-isolated"), errors)
    }

    func testTheVocabularyCompilesAfterOneImport() throws {
        XCTAssertNil(try errors(in: coordination, mode: "5"))
        XCTAssertNil(try errors(in: coordination, mode: "6"))
    }

    /// What the compiler says against a program, or nil if it accepts it.
    private func errors(in source: String, mode: String) throws -> String? {
        let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("main-\(UUID().uuidString).swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let moduleMap = products.appendingPathComponent(
            "CFileCoordinationSystem.build/module.modulemap")
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = [
            "swiftc", "-typecheck", "-swift-version", mode,
            "-I", products.appendingPathComponent("Modules").path,
            // The module cache of the build, because a test's own home has none yet.
            "-module-cache-path", products.appendingPathComponent("ModuleCache").path,
            "-Xcc", "-fmodule-map-file=\(moduleMap.path)", file.path,
        ]
        let output = Pipe()
        compiler.standardError = output
        compiler.standardOutput = output
        try compiler.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        compiler.waitUntilExit()
        // env's way of saying that there is no compiler.
        if compiler.terminationStatus == 127 { throw XCTSkip("no swiftc") }
        return compiler.terminationStatus == 0 ? nil : text
    }
}
