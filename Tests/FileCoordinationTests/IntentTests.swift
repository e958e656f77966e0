// SPDX-License-Identifier: Apache-2.0

import FileCoordination
import FileCoordinationArbiter
import Testing

@Suite struct IntentTests {
    private let url = URL(fileURLWithPath: "/somewhere/note.txt")

    @Test func `An intent keeps the URL as it was spelled`() {
        let odd = URL(fileURLWithPath: "note.txt", relativeTo: URL(fileURLWithPath: "/a/../b/"))
        #expect(NSFileAccessIntent.readingIntent(with: odd).url == odd)
        #expect(NSFileAccessIntent.writingIntent(with: odd, options: .forMoving).url == odd)
    }

    @Test func `An intent says what it was made for`() {
        let reading = NSFileAccessIntent.readingIntent(with: url, options: .withoutChanges)
        let writing = NSFileAccessIntent.writingIntent(with: url, options: .forDeleting)
        #expect(reading.request == .reading(.withoutChanges))
        #expect(writing.request == .writing(.forDeleting))
        #expect(NSFileAccessIntent().request == .nothing)
    }

    @Test func `A moved item's URL is seen through the same instance`() {
        let moved = URL(fileURLWithPath: "/elsewhere/note.txt")
        let intent = NSFileAccessIntent.writingIntent(with: url)
        intent.rewrite(url: moved)
        #expect(intent.url == moved)
        #expect(intent.request == .writing([]))
    }

    @Test func `A subclass makes intents of its own kind`() {
        final class Annotated: NSFileAccessIntent, @unchecked Sendable { var note = "" }
        let intent = Annotated.readingIntent(with: url)
        intent.note = "mine"
        #expect(intent.url == url)
        #expect(type(of: intent) == Annotated.self)
    }

    @Test func `Raw values are Apple's`() {
        #expect(NSFileCoordinator.ReadingOptions.withoutChanges.rawValue == 1)
        #expect(NSFileCoordinator.ReadingOptions.immediatelyAvailableMetadataOnly.rawValue == 4)
        let writing: [NSFileCoordinator.WritingOptions] = [
            .forDeleting, .forMoving, .forMerging, .forReplacing, .contentIndependentMetadataOnly,
        ]
        #expect(writing.map(\.rawValue) == [1, 2, 4, 8, 16])
    }

    @Test func `Rule 2.8b: options combine`() {
        let both: NSFileCoordinator.ReadingOptions = [
            .withoutChanges, .immediatelyAvailableMetadataOnly,
        ]
        #expect(both.arbiterOptions == [.withoutChanges, .immediatelyAvailableMetadataOnly])
        #expect(NSFileCoordinator.WritingOptions([]).arbiterOptions == .plain)
        #expect(NSFileCoordinator.WritingOptions.forReplacing.arbiterOptions == .replacing)
        for bits in UInt(0)..<32 {
            let options = NSFileCoordinator.WritingOptions(rawValue: bits)
            #expect(options.arbiterOptions == WritingOptions(rawValue: UInt8(bits)))
        }
    }

    @Test
    func `Rule 2.23: both kinds of access can include contents, by a bit that is not Apple's`() {
        typealias Reading = NSFileCoordinator.ReadingOptions
        typealias Writing = NSFileCoordinator.WritingOptions
        #expect(Reading.includingContents.rawValue == 1 << 31)
        #expect(Writing.includingContents.rawValue == 1 << 31)
        #expect(Reading.includingContents.arbiterOptions == .includingContents)
        #expect(
            Reading([.includingContents, .withoutChanges]).arbiterOptions
                == [.includingContents, .withoutChanges])
        #expect(
            Writing([.includingContents, .forMerging]).arbiterOptions
                == [.includingContents, .merging])
    }

    @Test func `Rule 2.25: a write follows links by a bit that is not Apple's`() {
        typealias Writing = NSFileCoordinator.WritingOptions
        #expect(Writing.resolvesSymbolicLink.rawValue == 1 << 30)
        #expect(
            Writing([.resolvesSymbolicLink, .includingContents, .forMoving]).arbiterOptions
                == [.resolvesSymbolicLink, .includingContents, .moving])
    }

    @Test func `An option that is not known is refused, not ignored`() {
        #expect(NSFileCoordinator.ReadingOptions(rawValue: 1 << 8).arbiterOptions == nil)
        #expect(NSFileCoordinator.ReadingOptions(rawValue: 1 << 40).arbiterOptions == nil)
        #expect(NSFileCoordinator.WritingOptions(rawValue: 1 << 5).arbiterOptions == nil)
    }
}
