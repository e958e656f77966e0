// SPDX-License-Identifier: Apache-2.0
//
// What the trash keeps about an item: the name that it has there, and the note from which it can be
// put back. The form of both is the freedesktop.org Trash specification's, version 1.0.

#if !canImport(Darwin)
import FileCoordinationArbiter
import Glibc

/// The names that an item may have in a trash directory.
enum TrashName {
    /// What the name of the note about an item ends in.
    static let infoSuffix = Array(".trashinfo".utf8)
    /// The kernel's bound for a name.
    private static let nameMaximum = 255
    /// What is behind the last dot counts as an extension if it is not longer.
    private static let extensionMaximum = 32

    /// The name itself, then with a number before the extension: "note 2.txt".
    ///
    /// The name of the note has to fit, too: where it would not, the name is shortened.
    static func candidates(for name: [UInt8]) -> some Sequence<[UInt8]> {
        let numbers = (1...64).lazy.map { $0 == 1 ? "" : " \($0)" }
        // A user may trash the same name all the time: no need to try thousands of numbers.
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

    /// Never cut within a character of UTF-8.
    private static func shortened(_ stem: [UInt8], to room: Int) -> [UInt8] {
        guard stem.count > room else { return stem }
        var end = room
        while end > 0, stem[end] & 0xC0 == 0x80 { end -= 1 }
        return Array(stem[..<(end > 0 ? end : room)])
    }
}

/// The note about an item in the trash.
struct TrashNote {
    /// Where the item was: the whole path, or the path within the trash's own file system.
    var place: ItemPath
    /// The directory from which the place is told; nil for the root.
    var top: ItemPath?
    /// When it was trashed, in seconds since 1970.
    var time: Int

    /// The note as it is written.
    var bytes: [UInt8] {
        Array("[Trash Info]\nPath=".utf8) + Self.encoded(path)
            + Array("\nDeletionDate=\(Self.localTime(time))\n".utf8)
    }

    private var path: [UInt8] {
        guard let top, top.contains(place) else { return place.bytes }
        return Array(place.components.dropFirst(top.depth).joined(separator: [UInt8(ascii: "/")]))
    }

    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8
    )
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// As in a URL: bytes that are not letters, digits or such as "%2F".
    static func encoded(_ path: [UInt8]) -> [UInt8] {
        path.flatMap { byte -> [UInt8] in
            guard !plain.contains(byte) else { return [byte] }
            return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }

    /// "2026-08-31T22:32:08", in the time zone of the program that trashes.
    static func localTime(_ seconds: Int) -> String {
        var seconds = time_t(seconds)
        var parts = tm()
        localtime_r(&seconds, &parts)
        func padded(_ number: Int32, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let year = padded(parts.tm_year + 1900, 4)
        let day = [year, padded(parts.tm_mon + 1), padded(parts.tm_mday)]
        let clock = [padded(parts.tm_hour), padded(parts.tm_min), padded(parts.tm_sec)]
        return day.joined(separator: "-") + "T" + clock.joined(separator: ":")
    }
}
#endif
