// SPDX-License-Identifier: Apache-2.0
//
// A change of a number here needs a change of the layout's version, too.

import FileCoordinationSystem
import Glibc
import Testing

@testable import FileCoordinationLedger

struct LayoutTests {
    @Test func `The areas of a ledger are where they always were`() {
        #expect(LedgerLayout.version == 2)
        #expect(LedgerLayout.magic == 0x5245_4744_454C_4346)
        #expect(LedgerLayout.headerLength == 4096)
        #expect(LedgerLayout.slots == 4096)
        #expect(LedgerLayout.slotCount == 1024)
        #expect(LedgerLayout.records == 12288)
        #expect(LedgerLayout.recordCount == 16384)
        #expect(LedgerLayout.recordLength == 512)
        #expect(LedgerLayout.heap == 8_400_896)
        #expect(LedgerLayout.fileLength == 25_165_824)
        #expect(LedgerLayout.Header.processID == 32)
        #expect(LedgerLayout.Header.processNamespace == 464)
        #expect(LedgerLayout.offset(of: .ledgerEpoch) == 64)
        #expect(LedgerLayout.offset(of: .recordMark) == 128)
        #expect(LedgerLayout.offset(of: .slot(3)) == 4096 + 24)
        #expect(LedgerLayout.offset(of: .record(2)) == 12288 + 1024)
    }

    @Test func `The fields of a record are where they always were`() {
        typealias Record = LedgerLayout.Record
        let fields = [
            Record.word, Record.serial, Record.filedAt, Record.grantedAt, Record.kind,
            Record.bodyLength, Record.bodyOffset, Record.outcomeLength,
            Record.outcomeOffset, Record.requestedSlot, Record.presenterState,
            Record.relocated, Record.inline,
        ]
        #expect(fields == [0, 8, 16, 24, 32, 40, 44, 48, 52, 60, 64, 72, 80])
        #expect(Record.inlineLength == 432)
        #expect(LedgerLayout.inlineOutcome(behind: 5) == 88)
    }

    @Test func `A record word has its bits where they always were`() throws {
        let epoch = try #require(ServerEpoch(rawValue: 0x123456))
        let word = RecordWord(
            .granted, [.unreported, .reportsRelease], epoch, generation: 0xAABB_CCDD)
        #expect(word.rawValue == 0xAABB_CCDD_1234_5632)
        #expect(word.lowHalf == 0x1234_5632)
        #expect(
            word.state == .granted && word.flags == [.unreported, .reportsRelease]
                && word.epoch == epoch)
        #expect(RecordState.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
        #expect(RecordWord(rawValue: 0xF).state == nil)
        #expect(
            SlotWord(isDelegated: true, epoch, sequence: 7).rawValue == 0x0000_0007_1234_5601)
        #expect(ServerEpoch(rawValue: 0x100_0000) == nil)
        #expect(ServerEpoch(rawValue: ServerEpoch.maximum.rawValue + 1) == nil)
        #expect(epoch.firstSerial == 0x1234_5600_0000_0001)
    }

    @Test func `Raising keeps all but the epoch, and cares for local records`() throws {
        let one = try #require(ServerEpoch(rawValue: 1))
        let two = try #require(ServerEpoch(rawValue: 2))
        let asked = RecordWord(.filed, [], one, generation: 9)
        #expect(asked.raised(to: two) == RecordWord(.filed, [], two, generation: 9))
        let local = RecordWord(.granted, .unreported, one, generation: 9)
        #expect(
            local.raised(to: two)
                == RecordWord(.granted, [.unreported, .reportsRelease], two, generation: 9))
        let inTicketQueue = RecordWord(.filed, .inTicketQueue, one, generation: 9)
        #expect(inTicketQueue.rawValue & 0xFF == 0x81)
        #expect(inTicketQueue.raised(to: two) == RecordWord(.filed, [], two, generation: 9))
    }

    @Test func `A slot's word says in which ticket queue its place is`() throws {
        let one = try #require(ServerEpoch(rawValue: 1))
        let ticketQueues = [0, 7, SlotWord.ticketQueueCount - 1]
        for ticketQueue in ticketQueues {
            let word = SlotWord(isDelegated: true, inTicketQueue: ticketQueue, one, sequence: 3)
            #expect(word.ticketQueue == ticketQueue && !word.isDelegated && word.letsIn)
            #expect(word.epoch == one && word.sequence == 3)
        }
        #expect(
            SlotWord(isDelegated: true, inTicketQueue: 7, one, sequence: 3).rawValue & 0xFF == 9)
        #expect(SlotWord(isDelegated: true, one, sequence: 3).ticketQueue == nil)
        #expect(SlotWord(isDelegated: false, inTicketQueue: 7, one, sequence: 3).ticketQueue == nil)
    }

    @Test func `A slot's terms are in its uppermost bits, and only take rights away`() throws {
        let one = try #require(ServerEpoch(rawValue: 1))
        for bits in UInt8(0)..<4 {
            let terms = SlotTerms(rawValue: bits)
            let word = SlotWord(isDelegated: true, terms: terms, one, sequence: 0x3FFF_FFFF)
            #expect(word.terms == terms && word.isDelegated && word.ticketQueue == nil)
            #expect(word.sequence == 0x3FFF_FFFF && word.epoch == one)
            #expect(word.lets(write: false))
            #expect(word.lets(write: true) == !terms.contains(.readsOnly))
            let empty = SlotWord(isDelegated: false, terms: terms, one, sequence: 1)
            #expect(!empty.lets(write: false) && !empty.lets(write: true))
        }
        #expect(
            SlotWord(isDelegated: true, terms: .readsOnly, one, sequence: 1).rawValue
                == 0x8000_0001_0000_0101)
        #expect(
            SlotWord(isDelegated: true, terms: .reportsWrites, one, sequence: 1).rawValue
                == 0x4000_0001_0000_0101)
    }

    @Test func `A ticket queue's word is what the layout says, and its numbers begin anew`() {
        let word = TicketQueueWord(rawValue: 0xABC1_2345_DEF6_7890)
        #expect(word.generation == 0xABC_DEF)
        #expect(word.next == 0x1_2345)
        #expect(word.serving == 0x6_7890)
        #expect(word.lowHalf == 0xDEF6_7890)
        #expect(word.begun == TicketQueueWord(rawValue: 0xABC0_0001_DF00_0000))
        let last = TicketQueueWord(rawValue: 0xFFFF_FFFF_FFFF_FFFF)
        // Zero belongs to no client.
        #expect(last.begun.generation == 1)
        #expect(!TicketQueueWord(rawValue: 0).isBegun && word.isBegun && last.begun.isBegun)
        #expect(last.joined.rawValue == 0xFFF0_0000_FFFF_FFFF)
        #expect(last.joined.isLast)
        #expect(last.joined.passed.rawValue == 0xFFF0_0000_FFF0_0000)
        #expect(last.joined.passed.serves(QueueTicket(0, next: last.joined)))
    }

    /// A client that ends its turn late, in a later use
    /// of the word, must not end another client's turn.
    ///
    /// A number of eight bits was the same again after 128 beginnings and ends.
    @Test func `A number of one use of a ticket queue's word is none of any other`() {
        var word = TicketQueueWord(rawValue: 0)
        let ticket = QueueTicket(0, serving: word.begun)
        for _ in 0..<100_000 {
            word = word.begun
            let isFirst = word.generation == 1
            #expect(word.serves(ticket) == isFirst)
        }
    }

    @Test func `A ledger file is what the layout says, byte by byte`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer(programName: "editör")
        let reference = try writer.write(
            kind: .presenter, body: [1, 2, 3], outcomeCapacity: 4, wantsMessage: true)
        writer.file(reference)
        let bytes = try world.contents(of: writer.fileName, count: 16384)

        #expect(Array(bytes[0..<8]) == Array("FCLEDGER".utf8))
        #expect(number(bytes, 8, 4) == 2)
        #expect(number(bytes, 12, 4) == 16384)
        #expect(number(bytes, 16, 8) == 25_165_824)
        #expect(number(bytes, 24, 4) == 512)
        #expect(number(bytes, 28, 4) == 1024)
        #expect(number(bytes, 32, 4) == UInt64(getpid()))
        #expect(number(bytes, 36, 4) == UInt64(geteuid()))
        #expect(number(bytes, 40, 8) == 0)
        #expect(number(bytes, 48, 8) != 0 && number(bytes, 56, 8) != 0)
        #expect(number(bytes, 64, 8) == 1)
        #expect(number(bytes, 128, 8) == 1)
        #expect(number(bytes, 192, 4) == 7)
        #expect(Array(bytes[196..<203]) == Array("editör".utf8))

        let record = Array(bytes[12288..<12800])
        #expect(number(record, 0, 8) == 0x0000_0001_0000_0101)
        #expect(number(record, 8, 8) == 0)
        #expect(number(record, 16, 8) > 0)
        #expect(number(record, 32, 4) == 0x102)
        #expect(number(record, 36, 4) == 0)
        #expect(number(record, 40, 4) == 3 && number(record, 44, 4) == 0)
        #expect(number(record, 48, 4) == 0 && number(record, 52, 4) == 0)
        #expect(number(record, 56, 4) == 0)
        #expect(number(record, 64, 8) == 0 && number(record, 72, 4) == 0)
        #expect(Array(record[80..<83]) == [1, 2, 3])
    }

    @Test func `What is said of a granted record, and of its place, is where it always was`() throws
    {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        let claim = try writer.write(kind: .claim, body: [1, 2, 3])
        writer.file(claim)
        func record() throws -> [UInt8] {
            Array(try world.contents(of: writer.fileName, count: 12800)[12288...])
        }
        reader.markRelocated(claim)
        #expect(number(try record(), 72, 4) == 1)
        #expect(reader.grant(claim, world.epoch) == .granted)
        // The log is in the record, behind the body: a length, and no offset.
        #expect(try writer.appendOutcome(claim, [4, 5], reserving: 10))
        #expect(number(try record(), 48, 8) == 2)
        #expect(Array(try record()[88..<90]) == [4, 5])
        // The record has no room for this: the log has a length below and an offset above.
        let more = [UInt8](repeating: 6, count: 500)
        #expect(try writer.appendOutcome(claim, more, reserving: 10))
        #expect(number(try record(), 48, 8) == 8_400_896 << 32 | 502)
        let file = try world.contents(of: writer.fileName, count: 8_400_896 + 502)
        #expect(Array(file[8_400_896...]) == [4, 5] + more)
    }

    private func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
