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

    private func set(_ value: [UInt8] = [], at path: [UInt8]) throws {
        let item = try scratch.directory.descriptor.openFile(path, O_RDONLY)
        try ExtendedAttributes.set(Array(name.utf8), to: value, of: item)
    }

    @Test(.ifAttributesAreKept)
    func `An attribute has a size, which may be none`() throws {
        _ = try scratch.file("f")
        #expect(try ExtendedAttributes.size(of: name, at: path("f")) == nil)
        #expect(!ExtendedAttributes.isPresent(name, at: path("f")))
        try set(at: path("f"))
        #expect(try ExtendedAttributes.size(of: name, at: path("f")) == 0)
        #expect(ExtendedAttributes.isPresent(name, at: path("f")))
        try set([1, 2, 3], at: path("f"))
        #expect(try ExtendedAttributes.size(of: name, at: path("f")) == 3)
    }

    @Test(.ifAttributesAreKept)
    func `A directory has attributes, too, and its contents do not share them`() throws {
        let inner = try scratch.directory.openSubdirectory("d", creatingWithMode: 0o700)
        _ = try inner.openFile("f", [.write, .create])
        try set(at: path("d"))
        #expect(ExtendedAttributes.isPresent(name, at: path("d")))
        #expect(!ExtendedAttributes.isPresent(name, at: path("d/f")))
    }

    @Test(.ifAttributesAreKept)
    func `A link is not followed, but links on the way are`() throws {
        _ = try scratch.directory.openSubdirectory("d", creatingWithMode: 0o700)
            .openFile("f", [.write, .create])
        try set(at: path("d"))
        try set(at: path("d/f"))
        symlink("d", scratch.path + "/link")
        #expect(!ExtendedAttributes.isPresent(name, at: path("link")))
        #expect(try ExtendedAttributes.size(of: name, at: path("link")) == nil)
        #expect(ExtendedAttributes.isPresent(name, at: path("link/f")))
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
        ]
        #expect(errors.map { $0?.code } == .init(repeating: ErrorNumber.invalidArgument, count: 2))
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
                    Array("user.filecoordination.probe".utf8), to: [], of: scratch.file("f"))
            }
            return error?.code != ErrorNumber.notSupported
        }
    }
}
