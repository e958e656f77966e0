// SPDX-License-Identifier: Apache-2.0
//
// The arbiter's words for places and for what is wanted with them, as bytes.

import FileCoordinationArbiter

extension ItemPath: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.blob(bytes, .path, limit: WireLimits.pathBytes)
    }

    /// Takes a path in the one spelling that ``ItemPath/bytes`` gives it.
    init(from decoder: inout MessageDecoder) throws(WireError) {
        let spelling = try decoder.blob(.path, limit: WireLimits.pathBytes)
        guard let path = ItemPath(bytes: spelling), path.bytes == spelling else {
            throw .illegalValue(.path)
        }
        self = path
    }
}

extension Access: WireCoded {
    /// The first of the two bytes.
    private enum Kind: UInt8 {
        case reading = 0
        case writing = 1
    }

    private static let allReadingOptions: ReadingOptions = [
        .withoutChanges, .resolvesSymbolicLink, .immediatelyAvailableMetadataOnly, .forUploading,
    ]

    func write(to encoder: inout MessageEncoder) {
        switch self {
        case .reading(let options):
            if !options.isSubset(of: Self.allReadingOptions) {
                encoder.fail(.illegalValue(.access))
            }
            encoder.raw(Kind.reading)
            encoder.raw(options)
        case .writing(let mode):
            encoder.raw(Kind.writing)
            encoder.raw(mode)
        }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        switch try decoder.raw(Kind.self, .access) {
        case .reading:
            let options = try decoder.raw(ReadingOptions.self, .access)
            guard options.isSubset(of: Self.allReadingOptions) else {
                throw .illegalValue(.access)
            }
            self = .reading(options)
        case .writing: self = .writing(try decoder.raw(WritingMode.self, .access))
        }
    }
}

extension AccessItem: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.value(path)
        encoder.value(access)
        encoder.bool(isDirectory)
        encoder.count(packageDepths.count, .packageDepths)
        var next = 0
        for depth in packageDepths {
            guard depth >= next, depth <= path.depth else {
                return encoder.fail(.illegalValue(.packageDepths))
            }
            encoder.integer(UInt16(clamping: depth))
            next = depth + 1
        }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        let path = try decoder.value(ItemPath.self)
        let access = try decoder.value(Access.self)
        let isDirectory = try decoder.bool()
        var packageDepths: [Int] = []
        for _ in 0..<(try decoder.count(.packageDepths, limit: path.depth + 1)) {
            let depth = Int(try decoder.integer(UInt16.self))
            guard depth <= path.depth, depth > packageDepths.last ?? -1 else {
                throw .illegalValue(.packageDepths)
            }
            packageDepths.append(depth)
        }
        self.init(
            path: path, access: access, isDirectory: isDirectory, packageDepths: packageDepths)
    }
}
