// SPDX-License-Identifier: Apache-2.0
//
// The listings of other languages in documents: those in C are compiled against the header, and
// those in Python are compiled and use only names that the package has. That they do what they say
// is tested in `Libraries`, with the built library.

import Foundation
import Testing

@Suite("Listings of other languages") struct ForeignListingTests {
    private let tree: SourceTree
    private let libraries: URL

    init() throws {
        tree = try TreeCache.tree.get()
        // Resolved: these tests may be built through a link to them.
        let own = URL(filePath: #filePath).resolvingSymlinksInPath()
        // Documents, TidyTests, Tests
        let root = (0..<4).reduce(own) { url, _ in url.deletingLastPathComponent() }
        libraries = root.appending(path: "Libraries")
    }

    private func listings(_ language: String) -> [(place: String, code: String)] {
        tree.files.filter { $0.path.hasSuffix(".md") }.flatMap { file in
            Listing.fences(in: file).filter { $0.language == language }
                .map { ("\(file.path):\($0.line)", $0.code) }
        }
    }

    /// Runs a program with this input; returns its status and what it printed, or nil if there is
    /// no such program.
    private func run(
        _ command: [String], input: String
    ) throws -> (status: Int32, output: String)? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let (given, printed) = (Pipe(), Pipe())
        process.standardInput = given
        process.standardOutput = printed
        process.standardError = printed
        try process.run()
        try given.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try given.fileHandleForWriting.close()
        let output = String(
            decoding: try printed.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 127 ? nil : (process.terminationStatus, output)
    }

    /// A listing as a program: its includes, and the rest in a function that may end with a status.
    private func program(_ listing: String) -> String {
        let lines = listing.split(separator: "\n", omittingEmptySubsequences: false)
        let includes = lines.filter { $0.hasPrefix("#include") }
        let rest = lines.filter { !$0.hasPrefix("#include") }
        return """
            #include <stdio.h>
            \(includes.joined(separator: "\n"))
            void rewrite(const char *path);
            int example(void);
            int example(void) {
            \(rest.joined(separator: "\n"))
            return 0;
            }

            """
    }

    private var header: String {
        libraries.appending(path: "C/Sources/CFileCoordination/include").path
    }

    @Test func `Listings in C compile without a warning`() throws {
        let found = listings("c")
        #expect(!found.isEmpty)
        for (place, code) in found {
            let options = [
                "-std=gnu99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I",
                header, "-x", "c", "-",
            ]
            // The compiler of the toolchain, without which nothing here was built.
            let result = try #require(try run(["clang"] + options, input: program(code)))
            #expect(result.status == 0, "\(place): \(result.output)")
        }
    }

    @Test func `A wrong listing in C is found`() throws {
        let wrong = program("#include <filecoordination.h>\nfc_end(fc_begin_reading(7));")
        let result = try #require(
            try run(
                ["clang", "-Werror", "-fsyntax-only", "-I", header, "-x", "c", "-"], input: wrong))
        #expect(result.status != 0)
    }

    /// Compiles its input, and prints each name of the package that it uses and the package lacks.
    private static let checker = """
        import ast, sys
        package = ast.parse(open(sys.argv[1]).read())
        names = {name.asname or name.name for node in ast.walk(package)
                 if isinstance(node, ast.ImportFrom) for name in node.names}
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        text = sys.stdin.read()
        compile(text, "listing", "exec", flags=flags)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) \\
                    and node.value.id == "fc" and node.attr not in names:
                sys.exit("no fc." + node.attr)
        """

    private func check(python code: String) throws -> (status: Int32, output: String)? {
        let package = libraries.appending(path: "Python/src/filecoordination/__init__.py").path
        return try run(["python3", "-c", Self.checker, package], input: code)
    }

    @Test func `Listings in Python compile, and use names that there are`() throws {
        // Python is no part of the toolchain.
        guard let wrong = try check(python: "fc.wriitng('f')") else { return }
        #expect(wrong.output.contains("no fc.wriitng"), "\(wrong.output)")
        #expect(try check(python: "with fc.writing(: pass")?.status != 0)
        let found = listings("python")
        #expect(!found.isEmpty)
        for (place, code) in found {
            let result = try #require(try check(python: code))
            #expect(result.status == 0, "\(place): \(result.output)")
        }
    }
}
