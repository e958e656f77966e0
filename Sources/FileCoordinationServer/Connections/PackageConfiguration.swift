// SPDX-License-Identifier: Apache-2.0
//
// Loads and extends the package policy, which all clients of a server share (Rule 1.11). It is
// text: the user's configuration and the additions of clients. The server only passes it on; the
// clients apply it to the files that they see.

import FileCoordinationSystem
import FileCoordinationWire

/// The user's package configuration, and additions to it.
package enum PackageConfiguration {
    /// Reads `$XDG_CONFIG_HOME/filecoordination/packages`, by default in `~/.config`.
    ///
    /// Returns an empty array if there is no such file.
    ///
    /// Of a file that is too long, only the lines that fit are returned. The file may be a symbolic
    /// link, because some users keep their configuration elsewhere.
    package static func load(
        variable: (String) -> String? = CurrentProcess.environmentVariable
    ) -> [UInt8] {
        guard let path = location(variable: variable),
            // Without a file, no types are added; here and below.
            let real = try? RealPath.resolve(Array(path.utf8)),
            let slash = real.lastIndex(of: UInt8(ascii: "/")),
            let parent = String(validating: real[...slash], as: UTF8.self),
            let name = String(validating: real[(slash + 1)...], as: UTF8.self),
            let directory = try? Directory.open(parent),
            let file = try? directory.openFile(name, [.read, .nonBlocking]),
            (try? file.status())?.kind == .regular
        else { return [] }
        var bytes = [UInt8](repeating: 0, count: WireLimits.packagePolicyBytes + 1)
        let length = unsafe bytes.withUnsafeMutableBytes {
            // A file that cannot be read counts as an empty one.
            unsafe (try? file.read(into: $0, at: 0)) ?? 0
        }
        bytes.removeLast(bytes.count - length)
        return wholeLines(bytes)
    }

    /// Returns the path of the file, or nil if no variable names a directory for it.
    ///
    /// A variable that is empty or not an absolute path counts as unset.
    static func location(variable: (String) -> String?) -> String? {
        func path(_ name: String) -> String? {
            variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let home = path("XDG_CONFIG_HOME") ?? path("HOME").map { $0 + "/.config" }
        return home.map { $0 + "/filecoordination/packages" }
    }

    /// Returns as many whole lines as fit into a message.
    package static func wholeLines(_ bytes: [UInt8]) -> [UInt8] {
        let limit = WireLimits.packagePolicyBytes
        guard bytes.count > limit else { return bytes }
        // The last line may lack its newline.
        let end = bytes.prefix(limit + 1).lastIndex(of: newline) ?? -1
        return Array(bytes.prefix(min(end + 1, limit)))
    }

    /// Returns a policy with these lines at its end, without earlier lines about the same subject.
    ///
    /// Returns `policy` unchanged if the lines change nothing or do not fit.
    ///
    /// The second word of a line is its subject. Lines without a subject are ignored.
    package static func adding(_ lines: [UInt8], to policy: [UInt8]) -> [UInt8] {
        let result = combining(lines, with: policy)
        return result.count <= WireLimits.packagePolicyBytes ? result : policy
    }

    /// Whether a server would accept these lines.
    package static func hasRoom(for lines: [UInt8], in policy: [UInt8]) -> Bool {
        max(lines.count, combining(lines, with: policy).count) <= WireLimits.packagePolicyBytes
    }

    private static func combining(_ lines: [UInt8], with policy: [UInt8]) -> [UInt8] {
        let former = policy.split(separator: newline)
        // A client may send thousands of lines, so each is examined only once.
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
