// SPDX-License-Identifier: Apache-2.0
//
// What a program has seen of an item, as a value that it can keep, store and compare with the item
// later (Rule 18.16). It is made from the item's identity and stamps, so it needs no server, and
// sees changes by whomever.

package import FileCoordinationSystem

/// A state of an item that a program has seen.
package struct ItemToken: Hashable, Sendable {
    /// Kept behind one reference: each request has room for a token, and few have one.
    private let seen: Seen

    private final class Seen: Hashable, Sendable {
        /// Nil if there was nothing.
        let stamp: Stamp?
        let digest: ContentDigest?
        /// Whether another state could not look the same.
        let isProven: Bool

        init(_ stamp: Stamp?, _ digest: ContentDigest?, isProven: Bool) {
            self.stamp = stamp
            self.digest = digest
            self.isProven = isProven
        }

        static func == (one: Seen, other: Seen) -> Bool {
            one.stamp == other.stamp && one.digest == other.digest
                && one.isProven == other.isProven
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(stamp)
            hasher.combine(digest)
            hasher.combine(isProven)
        }
    }

    /// Whose equality proves that an item was not changed in between.
    fileprivate struct Stamp: Hashable {
        let fileSystem: UInt64
        let inode: UInt64
        let born: Int64
        let size: UInt64
        let modified: Int64
        let changed: Int64

        init(_ status: StampedStatus) {
            fileSystem = status.fileSystem
            inode = status.inode
            born = status.born
            size = status.size
            modified = status.modified
            changed = status.changed
        }
    }

    private init(_ stamp: Stamp?, _ digest: ContentDigest? = nil, isProven: Bool = true) {
        seen = Seen(stamp, digest, isProven: isProven)
    }

    /// There is nothing.
    package static let absent = ItemToken(nil)

    /// What was seen cannot be told from what came shortly after it, so it is never current.
    package static let unproven = ItemToken(nil, isProven: false)

    /// Whether it says that there is nothing.
    package var isAbsent: Bool { seen.stamp == nil && seen.isProven }

    // MARK: Taking

    /// A look at an item, of which a token can be made later.
    package struct Sight: Sendable {
        /// Nil if there was nothing.
        fileprivate let status: StampedStatus?
        fileprivate let takenAt: Int64

        /// Looks at the item at a path; nil if it cannot be looked at.
        init?(at path: [UInt8]) {
            do throws(SystemError) {
                status = try StampedStatus.find(at: path)
            } catch {
                return nil
            }
            takenAt = RealTimeClock.now
        }
    }

    /// Returns the state that was seen at a path before.
    ///
    /// If the item had been changed so shortly before that another change could have left the same
    /// stamp, it is ``unproven``; where stamps prove too little, also if it has changed since.
    static func make(
        of sight: Sight, at path: [UInt8], withDigest: Bool
    ) throws(SystemError) -> ItemToken {
        guard let status = sight.status else { return .absent }
        let wait = status.timeToCertainty(at: sight.takenAt)
        guard wait == .zero || wait == nil else { return .unproven }
        guard withDigest || wait == nil else { return ItemToken(Stamp(status)) }
        let now = try take(at: path, withDigest: withDigest)
        // A digest of other contents than those at the grant must not be in the token.
        return now.seen.stamp == Stamp(status) ? now : .unproven
    }

    /// How often it is waited for the file system's clock at an item that others keep changing,
    /// before the contents decide.
    private static let patience = 3

    /// Looks at the item at a path; a symbolic link at the end is not followed.
    ///
    /// Waits until the file system would stamp another change differently: no time on Linux 6.13
    /// and newer, a few milliseconds on older ones, up to two seconds where stamps are coarse.
    ///
    /// - Parameters:
    ///   - path: the path.
    ///   - withDigest: whether the token has a digest of the contents. It also has one where stamps
    ///     prove too little.
    /// - Returns: the token.
    /// - Throws: if the item cannot be looked at.
    package static func take(
        at path: [UInt8], withDigest: Bool = false
    ) throws(SystemError) -> ItemToken {
        var rounds = 0
        while true {
            guard let status = try StampedStatus.find(at: path) else { return .absent }
            let wait = status.timeToCertainty(at: RealTimeClock.now)
            guard !withDigest, rounds < patience, let wait else {
                return ItemToken(Stamp(status), try ContentDigest.find(of: status, at: path))
            }
            if wait == .zero { return ItemToken(Stamp(status)) }
            Pause.sleep(wait)
            rounds += 1
        }
    }

    /// Whether it is the state that a file has had.
    func isState(_ status: FileStatus) -> Bool {
        guard let stamp = seen.stamp else { return false }
        return stamp.inode == status.inode && stamp.size == status.size
            && stamp.modified == status.modified && stamp.changed == status.changed
    }

    // MARK: Comparing

    /// Returns what differs between the state that was seen and the item that is at a path now; nil
    /// if nothing does.
    ///
    /// - Throws: if the item cannot be looked at.
    package func difference(fromItemAt path: [UInt8]) throws(SystemError) -> ItemDifference? {
        guard seen.isProven else { return .unproven }
        guard let status = try StampedStatus.find(at: path) else { return isAbsent ? nil : .gone }
        guard let stamp = seen.stamp else { return .appeared }
        let now = Stamp(status)
        // Equal contents count as unchanged, whatever the stamps say.
        if let digest = seen.digest {
            let isSame = try ContentDigest.find(of: status, at: path) == digest
            return isSame ? nil : stamp.difference(from: now) ?? .contents
        }
        return stamp.difference(from: now)
    }

    // MARK: Text

    /// The version of the text, with which it begins.
    private static let version: Substring = "1"
    private static let nothing = "absent"
    private static let never = "unproven"

    /// The token as text: at most 200 bytes of letters, digits, full stops and hyphens.
    package var text: String {
        guard let stamp = seen.stamp else {
            return "\(Self.version).\(seen.isProven ? Self.nothing : Self.never)"
        }
        let numbers = stamp.numbers.map { String($0, radix: 16) }
        let parts = [String(Self.version)] + numbers + (seen.digest.map { [$0.text] } ?? [])
        return parts.joined(separator: ".")
    }

    /// Why a text is no token.
    package enum TextError: Error, Hashable {
        /// It is a token of another version.
        case unknownVersion
        /// It is no token.
        case malformed
    }

    /// Reads a token; `absent` also says that there is nothing.
    package init(text: String) throws(TextError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if text == Self.nothing || parts == [Self.version, Self.nothing[...]] {
            self = .absent
            return
        }
        if parts == [Self.version, Self.never[...]] {
            self = .unproven
            return
        }
        guard let version = parts.first, version == Self.version else {
            let isVersion =
                parts.count > 1 && !parts[0].isEmpty && parts[0].allSatisfy(\.isWholeNumber)
            throw isVersion ? .unknownVersion : .malformed
        }
        let numbers = parts.dropFirst().prefix(Stamp.count).compactMap { UInt64($0, radix: 16) }
        let others = parts.dropFirst(1 + Stamp.count)
        guard let stamp = Stamp(numbers), others.count <= 1 else { throw .malformed }
        let digest = others.first.map { ContentDigest(text: $0) }
        if case .some(nil) = digest { throw .malformed }
        self.init(stamp, digest ?? nil)
        // There is one text for each token.
        guard self.text == text else { throw .malformed }
    }
}

/// What differs between an item and what was seen of it.
package enum ItemDifference: Hashable, Sendable, CaseIterable {
    /// There is something, and there was nothing.
    case appeared
    /// There is nothing any more.
    case gone
    /// Another item is there.
    case replaced
    /// The contents are others.
    case contents
    /// The attributes, the names or the contents are others: the contents' time was not changed, or
    /// was set back.
    case attributes
    /// It is not known: the item had been changed just before it was read.
    case unproven

    /// A clause about the item, for messages.
    package var text: String {
        switch self {
        case .appeared: "it did not exist and does now"
        case .gone: "it does not exist any more"
        case .replaced: "another file is there now"
        case .contents: "its contents have changed"
        case .attributes: "its attributes or names have changed, or its contents"
        case .unproven: "it had been changed just before it was read, and again, perhaps"
        }
    }
}

extension ItemToken.Stamp {
    fileprivate static let count = 6

    fileprivate var numbers: [UInt64] {
        [
            fileSystem, inode, UInt64(bitPattern: born), size, UInt64(bitPattern: modified),
            UInt64(bitPattern: changed),
        ]
    }

    fileprivate init?(_ numbers: [UInt64]) {
        guard numbers.count == Self.count else { return nil }
        (fileSystem, inode, size) = (numbers[0], numbers[1], numbers[3])
        born = Int64(bitPattern: numbers[2])
        modified = Int64(bitPattern: numbers[4])
        changed = Int64(bitPattern: numbers[5])
    }

    fileprivate func difference(from now: Self) -> ItemDifference? {
        if self == now { return nil }
        let isSameItem = fileSystem == now.fileSystem && inode == now.inode && born == now.born
        guard isSameItem else { return .replaced }
        return size == now.size && modified == now.modified ? .attributes : .contents
    }
}
