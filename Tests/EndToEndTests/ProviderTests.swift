// SPDX-License-Identifier: Apache-2.0
//
// Providers of files among processes: what is not here is brought before it is read, also by a
// provider that comes later, and given up only with the consent of those that show it (Rules 15.4
// to 15.6).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class ProviderTests: StageTestCase {
    /// A file whose contents are not here.
    private func placeholder(_ name: String) throws -> String {
        let file = try stage.file(name)
        chmod(file, 0)
        return file
    }

    /// A process that knows the directory of a provider, also while that does not run.
    private func peer(_ name: String, providing root: String) throws -> Program {
        let domain = stage.path("state/filecoordination/domains/one")
        try FileManager.default.createDirectory(
            atPath: domain, withIntermediateDirectories: true)
        if access(domain + "/root", F_OK) != 0 { symlink(root, domain + "/root") }
        return try stage.peer(name, environment: ["XDG_STATE_HOME": stage.path("state")])
    }

    //  provider of d        presenter of d/f      reader, then writer
    //                                             read(d/f)
    //  brings "text"
    //                                             granted: "text"
    //                                             write(d/f)
    //                       did change, once
    //
    /// Rules 15.4 and 15.5.
    func testAReadWaitsForContentsAndNobodyHearsOfAnEdit() throws {
        let folder = try stage.folder("d")
        let file = try placeholder("d/f")
        let provider = try peer("provider", providing: folder)
        let viewer = try stage.peer("viewer")
        let reader = try stage.peer("reader")
        try provider.ask("p present \(folder) kind=provider brings=text", "p registered")
        try viewer.ask("v present \(file) kind=listener", "v registered")
        try reader.ask("r read \(file)", "r granted")
        try provider.expect("p provide \(file)")
        try provider.expect("p brought")
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "text")
        try reader.ask("r go", "r released")
        try reader.ask("w write \(file)", "w granted")
        try Data("other text".utf8).write(to: URL(fileURLWithPath: file))
        try reader.ask("w go", "w released")
        try viewer.expect("v did change")
        try provider.expect("p did change \(file)")
        XCTAssertEqual(viewer.count("v did change"), 1)
    }

    /// Rule 15.4: metadata, deleting and moving need no contents.
    func testWhatNeedsNoContentsDoesNotWait() throws {
        let folder = try stage.folder("d")
        let file = try placeholder("d/f")
        let provider = try peer("provider", providing: folder)
        let other = try peer("other", providing: folder)
        try provider.ask("p present \(folder) kind=provider never=provide", "p registered")
        try other.ask("m read \(file) options=metadataOnly", "m granted")
        try other.ask("m go", "m released")
        try other.ask("d write \(file) options=forDeleting", "d granted")
        try other.ask("d go", "d released")
        XCTAssertEqual(provider.count("p provide"), 0)
    }

    /// The error of a provider is that of the call; the provider's process may end meanwhile.
    func testAReadFailsWithItsProvidersErrorAndOutlivesItsDeath() throws {
        let folder = try stage.folder("d")
        let file = try placeholder("d/f")
        let reader = try peer("reader", providing: folder)
        let refusing = try peer("refusing", providing: folder)
        try refusing.ask("p present \(folder) kind=provider fail=provide", "p registered")
        try reader.ask("e read \(file)", "e failed StageErrorDomain 4711")
        try refusing.leave()

        let hanging = try peer("hanging", providing: folder)
        try hanging.ask("p present \(folder) kind=provider never=provide", "p registered")
        reader.tell("r read \(file)")
        try hanging.expect("p provide \(file)")
        hanging.signal(SIGKILL)
        let next = try peer("next", providing: folder)
        try next.ask("p present \(folder) kind=provider brings=text", "p registered")
        try next.expect("p provide \(file)")
        try reader.expect("r granted")
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "text")
        try reader.ask("r go", "r released")
    }

    /// What is not here waits although no provider runs; what is here does not.
    func testWhatIsNotHereWaitsForAProviderToBeStarted() throws {
        let folder = try stage.folder("d")
        let file = try placeholder("d/f")
        let here = try stage.file("d/here", "text")
        let reader = try peer("reader", providing: folder)
        try reader.ask("h read \(here)", "h granted")
        try reader.ask("h go", "h released")
        reader.tell("r read \(file)")
        try stage.until(reader, .asking)
        let provider = try peer("provider", providing: folder)
        try provider.ask("p present \(folder) kind=provider brings=text", "p registered")
        try provider.expect("p provide \(file)")
        try reader.expect("r granted")
        try reader.ask("r go", "r released")
    }

    /// Rule 15.6, and that contents are fetched again although the path was delegated.
    func testAnEvictionNeedsConsentAndIsUndoneByTheNextRead() throws {
        let folder = try stage.folder("d")
        let file = try stage.file("d/f", "text")
        let provider = try peer("provider", providing: folder)
        let reader = try peer("reader", providing: folder)
        let viewer = try stage.peer("viewer")
        try provider.ask("p present \(folder) kind=provider brings=text", "p registered")
        for _ in 0..<3 {
            try reader.ask("r read \(file)", "r granted")
            try reader.ask("r go", "r released")
        }
        try viewer.ask("v present \(file) kind=listener", "v registered")
        provider.tell("x evict \(file) as=p")
        try provider.expect("p failed NSCocoaErrorDomain 255")
        try viewer.ask("gone remove v", "gone removed")
        provider.tell("x evict \(file) as=p")
        try provider.expect("p evicted")
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: file)).count, 0)
        try reader.ask("r read \(file)", "r granted")
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "text")
        try reader.ask("r go", "r released")
    }
}
