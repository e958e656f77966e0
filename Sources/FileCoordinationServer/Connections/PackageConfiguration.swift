// SPDX-License-Identifier: Apache-2.0
//
// What counts as a package is one policy for all who share an arbiter (Rule 1.11). Clients apply
// it, to the files they see; the server only hands it on: the user's configuration, and what
// clients have added to it. It is text, and opaque here.

import FileCoordinationSystem
import FileCoordinationWire

/// The user's configuration of packages.
package enum PackageConfiguration {
    /// What is in `$XDG_CONFIG_HOME/filecoordination/packages`, by default in `~/.config`; nothing
    /// if there is no such file.
    ///
    /// Of a file that is too long, the lines that fit. The file may be a link, as those of people
    /// are who keep their configuration elsewhere.
    package static func load(
        variable: (String) -> String? = CurrentProcess.environmentVariable
    ) -> [UInt8] {
        guard let path = location(variable: variable),
            let real = try? RealPath.resolve(Array(path.utf8)),
            let slash = real.lastIndex(of: UInt8(ascii: "/")),
            let parent = String(validating: real[...slash], as: UTF8.self),
            let name = String(validating: real[(slash + 1)...], as: UTF8.self),
            let directory = try? Directory.open(parent),
            let file = try? directory.openFile(name, [.read, .nonBlocking]),
            (try? file.status())?.kind == .regular
        else { return [] }
        var bytes = [UInt8](repeating: 0, count: WireLimits.packagePolicyBytes + 1)
        let length = bytes.withUnsafeMutableBytes { (try? file.read(into: $0, at: 0)) ?? 0 }
        bytes.removeLast(bytes.count - length)
        return wholeLines(bytes)
    }

    /// The file's path; nil if nothing leads to one.
    ///
    /// A variable that is empty or not an absolute path is as good as unset.
    static func location(variable: (String) -> String?) -> String? {
        func path(_ name: String) -> String? {
            variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let home = path("XDG_CONFIG_HOME") ?? path("HOME").map { $0 + "/.config" }
        return home.map { $0 + "/filecoordination/packages" }
    }

    /// As many whole lines as may be announced.
    package static func wholeLines(_ bytes: [UInt8]) -> [UInt8] {
        let limit = WireLimits.packagePolicyBytes
        guard bytes.count > limit else { return bytes }
        // The last one may do without the end of its line.
        let end = bytes.prefix(limit + 1).lastIndex(of: newline) ?? -1
        return Array(bytes.prefix(min(end + 1, limit)))
    }

    /// A policy with these lines at its end, without what was said about the same before; as it was
    /// if they make no difference, or do not fit.
    ///
    /// A line's second word is what it is about. One that has none says nothing.
    package static func adding(_ lines: [UInt8], to policy: [UInt8]) -> [UInt8] {
        let result = combining(lines, with: policy)
        return result.count <= WireLimits.packagePolicyBytes ? result : policy
    }

    /// Whether a server would take these lines in.
    package static func hasRoom(for lines: [UInt8], in policy: [UInt8]) -> Bool {
        max(lines.count, combining(lines, with: policy).count) <= WireLimits.packagePolicyBytes
    }

    private static func combining(_ lines: [UInt8], with policy: [UInt8]) -> [UInt8] {
        let former = policy.split(separator: newline)
        // Anybody may send thousands of lines: each is looked at once.
        var subjects: Set<ArraySlice<UInt8>> = []
        var added: [ArraySlice<UInt8>] = []
        for line in lines.split(separator: newline).reversed() {
            guard let subject = subject(of: line), subjects.insert(subject).inserted else {
                continue
            }
            added.append(line)
        }
        let kept = former.filter { subject(of: $0).map { !subjects.contains($0) } ?? true }
        let known = kept + added.reversed()
        guard known != former else { return policy }
        return Array(known.map { $0 + [newline] }.joined())
    }

    private static func subject(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.dropFirst().first
    }

    private static let newline = UInt8(ascii: "\n")
}
