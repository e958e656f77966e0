// SPDX-License-Identifier: Apache-2.0
//
// What counts as a package: a user's file, and lines that any program adds (Rule 1.11). The first
// byte says where the one ends and the other begins.

import FileCoordination
import FileCoordinationClient
import FileCoordinationFuzzing
import FileCoordinationServer
import FileCoordinationWire

enum PackagesTarget {
    @Sendable static func run(_ bytes: [UInt8]) throws {
        let text = Array(bytes.dropFirst())
        let split = text.count * Int(bytes.first ?? 0) / 256
        let (configured, added) = (Array(text[..<split]), Array(text[split...]))
        try hold(configured, added)
        // Now and then the longest that is possible, and longer.
        guard text.count % 4 == 3 else { return try read(text) }
        let many = repeatElement(configured + [0x0A], count: 1 + 17_000 / (configured.count + 1))
        try hold(Array(many.joined()), added)
        try read(configured)
        try read(added)
    }

    /// How the server keeps it.
    private static func hold(_ configured: [UInt8], _ added: [UInt8]) throws {
        let limit = WireLimits.packagePolicyBytes
        let whole = PackageConfiguration.wholeLines(configured)
        try require(whole.count <= limit, "\(whole.count) bytes are announced")
        try require(configured.starts(with: whole), "other lines than were configured")
        try require(
            whole.count == configured.count || whole.isEmpty || whole.last == 0x0A
                || configured[whole.count] == 0x0A, "half a line")
        let policy = PackageConfiguration.adding(added, to: whole)
        try require(policy.count <= limit, "\(policy.count) bytes after an addition")
        // Lines that did not fit may fit now only if something went: nothing goes twice.
        try require(
            PackageConfiguration.adding(added, to: policy) == policy, "added twice makes a change")
    }

    /// How clients read it.
    private static func read(_ text: [UInt8]) throws {
        let policy = PackagePolicy(text: text)
        try require(
            policy.complaints.count
                <= text.split(separator: 0x0A, omittingEmptySubsequences: false)
                .count, "more complaints than lines")
        try require(PackagePolicy(text: text) == policy, "another policy the next time")
        let statements = PackagePolicy.Statement.Kind.allCases.compactMap { kind in
            try? PackagePolicy.Statement(kind, String(decoding: text.prefix(40), as: UTF8.self))
        }
        for statement in statements {
            let longer = PackagePolicy.text(text, adding: [statement])
            guard longer.count <= PackagePolicy.configurationLimit else { continue }
            try require(
                PackagePolicy(text: longer).complaints == policy.complaints,
                "\"\(statement.text)\" is complained of")
        }
    }

    static var seeds: [[UInt8]] {
        [
            "package scene\n# no more\npackage-with-contents .PLUGIN\n", "directory framework",
            "package a b\npackage\n\n  package \t x # y\npackage a/b\n", "\u{FEFF}package é\r\n",
        ].flatMap { text in [UInt8(0), 128, 255].map { [$0] + Array(text.utf8) } }
    }
}
