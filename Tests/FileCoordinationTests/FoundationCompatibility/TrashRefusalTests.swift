// SPDX-License-Identifier: Apache-2.0
//
// What is not put into the trash: nothing of it may be lost, and the error says why (Rule 17.3).

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationSystem
import Foundation
import Glibc
import Testing

@Suite struct TrashRefusalTests {
    private let stage: TrashStage

    init() throws { stage = try TrashStage() }

    @Test func `A missing item is an error, and makes no trash`() {
        for name in ["missing", "missing/inner"] {
            let refusal = stage.refusal(of: stage.documents.appendingPathComponent(name))
            #expect(refusal?.domain == NSCocoaErrorDomain)
            #expect(refusal?.code == CocoaError.fileNoSuchFile.rawValue)
            #expect(refusal?.localizedDescription.contains("missing") == true)
        }
        #expect(stage.names(in: stage.home).isEmpty)
    }

    @Test func `What is in the trash stays there under its name`() throws {
        let place = try stage.trashItem(at: try stage.file("folder/a"))
        let inTrash = [
            place, place.deletingLastPathComponent(), stage.homeTrash,
            stage.homeTrash.appendingPathComponent("info/a.trashinfo"),
        ]
        for url in inTrash {
            let refusal = stage.refusal(of: url)
            #expect(refusal?.code == CocoaError.fileWriteUnknown.rawValue)
            #expect(refusal?.localizedDescription.contains("in the trash already") == true)
        }
        #expect(try contents(place) == "text")
        #expect(stage.names(in: stage.homeTrash) == ["files", "info"])
    }

    @Test func `A trash that is a link is known by where it leads`() throws {
        let real = stage.documents.appendingPathComponent("real trash")
        let data = stage.home.appendingPathComponent(".local/share")
        for directory in [real, data] {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
        }
        symlink(real.path, stage.homeTrash.path)

        let place = try stage.trashItem(at: try stage.file("a"))
        #expect(place.path == real.path + "/files/a")
        #expect(stage.refusal(of: place)?.code == CocoaError.fileWriteUnknown.rawValue)
        #expect(stage.refusal(of: real)?.code == CocoaError.fileWriteUnknown.rawValue)
        #expect(TrashStage.exists(place))
    }

    @Test func `What the trash is in stays, also if the trash is still to be made`() throws {
        for _ in 1...2 {
            for url in [stage.home, URL(fileURLWithPath: "/")] {
                let refusal = stage.refusal(of: url)
                #expect(refusal?.code == CocoaError.fileWriteUnknown.rawValue)
                #expect(refusal?.localizedDescription.contains("the trash is in it") == true)
            }
            #expect(TrashStage.exists(stage.home))
            try stage.trashItem(at: try stage.file("a"))
        }
    }

    @Test func `Only files can be put into the trash`() throws {
        let web = try #require(URL(string: "https://example.org/a"))
        #expect(stage.refusal(of: web)?.code == CocoaError.fileWriteUnsupportedScheme.rawValue)
        let zero = try #require(URL(string: "file:///tmp/a%00b"))
        #expect(stage.refusal(of: zero)?.code == CocoaError.fileWriteInvalidFileName.rawValue)
    }

    @Test func `A rename that fails leaves no note`() throws {
        let url = try stage.file("a")
        let path = try TrashStage.place(url)
        let directory = try TrashPlace.home(stage.homeTrash.path)
            .open(for: CurrentProcess.effectiveUserID)
        let item = try #require(try TrashItem(path))
        try FileManager.default.removeItem(at: url)

        let failure = #expect(throws: SystemError.self) { try directory.take(item) }
        #expect(failure?.code == ErrorNumber.noSuchFile)
        #expect(stage.names(in: stage.homeTrash.appendingPathComponent("info")).isEmpty)
        #expect(stage.names(in: stage.homeTrash.appendingPathComponent("files")).isEmpty)
    }

    @Test func `The resulting URL is written on success only, and need not be asked for`() throws {
        let kept = NSURL(fileURLWithPath: "/kept")
        var place: NSURL? = kept
        let missing = stage.documents.appendingPathComponent("missing")
        Trash.$chosen.withValue(stage.trash) {
            #expect(throws: CocoaError.self) {
                try FileManager.default.trashItem(at: missing, resultingItemURL: &place)
            }
        }
        #expect(place === kept)
        let url = try stage.file("a")
        try Trash.$chosen.withValue(stage.trash) {
            try FileManager.default.trashItem(at: url, resultingItemURL: nil)
        }
        #expect(!TrashStage.exists(url))
    }

    @Test func `A trash that belongs to another user is not used`() throws {
        let other = Trash(
            environment: ["HOME": stage.home.path], userID: CurrentProcess.effectiveUserID + 1,
            mounts: MountTable(mountPoints: [try TrashStage.place(stage.documents)]))
        let url = try stage.file("a")
        let failure = #expect(throws: CocoaError.self) { try other.put(url) }
        #expect(failure?.code == .featureUnsupported)
        #expect(failure?.localizedDescription.contains("belongs to user") == true)
        #expect(TrashStage.exists(url))
    }
}
