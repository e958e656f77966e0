// SPDX-License-Identifier: Apache-2.0
//
// The bytes for everything that moves, or comes and goes: what accessors announce,
// what presenters are told of it, and what the server writes down. By hand, like the others.

import FileCoordinationArbiter
import FileCoordinationWire

extension Golden {
    static let news = deliveriesOfNews + logEntries + relocations

    private static func delivery(_ message: PresenterMessage) -> Sample {
        .delivery(Delivery(presenter: record, message: message))
    }

    private static let deliveriesOfNews = [
        Golden(
            "relocated, and told", delivery(.relocated(to: .of("/a"), isTold: true)),
            "07000000 04030201 05 0200 2f61 01"),
        Golden(
            "relocated, and not told", delivery(.relocated(to: .of("/"), isTold: false)),
            "07000000 04030201 05 0100 2f 00"),
        Golden(
            "changed by a plain program", delivery(.plainNotice(.itemDidChange)),
            "07000000 04030201 06 01"),
        Golden(
            "moved by a plain program", delivery(.followed(to: .of("/a"))),
            "07000000 04030201 07 0200 2f61"),
        Golden(
            "changed by a process that is named",
            delivery(.noticeBy(ChangeAuthor(processID: 9, label: "ed"), .itemDidChange)),
            "07000000 04030201 08 09000000 0200 6564 01"),
        Golden(
            "moved by a process that is named",
            delivery(.relocatedBy(ChangeAuthor(processID: 9, label: "ed"), to: .of("/a"))),
            "07000000 04030201 09 09000000 0200 6564 0200 2f61"),
        Golden(
            "a subitem moved", delivery(.notice(.subitemDidMove(.of("/a"), to: .of("/a/b")))),
            "07000000 04030201 04 04 0200 2f61 0400 2f612f62"),
        Golden(
            "a version of the item",
            delivery(
                .notice(
                    .itemVersion(.of("/a"), VersionNews(.lost, identifier: [UInt8](text: "v1"))))),
            "07000000 04030201 04 05 0200 2f61 01 0200 7631"),
        Golden(
            "a version of a subitem",
            delivery(
                .notice(.subitemVersion(.of("/a/b"), VersionNews(.resolved, identifier: [])))),
            "07000000 04030201 04 06 0400 2f612f62 02 0000"),
        Golden(
            "ubiquity attributes",
            delivery(.notice(.ubiquityAttributes([[UInt8](text: "k"), [], [0xFF, 0]]))),
            "07000000 04030201 04 07 03000000 0100 6b 0000 0200 ff00"),
    ]

    private static let logEntries = [
        Golden(
            "outcomes in a log",
            .logEntry(.outcomes([.unchanged, .changed, .created, .deleted])),
            "01 04000000 00 01 02 03"),
        Golden("no outcomes in a log", .logEntry(.outcomes([])), "01 00000000"),
        Golden(
            "moves in a log",
            .logEntry(
                .announced(
                    .moved([
                        ItemMove(
                            from: .of("/a/b"), oldPackageDepths: [1, 2], to: .of("/c"),
                            newPackageDepths: [1]),
                        ItemMove(from: .of("/c"), to: .of("/a/b")),
                    ]))),
            """
            02 02000000
            0400 2f612f62 02000000 0100 0200 0200 2f63 01000000 0100
            0200 2f63 00000000 0400 2f612f62 00000000
            """),
        Golden(
            "a version in a log",
            .logEntry(
                .announced(
                    .versionChanged(
                        .of("/a"), VersionNews(.gained, identifier: [UInt8](text: "v"))))),
            "03 0200 2f61 00 0100 76"),
        Golden(
            "ubiquity attributes in a log",
            .logEntry(
                .announced(.ubiquityAttributesChanged(.of("/a"), [[UInt8](text: "k"), [0xFE]]))),
            "04 0200 2f61 02000000 0100 6b 0100 fe"),
    ]

    private static let relocations = [
        Golden(
            "the place of a presenter",
            .relocationEntry(
                RelocationEntry(
                    serial: 0x0102_0304_0506_0708, .presenter(.of("/a"), isTold: true))),
            "12000000 01000000 0807060504030201 01 0200 2f61 01"),
        Golden(
            "the places of a claim",
            .relocationEntry(
                RelocationEntry(
                    serial: 3,
                    .claim([
                        AccessItem(
                            path: .of("/a"), access: .writing(.moving), isDirectory: true,
                            packageDepths: [1])
                    ]))),
            "1e000000 01000000 0300000000000000 02 01000000 0200 2f61 01 02 01 01000000 0100"),
        Golden(
            "the place of an item that is moved and replaced",
            .relocationEntry(
                RelocationEntry(
                    serial: 3,
                    .claim([
                        AccessItem(path: .of("/a"), access: .writing([.moving, .replacing]))
                    ]))),
            "1c000000 01000000 0300000000000000 02 01000000 0200 2f61 01 0a 00 00000000"),
        Golden(
            "the places of a claim that covers two trees",
            .relocationEntry(
                RelocationEntry(
                    serial: 3,
                    .claim([
                        AccessItem(path: .of("/a"), access: .reading(.includingContents)),
                        AccessItem(path: .of("/b"), access: .writing(.includingContents)),
                    ]))),
            """
            27000000 01000000 0300000000000000 02 02000000
              0200 2f61 00 40 00 00000000 0200 2f62 01 40 00 00000000
            """),
        Golden(
            "the places of a claim of nothing",
            .relocationEntry(RelocationEntry(serial: .max, .claim([]))),
            "11000000 01000000 ffffffffffffffff 02 00000000"),
        Golden(
            "what was heard of a claim",
            .relocationEntry(RelocationEntry(serial: 3, .handled(0x0001_0203))),
            "11000000 01000000 0300000000000000 03 03020100"),
        Golden(
            "what was added to the package policy",
            .relocationEntry(RelocationEntry(serial: 0, .packages([1, 2]))),
            "11000000 01000000 0000000000000000 04 0200 0102"),
    ]
}
