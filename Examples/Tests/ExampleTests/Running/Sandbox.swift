// SPDX-License-Identifier: Apache-2.0
//
// A directory for one test, in which programs meet at a server of their own and keep versions of
// their own.

import Foundation
import XCTest

/// A test that starts the examples.
class ExampleTest: XCTestCase {
    private(set) var sandbox = Sandbox()

    override func setUpWithError() throws { try sandbox.make() }

    override func tearDownWithError() throws { try sandbox.remove() }
}

/// A directory, and the programs that were started with it.
final class Sandbox {
    /// Its path is short: a socket's address has room for 108 bytes.
    let directory = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appendingPathComponent("x\(UUID().uuidString.prefix(8))")
    private var programs: [Program] = []

    func make() throws {
        for name in ["run", "home"] {
            try FileManager.default.createDirectory(
                at: directory.appendingPathComponent(name), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
    }

    func remove() throws {
        for program in programs { program.kill() }
        try FileManager.default.removeItem(at: directory)
    }

    // MARK: Files

    func url(_ name: String) -> URL { directory.appendingPathComponent(name) }

    /// Writes a file without coordination, and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let url = url(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: true, encoding: .utf8)
        return url.path
    }

    func read(_ name: String) throws -> String {
        try String(contentsOf: url(name), encoding: .utf8)
    }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: url(name).path) }

    func names(in name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url(name).path).sorted()
    }

    // MARK: Programs

    /// Starts an example, or `filecoord`, in the directory.
    func start(_ name: String, _ arguments: String..., inTerminal: Bool = false) throws -> Program {
        try start(name, arguments, inTerminal: inTerminal)
    }

    private func start(
        _ name: String, _ arguments: [String], inTerminal: Bool = false
    ) throws -> Program {
        let variables = ProcessInfo.processInfo.environment
        var environment = ["PATH": variables["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
        environment["FILECOORDINATION_RUNTIME_DIR"] = url("run").path
        // No daemon, which would outlive the test: so kills hit servers, too.
        environment["FILECOORDINATIOND"] = ""
        environment["HOME"] = url("home").path
        let program = try Program(
            Self.executable(name), arguments, in: directory, environment: environment,
            inTerminal: inTerminal)
        programs.append(program)
        return program
    }

    /// Where a program is: the examples are beside this one.
    private static func executable(_ name: String) throws -> URL {
        switch name {
        case "filecoord": URL(fileURLWithPath: try filecoordPath())
        case "sh": URL(fileURLWithPath: "/bin/sh")
        default:
            URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appendingPathComponent(name)
        }
    }

    static func filecoordPath() throws -> String {
        try XCTUnwrap(ProcessInfo.processInfo.environment["FILECOORD"])
    }

    /// Runs a program to its end, and returns its output.
    @discardableResult
    func run(
        _ name: String, _ arguments: String..., input: String = "", status: Int32 = 0,
        file: StaticString = #filePath, line: UInt = #line
    ) throws -> String {
        let program = try start(name, arguments)
        program.send(input)
        program.endInput()
        let output = try program.outputToTheEnd()
        XCTAssertEqual(program.wait(), status, "\(name): \(output)", file: file, line: line)
        return output
    }
}
