// SPDX-License-Identifier: Apache-2.0
//
// Decides which directories are packages, which count as one file (Rule 1.11). All processes that
// share a server use the same policy: the built-in lists, changed by a text that the server
// announces (PackagePolicy+Text.swift). In addition, an extended attribute can mark a single
// directory as a package.

import FileCoordinationSystem

/// Decides what makes a directory a package.
///
/// This is a value: processes with the same text decide the same about the same file system.
package struct PackagePolicy: Hashable, Sendable {
    /// What is required of a directory with a listed extension to be a package.
    enum Evidence: Hashable, Sendable {
        /// Nothing else; the extension suffices.
        case name
        /// Typical contents, because the extension also occurs on ordinary directories.
        case contents
    }

    /// The extensions that differ from the built-in lists, without dot and in lower case (ASCII).
    private var changes: [[UInt8]: Evidence?] = [:]

    /// The errors in the policy's text, for people.
    ///
    /// Each one names the line and says what to do. They do not take part in comparing policies.
    package var complaints: [String] = []

    /// The policy without any configuration.
    package static let builtIn = PackagePolicy()

    private init() {}

    package static func == (one: PackagePolicy, other: PackagePolicy) -> Bool {
        one.changes == other.changes
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(changes) }

    /// Adds one extension to the lists; nil removes it.
    mutating func setEvidence(_ evidence: Evidence?, for fileExtension: [UInt8]) {
        if evidence == Self.builtInEvidence(for: fileExtension) {
            changes.removeValue(forKey: fileExtension)
        } else {
            changes.updateValue(evidence, forKey: fileExtension)
        }
    }

    // MARK: Built-in lists

    /// Extensions that make every directory a package.
    private static let always = [
        "rtfd", "framework", "graffle", "xcodeproj", "xcworkspace", "playground", "photoslibrary",
        "logicx", "fcpbundle", "sparsebundle", "textbundle",
    ]

    /// Extensions that are also used for ordinary directories on Linux: packages only with typical
    /// contents.
    private static let byContents = ["app", "bundle", "pages", "numbers", "key", "pkg", "band"]

    private static func builtInEvidence(for fileExtension: [UInt8]) -> Evidence? {
        if always.contains(where: { $0.utf8.elementsEqual(fileExtension) }) { return .name }
        if byContents.contains(where: { $0.utf8.elementsEqual(fileExtension) }) {
            return .contents
        }
        return nil
    }

    /// The typical contents of packages; one of them suffices.
    private static let markers: [(name: [UInt8], kind: FileStatus.Kind)] = [
        (Array("/Contents".utf8), .directory), (Array("/Info.plist".utf8), .regular),
        (Array("/Index".utf8), .directory),
    ]

    /// Whether an item of this name can make the directory around it a package.
    static func isMarker(_ name: [UInt8]) -> Bool {
        markers.contains { $0.name.dropFirst().elementsEqual(name) }
    }

    /// The extended attribute that marks a directory as a package; its value does not matter.
    package static let attribute = "user.filecoordination.package"

    // MARK: Queries

    /// Returns whether the directory at `path` is a package.
    ///
    /// The result is false for a symbolic link and for what is absent, unreadable or not a
    /// directory. `path` must not end with a slash, which would follow a link. Blocks as long as
    /// the file system does. For a name without a listed extension, this takes one system call, for
    /// the attribute.
    package func isPackage(directoryAt path: [UInt8]) -> Bool {
        if let evidence = evidence(forNameOf: path), Self.isThere(path, .directory) {
            switch evidence {
            case .name: return true
            case .contents where Self.markers.contains { Self.isThere(path + $0.name, $0.kind) }:
                return true
            case .contents: break
            }
        }
        // The kind is checked last, because files may have the attribute, too.
        return ExtendedAttributes.isPresent(Self.attribute, at: path)
            && Self.isThere(path, .directory)
    }

    /// Returns what the lists require for the extension of the last component; nil if it is not
    /// listed.
    private func evidence(forNameOf path: [UInt8]) -> Evidence? {
        let name = path.suffix(from: (path.lastIndex(of: Self.slash) ?? -1) + 1)
        // A name that begins with its only dot is hidden and has no extension.
        guard let dot = name.lastIndex(of: Self.dot), dot > name.startIndex else { return nil }
        let fileExtension = name[(dot + 1)...].map(Self.withoutCase)
        // Without configuration, the lookup is skipped.
        if !changes.isEmpty, let changed = changes[fileExtension] { return changed }
        return Self.builtInEvidence(for: fileExtension)
    }

    private static func isThere(_ path: [UInt8], _ kind: FileStatus.Kind) -> Bool {
        // Contents that cannot be examined do not make the directory a package.
        (try? FileStatus(path: path, followLinks: false))?.kind == kind
    }

    // MARK: Bytes

    private static let slash = UInt8(ascii: "/")
    static let dot = UInt8(ascii: ".")

    /// Converts capital ASCII letters to lower case, and leaves other bytes unchanged.
    static func withoutCase(_ byte: UInt8) -> UInt8 {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return capitals.contains(byte) ? byte | 0x20 : byte
    }
}
