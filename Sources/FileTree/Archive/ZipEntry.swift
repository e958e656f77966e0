// SPDX-License-Identifier: Apache-2.0
//
// An entry of a zip archive, and its two records: one before the contents and one in the archive's
// directory. They follow PKWARE's APPNOTE 6.3.10 (sections 4.3 and 4.4) and Info-ZIP's description
// of extra fields (proginfo/extrafld.txt).

import Glibc

/// Makes little-endian bytes, as archives contain them.
struct LittleEndian {
    private(set) var bytes: [UInt8] = []

    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }
}

/// What the archive contains about one item.
struct ZipEntry {
    /// How the contents are stored.
    ///
    /// The raw values are those of the format.
    enum Method: UInt16, Hashable {
        /// Uncompressed.
        case stored = 0
        /// Compressed.
        case deflated = 8
    }

    /// The path inside the archive.
    ///
    /// The path of a directory ends with "/".
    var name: [UInt8]
    /// The mode with the bits of the file type.
    var mode: UInt32
    /// The time of modification, in seconds since 1970.
    var modified: Int
    /// The position of the entry in the archive.
    var offset: UInt64
    /// Whether the record before the contents has space for 64-bit sizes.
    ///
    /// This must be decided before the contents are written.
    var hasWideSizes = false
    var method = Method.stored
    var checksum: UInt32 = 0
    var size: UInt64 = 0
    var storedSize: UInt64 = 0

    /// The value which means that the number is in the extra field, because it is too large.
    private static let elsewhere = UInt32.max
    /// The greatest length of a name.
    static let nameLimit = Int(UInt16.max)

    // MARK: Records

    /// The record before the contents.
    ///
    /// Its length does not depend on the sizes and the checksum.
    var localRecord: [UInt8] {
        var record = LittleEndian()
        record.append(0x0403_4b50 as UInt32)
        appendDescription(to: &record, isWide: hasWideSizes)
        record.append(hasWideSizes ? Self.elsewhere : UInt32(truncatingIfNeeded: storedSize))
        record.append(hasWideSizes ? Self.elsewhere : UInt32(truncatingIfNeeded: size))
        let extra = (hasWideSizes ? wide([size, storedSize]) : []) + timestamp
        record.append(UInt16(name.count))
        record.append(UInt16(extra.count))
        record.append(name)
        record.append(extra)
        return record.bytes
    }

    /// The record in the archive's directory.
    var directoryRecord: [UInt8] {
        let isFar = offset >= UInt64(Self.elsewhere)
        let extra =
            wide((hasWideSizes ? [size, storedSize] : []) + (isFar ? [offset] : [])) + timestamp
        var record = LittleEndian()
        record.append(0x0201_4b50 as UInt32)
        // Made on Unix, so that the upper half of the attributes is a mode; version 4.5 of the
        // format.
        record.append(3 << 8 | Self.wideVersion)
        appendDescription(to: &record, isWide: hasWideSizes || isFar)
        record.append(hasWideSizes ? Self.elsewhere : UInt32(truncatingIfNeeded: storedSize))
        record.append(hasWideSizes ? Self.elsewhere : UInt32(truncatingIfNeeded: size))
        record.append(UInt16(name.count))
        record.append(UInt16(extra.count))
        // There is no comment, the entry is on the first disk, and the internal attributes are 0.
        for zero: UInt16 in [0, 0, 0] { record.append(zero) }
        let isDirectory = mode & S_IFMT == S_IFDIR
        record.append(mode << 16 | (isDirectory ? 0x10 : 0))
        record.append(isFar ? Self.elsewhere : UInt32(offset))
        record.append(name)
        record.append(extra)
        return record.bytes
    }

    /// Appends the fields at the beginning of both records.
    private func appendDescription(to record: inout LittleEndian, isWide: Bool) {
        record.append(isWide ? Self.wideVersion : 20)
        record.append(isNameText ? 1 << 11 : 0 as UInt16)
        record.append(method.rawValue)
        let (time, date) = dosTime
        record.append(time)
        record.append(date)
        record.append(checksum)
    }

    /// The version of the format that introduced 64-bit sizes.
    static let wideVersion: UInt16 = 45

    /// Whether the name must be marked as UTF-8.
    ///
    /// ASCII needs no mark. Other bytes are written unchanged and unmarked, for programs on Unix.
    private var isNameText: Bool {
        name.contains { $0 >= 0x80 } && String(validating: name, as: UTF8.self) != nil
    }

    // MARK: Extra fields

    private func wide(_ numbers: [UInt64]) -> [UInt8] {
        guard !numbers.isEmpty else { return [] }
        var field = LittleEndian()
        field.append(0x0001 as UInt16)
        field.append(UInt16(8 * numbers.count))
        for number in numbers { field.append(number) }
        return field.bytes
    }

    /// The extra field with the modification time in UTC.
    ///
    /// It is empty outside of 1901 to 2038, which the field cannot express.
    private var timestamp: [UInt8] {
        guard let seconds = Int32(exactly: modified) else { return [] }
        var field = LittleEndian()
        field.append(0x5455 as UInt16)
        field.append(5 as UInt16)
        field.append(1 as UInt8)
        field.append(seconds)
        return field.bytes
    }

    /// The local time in the format of MS-DOS, with a resolution of two seconds and from 1980 on,
    /// for programs that do not know the extra field.
    private var dosTime: (time: UInt16, date: UInt16) {
        var seconds = time_t(modified)
        var parts = unsafe tm()
        let earliest: (UInt16, UInt16) = (0, 1 << 5 | 1)
        guard unsafe localtime_r(&seconds, &parts) != nil, unsafe parts.tm_year >= 80 else {
            return earliest
        }
        guard unsafe parts.tm_year < 80 + 128 else { return (0, 127 << 9 | 12 << 5 | 31) }
        let time = unsafe parts.tm_hour << 11 | parts.tm_min << 5 | min(parts.tm_sec, 59) / 2
        let date = unsafe (parts.tm_year - 80) << 9 | (parts.tm_mon + 1) << 5 | parts.tm_mday
        return (UInt16(time), UInt16(date))
    }
}
