// SPDX-License-Identifier: Apache-2.0
//
// What compiles on a Mac and not here, or only with a warning. Each file in Differences is given to
// the compiler by itself, in both language modes, and its comments say on which lines what comes:
// "// warning 5; error 6". So the list of differences is complete as far as it goes, and shrinks
// when the compiler or the library gets better.

import Foundation
import XCTest

final class DifferencesTests: XCTestCase {
    func testTheCompilerSaysAboutDifferencesWhatTheirCommentsSay() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Differences")
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "swift" }
        XCTAssertFalse(files.isEmpty)
        for file in files.sorted(by: { $0.path < $1.path }) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for mode in ["5", "6"] {
                let said = try remarks(on: file, mode: mode)
                let expected = Set(announced(in: text, mode: mode))
                XCTAssertEqual(
                    said.sorted(), expected.sorted(), "\(file.lastPathComponent), mode \(mode)")
            }
        }
    }

    /// What the comments say: lines as "13 warning".
    private func announced(in text: String, mode: String) -> [String] {
        text.components(separatedBy: "\n").enumerated().flatMap { number, line -> [String] in
            guard let comment = line.range(of: "  // ", options: .backwards) else { return [] }
            return line[comment.upperBound...].components(separatedBy: "; ").compactMap { part in
                let words = part.split(separator: " ").map(String.init)
                guard let kind = words.first, words.dropFirst().contains(mode) else { return nil }
                return "\(number + 1) \(kind)"
            }
        }
    }

    /// What the compiler says of a file: lines as "13 warning".
    private func remarks(on file: URL, mode: String) throws -> Set<String> {
        let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let moduleMap = products.appendingPathComponent(
            "CFileCoordinationSystem.build/module.modulemap")
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = [
            // Compiled, because type-checking alone does not
            // check what is sent between isolation domains.
            "swiftc", "-emit-sil", "-o", "/dev/null", "-parse-as-library", "-swift-version", mode,
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
        return Set(
            text.components(separatedBy: "\n").compactMap { line in
                guard line.hasPrefix(file.path + ":") else { return nil }
                let parts = line.dropFirst(file.path.count + 1).components(separatedBy: ":")
                guard parts.count > 3 else { return nil }
                let kind = parts[2].trimmingCharacters(in: .whitespaces)
                return ["warning", "error"].contains(kind) ? "\(parts[0]) \(kind)" : nil
            })
    }
}
