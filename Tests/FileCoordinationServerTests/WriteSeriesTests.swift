// SPDX-License-Identifier: Apache-2.0
//
// Which delegated writes count as one: those of which each has found what the one before it had
// left, and which no presenter distinguishes (Rule 7.9).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire
import Testing

@testable import FileCoordinationServer

@Suite("Series of writes")
struct WriteSeriesTests {
    private func status(_ size: UInt64) -> ItemProperties {
        ItemProperties(
            device: 1, inode: 1, mode: 0o100644, owner: 0, group: 0, size: size, modified: 0,
            changed: 0, linkCount: 1)
    }

    private func write(
        _ purpose: UInt8, from before: UInt64, to after: UInt64, at path: String = "/f",
        _ options: WritingOptions = .plain
    ) throws -> WriteSeries.Write {
        let path = try #require(ItemPath(bytes: Array(path.utf8)))
        let body = ClaimBody(
            purpose: [purpose], items: [AccessItem(path: path, access: .writing(options))])
        return WriteSeries.Write(
            record: RecordReference(index: UInt32(after), generation: 1), body: body,
            isChange: before != after, before: status(before), after: status(after))
    }

    @Test("Writes that continue each other are one change")
    func continues() throws {
        var series = WriteSeries(try write(1, from: 1, to: 2), purposesOfPresenters: [])
        for next in [try write(2, from: 2, to: 3), try write(1, from: 3, to: 3)] {
            let isJoined = series.append(next)
            #expect(isJoined)
        }
        #expect(series.outcomes == [.changed])
        #expect(series.change.before?.size == 1)
        #expect(series.change.after?.size == 3)
        #expect(series.last.index == 3)
        #expect(series.others.map(\.index) == [2, 3])
    }

    @Test("Other items, options or states end a series")
    func ends() throws {
        let first = WriteSeries(try write(1, from: 1, to: 2), purposesOfPresenters: [])
        for next in [
            try write(1, from: 3, to: 4), try write(1, from: 2, to: 3, at: "/g"),
            try write(1, from: 2, to: 3, .moving),
        ] {
            var series = first
            let isJoined = series.append(next)
            #expect(!isJoined)
        }
    }

    @Test("A presenter is told of writes of other purposes, and not of its own")
    func purposes() throws {
        let own = Purpose(bytes: [2])
        for (former, next, isJoined) in [(1, 2, false), (2, 1, false), (2, 2, true), (1, 3, true)]
            as [(UInt8, UInt8, Bool)]
        {
            var series = WriteSeries(
                try write(former, from: 1, to: 2), purposesOfPresenters: [own])
            let result = series.append(try write(next, from: 2, to: 3))
            #expect(result == isJoined)
        }
    }
}
