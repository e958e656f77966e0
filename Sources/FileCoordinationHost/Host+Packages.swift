// SPDX-License-Identifier: Apache-2.0
//
// What counts as a package is one policy for all who share an arbiter (Rule 1.11). Clients apply
// it, to the files they see; the host only hands it on: the user's configuration, and what clients
// have added to it. It is text, and opaque here.

import FileCoordinationSystem
import FileCoordinationWire

/// The user's configuration of packages.
package enum PackageConfiguration {
    /// What is in `$XDG_CONFIG_HOME/filecoordination/packages`, by default in `~/.config`; nothing
    /// if there is no such file.
    ///
    /// Of a file that is too long, the lines that fit.
    package static func load() -> [UInt8] {
        let home =
            CurrentProcess.environmentVariable("XDG_CONFIG_HOME")
            ?? CurrentProcess.environmentVariable("HOME").map { $0 + "/.config" }
        guard let home, home.hasPrefix("/"),
            let directory = try? Directory.open(home + "/filecoordination"),
            let file = try? directory.openFile("packages", [.read, .nonBlocking]),
            (try? file.status())?.kind == .regular
        else { return [] }
        var bytes = [UInt8](repeating: 0, count: WireLimits.packagePolicyBytes + 1)
        let length = bytes.withUnsafeMutableBytes { (try? file.read(into: $0, at: 0)) ?? 0 }
        bytes.removeLast(bytes.count - length)
        return wholeLines(bytes)
    }

    /// As many whole lines as may be announced.
    static func wholeLines(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count > WireLimits.packagePolicyBytes else { return bytes }
        let prefix = bytes.prefix(WireLimits.packagePolicyBytes)
        return prefix.lastIndex(of: UInt8(ascii: "\n")).map { Array(prefix[...$0]) } ?? []
    }
}

extension Host {
    /// Adds lines to the policy, in place of what was added about the same before, and tells
    /// everybody if that makes a difference.
    ///
    /// A line's second word is what it is about; the last line counts.
    func addToPackagePolicy(_ lines: [UInt8]) {
        let newline = UInt8(ascii: "\n")
        func words(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
            line.split(separator: UInt8(ascii: " "))
        }
        var known = packagePolicy.split(separator: newline)
        for line in lines.split(separator: newline) {
            let subject = words(line).dropFirst().first
            known.removeAll { words($0).dropFirst().first == subject }
            known.append(line)
        }
        let fresh = Array(known.map { $0 + [newline] }.joined())
        guard fresh != packagePolicy, fresh.count <= WireLimits.packagePolicyBytes else { return }
        packagePolicy = fresh
        for connection in connections.values.sorted(by: { $0.token < $1.token })
        where connection.isWelcome {
            send(.packagePolicy(fresh), on: connection)
        }
    }
}
