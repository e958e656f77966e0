// SPDX-License-Identifier: Apache-2.0
//
// Places, items and announcements in a tree so small that all of them meet.

import FileCoordinationArbiter

extension Bytes {
    /// A place at most three levels deep.
    mutating func place() -> ItemPath {
        let byte = byte()
        let names = ["a", "b", "p.rtfd", String(repeating: "x", count: 250)]
        let depth = Int(byte & 3)
        return DecoderSeeds.place((0..<depth).map { names[Int(byte >> (2 + 2 * $0)) & 3] })
    }

    /// The depths at which a place has a package, as its name says.
    private func packages(of place: ItemPath) -> [Int] {
        place.components.indices.filter { place.components[$0].count == 6 }.map { $0 + 1 }
    }

    mutating func accessItem() -> AccessItem {
        let place = place()
        let byte = byte()
        let access: Access =
            if byte & 1 == 0 {
                .reading(ReadingOptions(rawValue: byte >> 1 & 15 | (byte & 32) << 1))
            } else {
                .writing(WritingOptions(rawValue: byte >> 1 & 31 | byte & 64))
            }
        return AccessItem(
            path: place, access: access, isDirectory: byte & 64 != 0,
            packageDepths: byte & 128 != 0 ? packages(of: place) : [])
    }

    mutating func announcement() -> Announcement {
        switch number(below: 6) {
        case 0:
            return .versionChanged(
                place(), VersionNews(choice(VersionFate.allCases), identifier: [byte()]))
        case 1: return .ubiquityAttributesChanged(place(), [[byte()]])
        case let count:
            return .moved(
                (0..<max(1, count - 2)).map { _ in
                    let (old, new) = (place(), place())
                    return ItemMove(
                        from: old, oldPackageDepths: packages(of: old), to: new,
                        newPackageDepths: packages(of: new))
                })
        }
    }
}
