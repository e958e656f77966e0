// SPDX-License-Identifier: Apache-2.0
//
// Resolves a path to a place: the parent directory with all symbolic links resolved, and the last
// component, whose link is not followed (Rules 1.3, 1.4). Runs on the caller's thread, so that a
// mount that never answers blocks only that thread.

package import FileCoordinationArbiter
import FileCoordinationSystem

/// The canonical path of an item, and its kind.
package struct ResolvedPlace: Hashable {
    package var path: ItemPath
    package var isDirectory: Bool
    /// Whether a symbolic link was there when the path was examined.
    var isLink = false
    /// Whether the contents are not here (Rule 15.4).
    var isPlaceholder = false
    /// The number of components of each package that is or contains the item, outermost first.
    package var packageDepths: [Int]

    /// Returns an item of a claim on this place.
    func item(_ access: Access) -> AccessItem {
        AccessItem(
            path: path, access: access, isDirectory: isDirectory, packageDepths: packageDepths,
            lacksContents: isPlaceholder)
    }
}

/// Resolves paths.
package enum PlaceResolver {
    /// The longest path that the kernel accepts, including its NUL.
    private static let pathMaximum = 4096

    /// Resolves an absolute path by means of the file system.
    static func resolve(
        pathBytes: [UInt8], policy: PackagePolicy
    ) throws(PlaceError) -> ResolvedPlace {
        guard pathBytes.count < pathMaximum else { throw .tooLong }
        return facts(of: try canonicalPath(of: pathBytes), policy: policy)
    }

    /// Examines a canonical path, such as that of a moved item.
    package static func facts(of path: ItemPath, policy: PackagePolicy) -> ResolvedPlace {
        // What does not exist or cannot be examined is not a directory (Rule 1.1).
        let status = FileStatus.find(at: path.bytes)
        let isDirectory = status?.kind == .directory
        return ResolvedPlace(
            path: path, isDirectory: isDirectory, isLink: status?.kind == .symbolicLink,
            isPlaceholder: status.map { ProvidedDomain.isPlaceholder($0, at: path) } ?? false,
            packageDepths: packageDepths(of: path, isDirectory: isDirectory, policy: policy))
    }

    /// Examines a canonical path whose outer packages are known.
    static func facts(
        of path: ItemPath, inPackages outer: [Int], policy: PackagePolicy
    ) -> ResolvedPlace {
        // What does not exist or cannot be examined is not a directory (Rule 1.1).
        let status = FileStatus.find(at: path.bytes)
        let isDirectory = status?.kind == .directory
        let isPackage = isDirectory && policy.isPackage(directoryAt: path.bytes)
        return ResolvedPlace(
            path: path, isDirectory: isDirectory, isLink: status?.kind == .symbolicLink,
            isPlaceholder: status.map { ProvidedDomain.isPlaceholder($0, at: path) } ?? false,
            packageDepths: isPackage ? outer + [path.depth] : outer)
    }

    /// Decodes the percent-encoded path of a URL to the absolute path for the kernel.
    package static func pathBytes(percentEncoded text: String) throws(PlaceError) -> [UInt8] {
        guard !text.isEmpty else { throw .invalidName }
        let bytes = try percentDecoded(text)
        guard bytes.first == slash, !bytes.contains(0) else { throw .invalidName }
        guard bytes.count < pathMaximum else { throw .tooLong }
        return bytes
    }

    /// Returns the path of a URL's whole text, if nothing in it has to be decoded; else nil.
    package static func pathBytes(ofPlainURL text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { bytes in
            let path = unsafe bytes.dropFirst(scheme.count)
            guard unsafe path.first == slash,
                unsafe bytes.prefix(scheme.count).elementsEqual(scheme),
                bytes.count < pathMaximum,
                unsafe path.allSatisfy({ isPlain($0) })
            else { return nil }
            return unsafe Array(path)
        }
    }

    private static let scheme = Array("file://".utf8)

    /// Whether a byte of a URL's text stands for itself in the path.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "%") && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
            && byte != UInt8(ascii: ";")
    }

    /// Decodes byte by byte, because the bytes may not be valid text (Rule 1.2).
    ///
    /// A slash stays encoded.
    private static func percentDecoded(_ encoded: String) throws(PlaceError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.utf8.count)
        var rest = Substring(encoded).utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let digits = String(rest.prefix(2)), digits.utf8.count == 2,
                let value = UInt8(digits, radix: 16)
            else { throw .invalidName }
            // Foundation opens the file whose name contains these three characters.
            if value == slash {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    // MARK: Symbolic links

    private static let slash = UInt8(ascii: "/")
    private static let dot: [UInt8] = [UInt8(ascii: ".")]
    private static let dotDot: [UInt8] = [UInt8(ascii: "."), UInt8(ascii: ".")]

    /// Resolves an absolute path to its canonical form, without examining the last component.
    package static func canonicalPath(of bytes: [UInt8]) throws(PlaceError) -> ItemPath {
        var components = bytes.split(separator: slash).map { Array($0) }
        // A path that ends with "." or ".." names a directory, not a link to it.
        let namesDirectory = components.last == dot || components.last == dotDot
        components.removeAll { $0 == dot }
        guard let last = components.last, !namesDirectory else {
            return try path(realComponents(of: components))
        }
        components.removeLast()
        return try path(realComponents(of: components) + [last])
    }

    /// The most dangling links that are followed: as many as the kernel follows of valid ones.
    private static let linkLimit = 40

    /// Returns the real path of the existing part of a directory, and the rest as it is written.
    private static func realComponents(
        of components: [ItemPath.Component]
    ) throws(PlaceError) -> [ItemPath.Component] {
        var existing = components
        var rest: [ItemPath.Component] = []
        var links = 0
        while true {
            do {
                let real = try RealPath.resolve(joined(existing))
                return applying(rest, to: real.split(separator: slash).map { Array($0) })
            } catch {
                let isAbsent =
                    error.code == ErrorNumber.noSuchFile || error.code == ErrorNumber.notADirectory
                guard isAbsent else { throw PlaceError(error) }
            }
            if let target = RealPath.target(ofLink: joined(existing)) {
                // A path through a dangling link is another spelling of the link's target (Rule
                // 1.3).
                links += 1
                guard links <= linkLimit else { throw .linkLoop }
                let isAbsolute = target.first == slash
                let steps = target.split(separator: slash).map { Array($0) }.filter { $0 != dot }
                existing = (isAbsolute ? [] : existing.dropLast()) + steps
            } else if let last = existing.popLast() {
                rest.insert(last, at: 0)
            }
        }
    }

    /// Applies ".." textually to the part that does not exist, because it contains no links.
    private static func applying(
        _ rest: [ItemPath.Component], to real: [ItemPath.Component]
    ) -> [ItemPath.Component] {
        rest.reduce(into: real) { result, component in
            if component == dotDot {
                _ = result.popLast()
            } else {
                result.append(component)
            }
        }
    }

    private static func joined(_ components: [ItemPath.Component]) -> [UInt8] {
        guard !components.isEmpty else { return [slash] }
        return components.flatMap { [slash] + $0 }
    }

    private static func path(_ components: [ItemPath.Component]) throws(PlaceError) -> ItemPath {
        guard let path = ItemPath(components: components) else { throw .invalidName }
        guard path.bytes.count < pathMaximum else { throw .tooLong }
        return path
    }

    /// Returns the depths of all packages in a path, however they are nested (Rule 1.12).
    ///
    /// Every directory may have the package attribute, so each is examined; files are not.
    private static func packageDepths(
        of path: ItemPath, isDirectory: Bool, policy: PackagePolicy
    ) -> [Int] {
        var depths: [Int] = []
        var bytes: [UInt8] = []
        var depth = 0
        path.forEachComponent { component in
            depth += 1
            guard depth < path.depth || isDirectory else { return }
            bytes.append(slash)
            bytes += component
            if policy.isPackage(directoryAt: bytes) { depths.append(depth) }
        }
        return depths
    }
}
