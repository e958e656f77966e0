// SPDX-License-Identifier: Apache-2.0
//
// A file that is cut off under a mapping.

import FileCoordinationSystem
import Glibc
import Testing

@Suite struct MappingGuardTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `A protected mapping reads zeros where the file was cut off`() throws {
        let file = try scratch.file("f", size: 3 * 4096)
        let mapping = try SharedMapping(
            file: file, length: 3 * 4096, writable: true, inheritedByFork: false)
        try MappingGuard.protect(mapping)
        for page in 0..<3 { mapping.word(at: page * 4096).store(UInt64(page) + 1) }
        #expect(!MappingGuard.wasTruncated(mapping))

        try FileSpace.truncate(file, length: 4096)
        #expect(!MappingGuard.wasTruncated(mapping), "No access has touched it yet")
        #expect(mapping.word(at: 4096).load() == 0)
        #expect(MappingGuard.wasTruncated(mapping))
        #expect(mapping.word(at: 0).load() == 1, "The rest of the file is still mapped")
        mapping.word(at: 8192).store(5)
        #expect(mapping.word(at: 8192).load() == 5)
        #expect(try file.status().size == 4096, "Writes go nowhere")
    }

    @Test func `A wait on a page that was cut off returns`() throws {
        let file = try scratch.file("f")
        let mapping = try SharedMapping(
            file: file, length: 4096, writable: true, inheritedByFork: false)
        try MappingGuard.protect(mapping)
        try FileSpace.truncate(file, length: 0)
        let word = mapping.word(at: 0)
        let result = Futex.wait(word, expected: 0, deadline: nil)
        #expect(result == .changed)
        #expect(MappingGuard.wasTruncated(mapping))
    }

    @Test func `Protection ends with the mapping, and can be taken again`() throws {
        for _ in 0..<5_000 {
            let file = try scratch.file("f")
            let mapping = try SharedMapping(
                file: file, length: 4096, writable: false, inheritedByFork: false)
            try MappingGuard.protect(mapping)
            try MappingGuard.protect(mapping)
            #expect(!MappingGuard.wasTruncated(mapping))
        }
    }

    @Test func `An unprotected fault ends the process as before`() async {
        await #expect(processExitsWith: .signal(SIGBUS)) {
            // A sanitizer has a handler of its own.
            signal(SIGBUS, SIG_DFL)
            let scratch = try Scratch()
            let file = try scratch.file("f")
            let ours = try SharedMapping(
                file: file, length: 4096, writable: true, inheritedByFork: false)
            let foreign = try SharedMapping(
                file: file, length: 4096, writable: true, inheritedByFork: false)
            try MappingGuard.protect(ours)
            try FileSpace.truncate(file, length: 0)
            foreign.word(at: 0).store(1)
        }
    }

    @Test func `A foreign fault goes to the handler that was there before`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in _exit(7) }
            sigaction(SIGBUS, &action, nil)
            let scratch = try Scratch()
            let file = try scratch.file("f")
            let ours = try SharedMapping(
                file: file, length: 4096, writable: true, inheritedByFork: false)
            let foreign = try SharedMapping(
                file: file, length: 4096, writable: true, inheritedByFork: false)
            try MappingGuard.protect(ours)
            try FileSpace.truncate(file, length: 0)
            guard ours.word(at: 0).load() == 0 else { _exit(1) }
            foreign.word(at: 0).store(1)
        }
    }

    @Test func `A signal that was sent ends the process as before`() async {
        await #expect(processExitsWith: .signal(SIGBUS)) {
            // A sanitizer has a handler of its own.
            signal(SIGBUS, SIG_DFL)
            let scratch = try Scratch()
            let file = try scratch.file("f")
            let mapping = try SharedMapping(
                file: file, length: 4096, writable: true, inheritedByFork: false)
            try MappingGuard.protect(mapping)
            kill(getpid(), SIGBUS)
            pause()
            withExtendedLifetime(mapping) {}
        }
    }
}
