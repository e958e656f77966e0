// SPDX-License-Identifier: Apache-2.0
//
// Extended attributes, on real files. Not every file system keeps them; where the temporary
// directory's does not, the tests that need one say so and are skipped.

import FileCoordinationSystem
import Glibc
import Testing

@Suite struct ExtendedAttributeTests {
    private let scratch: Scratch
    private let name = "user.filecoordination.test"

    init() throws { scratch = try Scratch() }

    private func path(_ name: String) -> [UInt8] { Array("\(scratch.path)/\(name)".utf8) }

    @Test(.ifAttributesAreKept)
    func `An attribute has a size, which may be none`() throws {
        _ = try scratch.file("f")
        #expect(try ExtendedAttributes.size(of: name, at: path("f")) == nil)
        #expect(!ExtendedAttributes.isPresent(name, at: path("f")))
        try ExtendedAttributes.set(name, at: path("f"))
        #expect(try ExtendedAttributes.size(of: name, at: path("f")) == 0)
        #expect(ExtendedAttributes.isPresent(name, at: path("f")))
        try ExtendedAttributes.set(name, to: [1, 2, 3], at: path("f"))
        #expect(try ExtendedAttributes.size(of: name, at: path("f")) == 3)
    }

    @Test(.ifAttributesAreKept)
    func `A directory has attributes, too, and its contents do not share them`() throws {
        let inner = try scratch.directory.openSubdirectory("d", creatingWithMode: 0o700)
        _ = try inner.openFile("f", [.write, .create])
        try ExtendedAttributes.set(name, at: path("d"))
        #expect(ExtendedAttributes.isPresent(name, at: path("d")))
        #expect(!ExtendedAttributes.isPresent(name, at: path("d/f")))
    }

    @Test(.ifAttributesAreKept)
    func `A link is not followed, but links on the way are`() throws {
        _ = try scratch.directory.openSubdirectory("d", creatingWithMode: 0o700)
            .openFile("f", [.write, .create])
        try ExtendedAttributes.set(name, at: path("d"))
        try ExtendedAttributes.set(name, at: path("d/f"))
        symlink("d", scratch.path + "/link")
        #expect(!ExtendedAttributes.isPresent(name, at: path("link")))
        #expect(try ExtendedAttributes.size(of: name, at: path("link")) == nil)
        #expect(ExtendedAttributes.isPresent(name, at: path("link/f")))
        let error = systemError { try ExtendedAttributes.set(name, at: path("link")) }
        #expect(error?.code == ErrorNumber.notPermitted)
    }

    @Test func `What is not there is an error that names it`() {
        let error = systemError { try ExtendedAttributes.size(of: name, at: path("absent")) }
        #expect(error?.code == ErrorNumber.noSuchFile)
        #expect(error?.operation.contains("\"\(scratch.path)/absent\"") == true)
        #expect(error?.operation.contains(name) == true)
        #expect(!ExtendedAttributes.isPresent(name, at: path("absent")))
    }

    @Test func `A zero byte does not cut a name short`() throws {
        _ = try scratch.file("f")
        let cut = path("f") + [0, 1]
        let errors = [
            systemError { try ExtendedAttributes.size(of: name, at: cut) },
            systemError { try ExtendedAttributes.size(of: name + "\0x", at: path("f")) },
            systemError { try ExtendedAttributes.set(name, at: cut) },
        ]
        #expect(errors.map { $0?.code } == .init(repeating: ErrorNumber.invalidArgument, count: 3))
        #expect(!ExtendedAttributes.isPresent(name, at: cut))
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that give a file an attribute.
    static var ifAttributesAreKept: Self {
        .enabled("the file system of the temporary directory keeps no user attributes") {
            let scratch = try Scratch()
            let error = systemError {
                try ExtendedAttributes.set(
                    "user.filecoordination.probe", at: Array(scratch.path.utf8))
            }
            return error?.code != ErrorNumber.notSupported
        }
    }
}
