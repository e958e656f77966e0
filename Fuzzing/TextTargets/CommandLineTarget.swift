// SPDX-License-Identifier: Apache-2.0
//
// The words of a command line, and the small languages in them: templates, items with options,
// folded commands, and the JSON that comes out at the other end. Nothing is run, and no file is
// touched. Words are what stands between NULs, as the kernel has them.

import FileCoordinationFuzzing
import Foundation
import filecoord

enum CommandLineTarget {
    @Sendable static func run(_ bytes: [UInt8]) throws {
        var input = Bytes(bytes)
        let language = input.number(below: 4)
        let words = input.rest().split(separator: 0, omittingEmptySubsequences: false)
            .compactMap { String(validating: $0, as: UTF8.self) }
        switch language {
        case 0: try arguments(words)
        case 1: try template(words)
        case 2: try folding(words)
        case _: try json(words)
        }
    }

    private static func arguments(_ words: [String]) throws {
        let complaint = ArgumentReading.complaint(about: Array(words.prefix(32)))
        try require(complaint?.isEmpty != true, "nothing is said about \(words)")
        let plainness = ArgumentReading.plainness(of: Array(words.prefix(32)))
        try require(plainness.isAlike, "\(words) are not what they seem")
        for word in words {
            for isWritten in [false, true] {
                let item = ArgumentReading.item(word, isWritten: isWritten, exists: true)
                try require(item != nil, "\(word) names nothing")
                guard let (path, hasOption) = item else { continue }
                try require(
                    same(path, word) || hasOption && word.utf8.starts(with: path.utf8),
                    "\(word) became \(path)")
            }
        }
    }

    private static func same(_ first: String, _ second: String) -> Bool {
        first.utf8.elementsEqual(second.utf8)
    }

    private static func template(_ words: [String]) throws {
        let paths = words.prefix(3).map { ArgumentReading.text(Array($0.utf8)) }
        let command = Array(words.dropFirst(3))
        guard let program = command.first else { return }
        let result = ArgumentReading.expand(command, paths: paths)
        try require(result.count == command.count, "\(command.count) words became \(result.count)")
        try require(same(result[0], program), "another program: \(result[0])")
        for (before, after) in zip(command, result).dropFirst() where !same(before, after) {
            try require(before.contains("{"), "\(before) became \(after)")
        }
        for (number, path) in paths.enumerated() {
            let words = ["p", "{}", "{\(number + 1)}", "<{}>"]
            let single = ArgumentReading.expand(words, paths: paths)
            try require(same(single[1], paths[0]), "{} is \(single[1])")
            try require(same(single[2], path), "{\(number + 1)} is \(single[2])")
            try require(same(single[3], "<{}>"), "<{}> is \(single[3])")
        }
    }

    private static func folding(_ words: [String]) throws {
        let unfolded = ArgumentReading.unfold(words)
        try require(unfolded?.count == words.count, "\(words) became \(unfolded ?? [])")
        for (before, after) in zip(words, unfolded ?? []) {
            try require(same(before, after), "\(before.debugDescription) became \(after)")
        }
    }

    private static func json(_ words: [String]) throws {
        let text = ArgumentReading.json(words)
        let read = try JSONDecoder().decode([String: [String]].self, from: Data(text.utf8))
        let isSame = zip(read["texts"] ?? [], words).allSatisfy { same($0, $1) }
        try require(isSame && read["texts"]?.count == words.count, "\(text) reads as \(read)")
        try require(!text.utf8.contains { $0 < 0x20 }, "more than a line: \(text)")
        let number =
            words.first.flatMap { UInt64($0) } ?? UInt64(text.utf8.count) &* 0x9E37_79B9_7F4A
        let time = ArgumentReading.time(.nanoseconds(number))
        try require(!time.words.isEmpty && Double(time.json) != nil, "\(number) ns is \(time)")
    }

    static var seeds: [[UInt8]] {
        let lines: [[String]] = [
            ["read", "a", "--timeout", "1.5", "-q", "--", "cat", "{}"],
            ["write", "x", "--nonblock"],
            ["access", "--read", "a:withoutChanges", "--write", "b:forDeleting", "--", "sh"],
            ["mv", "a", "b"], ["rm", "a"], ["versions", "list", "a"], ["status", "--json"],
            ["present", "a", "--on", "relinquish", "true", "--delay", "save", "1"], ["--help"],
            ["read", "--purpose", "", "-E", "300"],
        ]
        let commands = lines.map { [0] + Array($0.joined(separator: "\0").utf8) }
        let texts = [
            "/p\0/q\0/r\0prog\0{}\0a{1}b{2}{4}{", "\u{1}\"\\\n\u{7f}é\0\0x", "18446744073709551615",
        ]
        return commands + texts.flatMap { text in (1...3).map { [$0] + Array(text.utf8) } }
    }
}
