// SPDX-License-Identifier: Apache-2.0
//
// The encoding of notices to presenters.

import FileCoordinationArbiter

extension Notice: WireCoded {
    /// The first byte of a notice.
    private enum Kind: UInt8 {
        case itemDidChange = 1
        case subitemDidAppear = 2
        case subitemDidChange = 3
        case subitemDidMove = 4
        case itemVersion = 5
        case subitemVersion = 6
        case ubiquityAttributes = 7
    }

    func write(to encoder: inout MessageEncoder) {
        switch self {
        case .itemDidChange: encoder.raw(Kind.itemDidChange)
        case .subitemDidAppear(let path):
            encoder.raw(Kind.subitemDidAppear)
            encoder.value(path)
        case .subitemDidChange(let path):
            encoder.raw(Kind.subitemDidChange)
            encoder.value(path)
        case .subitemDidMove(let old, let new):
            encoder.raw(Kind.subitemDidMove)
            encoder.value(old)
            encoder.value(new)
        case .itemVersion(let path, let news):
            encoder.raw(Kind.itemVersion)
            encoder.value(path)
            encoder.value(news)
        case .subitemVersion(let path, let news):
            encoder.raw(Kind.subitemVersion)
            encoder.value(path)
            encoder.value(news)
        case .ubiquityAttributes(let names):
            encoder.raw(Kind.ubiquityAttributes)
            encoder.attributes(names)
        }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        switch try decoder.raw(Kind.self, .notice) {
        case .itemDidChange: self = .itemDidChange
        case .subitemDidAppear: self = .subitemDidAppear(try decoder.value(ItemPath.self))
        case .subitemDidChange: self = .subitemDidChange(try decoder.value(ItemPath.self))
        case .subitemDidMove:
            self = .subitemDidMove(
                try decoder.value(ItemPath.self), to: try decoder.value(ItemPath.self))
        case .itemVersion:
            self = .itemVersion(
                try decoder.value(ItemPath.self), try decoder.value(VersionNews.self))
        case .subitemVersion:
            self = .subitemVersion(
                try decoder.value(ItemPath.self), try decoder.value(VersionNews.self))
        case .ubiquityAttributes: self = .ubiquityAttributes(try decoder.attributes())
        }
    }
}
