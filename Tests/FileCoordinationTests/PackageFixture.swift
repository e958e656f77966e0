// SPDX-License-Identifier: Apache-2.0
//
// A place where tests put up directories that may be packages, and ask a policy about them.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import Foundation
import Testing

/// A new directory, removed with this object; names are relative to it.
final class PackageFixture: Sendable {
    private let root: [UInt8]

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("fc-fixture-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        root = try RealPath.resolve(Array(url.path.utf8))
    }

    deinit { try? FileManager.default.removeItem(atPath: String(decoding: root, as: UTF8.self)) }

    func path(_ name: String) -> [UInt8] { root + Array("/\(name)".utf8) }

    private func text(_ name: String) -> String { String(decoding: path(name), as: UTF8.self) }

    /// Puts up a directory, and those above it.
    func directory(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: text(name), withIntermediateDirectories: true)
    }

    /// Puts up an empty file, and the directories above it.
    func file(_ name: String) throws {
        try directory(String(name.dropLast(name.reversed().prefix { $0 != "/" }.count)))
        try Data().write(to: URL(fileURLWithPath: text(name)))
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: text(name), withDestinationPath: target)
    }

    /// Has `name` say of itself that it is a package.
    func mark(_ name: String, with value: [UInt8] = []) throws {
        try ExtendedAttributes.set(
            Array(PackagePolicy.attribute.utf8), to: value,
            of: Directory.open("/").descriptor.openFile(path(name), O_RDONLY))
    }

    /// What the built-in policy, or one changed by `lines`, says of what is at `name`.
    func isPackage(_ name: String, _ lines: String = "") -> Bool {
        PackagePolicy(text: Array(lines.utf8)).isPackage(directoryAt: path(name))
    }

    /// Which parts of `name` are packages, such as `["x.rtfd", "x.rtfd/inner.app"]`.
    func packages(on name: String, _ policy: PackagePolicy = .builtIn) throws -> [String] {
        let place = try #require(ItemPath(bytes: path(name)))
        let facts = PlaceResolver.facts(of: place, policy: policy)
        #expect(facts.path == place)
        return facts.packageDepths.map { depth in
            String(
                decoding: place.prefix(depth: depth).bytes.dropFirst(root.count + 1), as: UTF8.self)
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that give a directory an attribute.
    static var ifAttributesAreKept: Self {
        .enabled("the file system of the temporary directory keeps no user attributes") {
            let fixture = try PackageFixture()
            try fixture.directory("probe")
            do {
                try fixture.mark("probe")
            } catch let error as SystemError where error.code == ErrorNumber.notSupported {
                return false
            }
            return true
        }
    }
}
