// SPDX-License-Identifier: Apache-2.0
//
// The name of an item in the trash, and its info file, from which it can be restored. The
// freedesktop.org Trash specification 1.0 defines the form of both.

#if !canImport(Darwin)
import FileCoordinationArbiter
import Glibc

/// The names that an item may get in a trash directory.
enum TrashName {
    /// The suffix of an info file's name.
    static let infoSuffix = Array(".trashinfo".utf8)
    /// The kernel's limit for the length of a name.
    private static let nameMaximum = 255
    /// The part after the last dot counts as an extension up to this length.
    private static let extensionMaximum = 32

    /// Returns the name itself, then names with a number before the extension, such as "note
    /// 2.txt".
    ///
    /// The name of the info file must fit as well; if it would not, the name is shortened.
    static func candidates(for name: [UInt8]) -> some Sequence<[UInt8]> {
        let numbers = (1...64).lazy.map { $0 == 1 ? "" : " \($0)" }
        // A user may trash the same name very often. Random numbers avoid thousands of attempts.
        let random = (1...64).lazy.map { _ in " \(UInt32.random(in: 65...UInt32.max))" }
        return [AnySequence(numbers), AnySequence(random)].lazy.joined().map {
            numbered(name, with: Array($0.utf8))
        }
    }

    private static func numbered(_ name: [UInt8], with number: [UInt8]) -> [UInt8] {
        let (stem, ending) = split(name)
        let room = nameMaximum - infoSuffix.count - number.count - ending.count
        return shortened(stem, to: room) + number + ending
    }

    private static func split(_ name: [UInt8]) -> (stem: [UInt8], ending: [UInt8]) {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0,
            name.count - dot <= extensionMaximum
        else { return (name, []) }
        return (Array(name[..<dot]), Array(name[dot...]))
    }

    /// Shortens the bytes without cutting a UTF-8 character.
    private static func shortened(_ stem: [UInt8], to room: Int) -> [UInt8] {
        guard stem.count > room else { return stem }
        var end = room
        while end > 0, stem[end] & 0xC0 == 0x80 { end -= 1 }
        return Array(stem[..<(end > 0 ? end : room)])
    }
}

/// The contents of an info file.
struct TrashNote {
    /// The path at which the item was.
    var place: ItemPath
    /// The directory to which the path in the file is relative; nil for the root.
    var top: ItemPath?
    /// When the item was trashed, in seconds since 1970.
    var seconds: Int

    /// The contents of the file.
    var bytes: [UInt8] {
        Array("[Trash Info]\nPath=".utf8) + Self.encoded(path)
            + Array("\nDeletionDate=\(Self.localTime(seconds))\n".utf8)
    }

    private var path: [UInt8] {
        guard let top, top.contains(place) else { return place.bytes }
        return Array(place.components.dropFirst(top.depth).joined(separator: [UInt8(ascii: "/")]))
    }

    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8
    )
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Percent-encodes a path as in a URL.
    static func encoded(_ path: [UInt8]) -> [UInt8] {
        path.flatMap { byte -> [UInt8] in
            guard !plain.contains(byte) else { return [byte] }
            return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }

    /// Returns the local time, such as "2026-08-31T22:32:08".
    static func localTime(_ seconds: Int) -> String {
        var seconds = time_t(seconds)
        var parts = unsafe tm()
        unsafe localtime_r(&seconds, &parts)
        func padded(_ number: Int32, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let year = unsafe padded(parts.tm_year + 1900, 4)
        let day = unsafe [year, padded(parts.tm_mon + 1), padded(parts.tm_mday)]
        let clock = unsafe [padded(parts.tm_hour), padded(parts.tm_min), padded(parts.tm_sec)]
        return day.joined(separator: "-") + "T" + clock.joined(separator: ":")
    }
}
#endif
