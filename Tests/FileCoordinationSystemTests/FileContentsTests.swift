// SPDX-License-Identifier: Apache-2.0
//
// Room, copies, files without a name, and reading and writing at a place.

import FileCoordinationSystem
import Testing

@Suite struct FileContentsTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func contents(_ file: Descriptor, length: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: length)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return Array(bytes.prefix(count))
    }

    @Test func `Reserved room is really there`() throws {
        let file = try scratch.file("f", size: 0)
        try FileSpace.reserve(file, length: 100_000)
        #expect(try file.status().size == 100_000)
        try FileSpace.truncate(file, length: 5)
        #expect(try file.status().size == 5)
    }

    @Test func `More room than there can be is refused`() throws {
        let file = try scratch.file("f", size: 0)
        let error = systemError { try FileSpace.reserve(file, length: 1 << 60) }
        #expect(error != nil)
        #expect(systemError { try FileSpace.reserve(file, length: 0) }?.code == 22)
    }

    @Test func `What is written is read, and copied by the kernel`() throws {
        let from = try scratch.file("from", size: 0)
        let to = try scratch.file("to", size: 0)
        try [1, 2, 3, 4, 5].withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            try from.write(bytes, at: 0)
        }
        try from.synchronize()
        let length = Int(try from.status().size)
        let copied = try FileCopy.copyRange(from: from, at: 8, to: to, at: 0, length: 1_000)
        #expect(copied == length - 8)
        #expect(try contents(to, length: 100) == Array(contents(from, length: 100).dropFirst(8)))
        let end = try FileCopy.copyRange(from: from, at: 4_000, to: to, at: 0, length: 10)
        #expect(end == 0)
    }

    @Test func `A reflink either shares the contents or says that it cannot`() throws {
        let from = try scratch.file("from")
        let to = try scratch.file("to", size: 0)
        do {
            try FileCopy.reflink(from: from, to: to)
            #expect(try to.status().size == 4096)
        } catch {
            let refusals = [
                ErrorNumber.notSupported, ErrorNumber.invalidArgument, ErrorNumber.crossDevice,
            ]
            #expect(refusals.contains(error.code))
        }
    }

    @Test func `A descriptor is closed with its last owner`() throws {
        var pipe = try TestPipe()
        var extra = pipe.writer
        pipe.closeWriter()
        #expect(extra != nil)
        extra = nil
        #expect(pipe.next() == nil)
    }
}
