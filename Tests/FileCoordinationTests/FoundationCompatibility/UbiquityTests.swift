// SPDX-License-Identifier: Apache-2.0
//
// What programs written for a Mac ask about clouds, in the spelling that they have there.

import FileCoordination
import Foundation
import Testing

@Suite struct UbiquityTests {
    private let manager = FileManager.default
    private let directory: TemporaryDirectory
    private let file: URL

    init() throws {
        directory = try TemporaryDirectory()
        file = try directory.file("note.txt")
    }

    private func refusal(_ body: () throws -> Void) -> CocoaError? {
        do {
            try body()
            return nil
        } catch {
            return error as? CocoaError
        }
    }

    @Test func `There is no cloud, and no user is signed in`() {
        #expect(!manager.isUbiquitousItem(at: file))
        #expect(!manager.isUbiquitousItem(at: directory.missing))
        #expect(manager.url(forUbiquityContainerIdentifier: nil) == nil)
        #expect(manager.url(forUbiquityContainerIdentifier: "iCloud.org.example") == nil)
        #expect(manager.ubiquityIdentityToken == nil)
    }

    /// Each call, with the code for a missing item.
    private var calls: [(Int, String, (URL) throws -> Void)] {
        let elsewhere = directory.url("elsewhere.txt")
        return [
            (
                4, "taken into a cloud",
                { try manager.setUbiquitous(true, itemAt: $0, destinationURL: elsewhere) }
            ),
            (
                4, "taken out of one",
                { try manager.setUbiquitous(false, itemAt: $0, destinationURL: elsewhere) }
            ),
            (4, "no other copy", { try manager.evictUbiquitousItem(at: $0) }),
            (260, "all of it is here", { try manager.startDownloadingUbiquitousItem(at: $0) }),
            (
                260, "no address",
                { _ = try manager.url(forPublishingUbiquitousItemAt: $0, expiration: nil) }
            ),
        ]
    }

    @Test func `A local item is unavailable to a cloud, and stays as it is (Rules 17.4, 3.5)`() {
        for (_, words, call) in calls {
            let failure = refusal { try call(file) }
            #expect(failure?.code == .ubiquitousFileUnavailable)
            #expect(failure?.errorCode == 4353)
            #expect(failure?.isUbiquitousFileError == true)
            #expect(failure?.localizedDescription.contains(words) == true)
            #expect(failure?.localizedDescription.contains(file.path) == true)
            #expect((failure as NSError?)?.domain == NSCocoaErrorDomain)
        }
        #expect((try? String(contentsOf: file, encoding: .utf8)) == "text")
        #expect(!FileManager.default.fileExists(atPath: directory.url("elsewhere.txt").path))
    }

    @Test func `A missing item is missing, whatever is asked of it (Rule 17.3)`() {
        for (code, _, call) in calls {
            let failure = refusal { try call(directory.missing) }
            #expect(failure?.errorCode == code)
            #expect((failure?.underlying as NSError?)?.domain == NSPOSIXErrorDomain)
            #expect(failure?.localizedDescription.contains("missing") == true)
            let inFile = refusal { try call(file.appendingPathComponent("inner")) }
            #expect(inFile?.errorCode == code)
        }
    }

    @Test func `Only files can be asked about`() throws {
        let web = try #require(URL(string: "https://example.org/a"))
        let zero = try #require(URL(string: "file:///a%00b"))
        for (missingCode, _, call) in calls {
            let isWriting = missingCode == 4
            #expect(refusal { try call(web) }?.errorCode == (isWriting ? 518 : 262))
            #expect(refusal { try call(zero) } != nil)
        }
    }

    @Test func `A publishing date is not written`() {
        let kept = NSDate(timeIntervalSince1970: 1)
        var date: NSDate? = kept
        #expect(throws: CocoaError.self) {
            _ = try manager.url(forPublishingUbiquitousItemAt: file, expiration: &date)
        }
        #expect(date === kept)
    }

    // MARK: File providers

    @Test func `A local file has no provider and so no services`() async throws {
        let services = try await manager.fileProviderServicesForItem(at: file)
        #expect(services.isEmpty)
        let name = NSFileProviderServiceName("org.example.service")
        #expect(services[name] == nil)
        #expect(name == NSFileProviderServiceName(rawValue: "org.example.service"))
        await #expect(throws: CocoaError.self) {
            try await manager.fileProviderServicesForItem(at: directory.missing)
        }
    }

    @Test func `The handler gets either services or an error`() async {
        for (url, code) in [(file, nil), (directory.missing, 260)] {
            let (count, failure) = await withCheckedContinuation { continuation in
                manager.getFileProviderServicesForItem(at: url) { services, error in
                    continuation.resume(
                        returning: (services?.count, (error as? CocoaError)?.errorCode))
                }
            }
            #expect(count == (code == nil ? 0 : nil))
            #expect(failure == code)
        }
    }
}

/// A directory with files, which vanishes with this object.
final class TemporaryDirectory: Sendable {
    private let root: URL

    init() throws {
        root = FileManager.default.temporaryDirectory
            .appendingPathComponent("fc-neighbours-" + UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    func url(_ name: String) -> URL { root.appendingPathComponent(name, isDirectory: false) }

    /// Where nothing is.
    var missing: URL { url("missing") }

    /// A file with the text "text".
    func file(_ name: String) throws -> URL {
        try Data("text".utf8).write(to: url(name))
        return url(name)
    }
}
