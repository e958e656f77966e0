// SPDX-License-Identifier: Apache-2.0
//
// The encodings of paths, accesses and items of claims.

import FileCoordinationArbiter

extension ItemPath: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.blob(bytes, .path, limit: WireLimits.pathBytes)
    }

    /// Decodes a path, which must be spelled as ``ItemPath/bytes`` would spell it.
    init(from decoder: inout MessageDecoder) throws(WireError) {
        let spelling = try decoder.blob(.path, limit: WireLimits.pathBytes)
        guard let path = ItemPath(bytes: spelling), path.bytes == spelling else {
            throw .illegalValue(.path)
        }
        self = path
    }
}

extension Access: WireCoded {
    /// The first of the two bytes of an access.
    private enum Kind: UInt8 {
        case reading = 0
        case writing = 1
    }

    func write(to encoder: inout MessageEncoder) {
        switch self {
        case .reading(let options):
            if !options.isSubset(of: .all) { encoder.fail(.illegalValue(.access)) }
            encoder.raw(Kind.reading)
            encoder.raw(options)
        case .writing(let options):
            if !options.isSubset(of: .all) { encoder.fail(.illegalValue(.access)) }
            encoder.raw(Kind.writing)
            encoder.raw(options)
        }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        switch try decoder.raw(Kind.self, .access) {
        case .reading:
            let options = try decoder.raw(ReadingOptions.self, .access)
            guard options.isSubset(of: .all) else { throw .illegalValue(.access) }
            self = .reading(options)
        case .writing:
            let options = try decoder.raw(WritingOptions.self, .access)
            guard options.isSubset(of: .all) else { throw .illegalValue(.access) }
            self = .writing(options)
        }
    }
}

extension AccessItem: WireCoded {
    /// What the client has found at the path.
    private struct Flags: OptionSet {
        var rawValue: UInt8

        static let isDirectory = Self(rawValue: 1 << 0)
        static let lacksContents = Self(rawValue: 1 << 1)
        static let all: Self = [.isDirectory, .lacksContents]
    }

    func write(to encoder: inout MessageEncoder) {
        encoder.value(path)
        encoder.value(access)
        var flags: Flags = isDirectory ? .isDirectory : []
        if lacksContents { flags.insert(.lacksContents) }
        encoder.raw(flags)
        encoder.packageDepths(packageDepths, of: path)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        let path = try decoder.value(ItemPath.self)
        let access = try decoder.value(Access.self)
        let flags = try decoder.raw(Flags.self, .flag)
        guard flags.isSubset(of: .all) else { throw .illegalValue(.flag) }
        self.init(
            path: path, access: access, isDirectory: flags.contains(.isDirectory),
            packageDepths: try decoder.packageDepths(of: path),
            lacksContents: flags.contains(.lacksContents))
    }
}

extension MessageEncoder {
    /// Encodes the depths of the packages in `path`, ascending.
    mutating func packageDepths(_ depths: [Int], of path: ItemPath) {
        count(depths.count, .packageDepths)
        var next = 0
        for depth in depths {
            guard depth >= next, depth <= path.depth else {
                return fail(.illegalValue(.packageDepths))
            }
            integer(UInt16(clamping: depth))
            next = depth + 1
        }
    }
}

extension MessageDecoder {
    /// Decodes the depths of the packages in `path`, ascending.
    mutating func packageDepths(of path: ItemPath) throws(WireError) -> [Int] {
        var depths: [Int] = []
        for _ in 0..<(try count(.packageDepths, limit: path.depth + 1)) {
            let depth = Int(try integer(UInt16.self))
            guard depth <= path.depth, depth > depths.last ?? -1 else {
                throw .illegalValue(.packageDepths)
            }
            depths.append(depth)
        }
        return depths
    }
}
