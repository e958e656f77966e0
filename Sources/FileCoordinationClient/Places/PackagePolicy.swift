// SPDX-License-Identifier: Apache-2.0
//
// Which directories are packages: treated as one file (Rule 1.11). Asked of the file system, by one
// policy that is the same for all processes that share an arbiter: the built-in lists, changed by a
// text that the arbiter's server announces (PackagePolicy+Text.swift). Beside the lists, a
// directory may say of itself that it is a package, by an extended attribute.

import FileCoordinationSystem

/// What makes a directory a package.
///
/// A value: two processes that were told the same text decide the same about the same file system.
package struct PackagePolicy: Hashable, Sendable {
    /// What proves that a directory with a listed extension is a package.
    enum Evidence: Hashable, Sendable {
        /// The extension alone.
        case name
        /// Something that such packages hold, as the extension is an ordinary one, too.
        case contents
    }

    /// Extensions of which something else holds than what is built in: no dot, and no capital
    /// letters of ASCII.
    private var changes: [[UInt8]: Evidence?] = [:]

    /// What could not be understood in the text that the policy was made from, for people to read.
    ///
    /// Each says in which line, and what to do. No part of the policy: it makes none unequal.
    package var complaints: [String] = []

    /// The policy where nothing is configured.
    package static let builtIn = PackagePolicy()

    private init() {}

    package static func == (one: PackagePolicy, other: PackagePolicy) -> Bool {
        one.changes == other.changes
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(changes) }

    /// Takes one extension into the lists; nil takes it out of them.
    mutating func setEvidence(_ evidence: Evidence?, for fileExtension: [UInt8]) {
        if evidence == Self.builtInEvidence(for: fileExtension) {
            changes.removeValue(forKey: fileExtension)
        } else {
            changes.updateValue(evidence, forKey: fileExtension)
        }
    }

    // MARK: Built in

    /// Extensions that make any directory a package.
    private static let always = [
        "rtfd", "framework", "graffle", "xcodeproj", "xcworkspace", "playground", "photoslibrary",
        "logicx", "fcpbundle", "sparsebundle", "textbundle",
    ]

    /// Extensions that are ordinary directory names on Linux, too: packages only by their contents.
    private static let byContents = ["app", "bundle", "pages", "numbers", "key", "pkg", "band"]

    private static func builtInEvidence(for fileExtension: [UInt8]) -> Evidence? {
        if always.contains(where: { $0.utf8.elementsEqual(fileExtension) }) { return .name }
        if byContents.contains(where: { $0.utf8.elementsEqual(fileExtension) }) {
            return .contents
        }
        return nil
    }

    /// What a package by contents holds, one of them at least.
    private static let telltales: [(name: [UInt8], kind: FileStatus.Kind)] = [
        (Array("/Contents".utf8), .directory), (Array("/Info.plist".utf8), .regular),
        (Array("/Index".utf8), .directory),
    ]

    /// The attribute by which a directory says that it is a package; its value does not matter.
    package static let attribute = "user.filecoordination.package"

    // MARK: Asking

    /// Whether the directory at `path` is a package.
    ///
    /// A link is none, nor what is absent, unreadable or no directory. `path` has no slash at its
    /// end, which would follow a link. Blocks as long as the file system does. A name that decides
    /// nothing costs one call to the kernel, for the attribute.
    package func isPackage(directoryAt path: [UInt8]) -> Bool {
        if let evidence = evidence(forNameOf: path), Self.isThere(path, .directory) {
            switch evidence {
            case .name: return true
            case .contents where Self.telltales.contains { Self.isThere(path + $0.name, $0.kind) }:
                return true
            case .contents: break
            }
        }
        // Last, as files may carry it, too.
        return ExtendedAttributes.isPresent(Self.attribute, at: path)
            && Self.isThere(path, .directory)
    }

    /// What the lists say of the last component's extension; nil if it is none of theirs.
    private func evidence(forNameOf path: [UInt8]) -> Evidence? {
        let name = path.suffix(from: (path.lastIndex(of: Self.slash) ?? -1) + 1)
        // A name that is all extension is a hidden one.
        guard let dot = name.lastIndex(of: Self.dot), dot > name.startIndex else { return nil }
        let fileExtension = name[(dot + 1)...].map(Self.withoutCase)
        // Where nothing is configured there is nothing to look up.
        if !changes.isEmpty, let changed = changes[fileExtension] { return changed }
        return Self.builtInEvidence(for: fileExtension)
    }

    private static func isThere(_ path: [UInt8], _ kind: FileStatus.Kind) -> Bool {
        // What cannot be looked at proves nothing.
        (try? FileStatus(path: path, followLinks: false))?.kind == kind
    }

    // MARK: Bytes

    private static let slash = UInt8(ascii: "/")
    static let dot = UInt8(ascii: ".")

    /// Capital letters of ASCII as small ones, everything else as it is.
    static func withoutCase(_ byte: UInt8) -> UInt8 {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return capitals.contains(byte) ? byte | 0x20 : byte
    }
}
