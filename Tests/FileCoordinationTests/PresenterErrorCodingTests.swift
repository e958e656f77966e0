// SPDX-License-Identifier: Apache-2.0

import FileCoordination
import FileCoordinationClient
import Testing

@Suite struct PresenterErrorCodingTests {
    private func throughBytes(_ error: any Error) -> NSError {
        ErrorCoding.decode(ErrorCoding.encode(error))
    }

    @Test func `An NSError with plain userInfo arrives as it was`() {
        let error = NSError(
            domain: "Notes", code: -7,
            userInfo: [
                NSLocalizedDescriptionKey: "The note is locked.",
                NSLocalizedRecoverySuggestionErrorKey: "Unlock it – “now”.",
                NSURLErrorKey: URL(fileURLWithPath: "/notes/a b ä.txt"),
                NSFilePathErrorKey: "/notes/a b ä.txt",
                "count": 5, "largest": UInt64.max, "smallest": Int64.min, "share": 0.1,
                "isLast": true, "isFirst": false, "nothing": Double.infinity,
            ])
        let arrived = throughBytes(error)
        #expect(arrived == error)
        #expect(arrived.userInfo["isLast"] as? Bool == true)
        #expect(arrived.userInfo["count"] as? Int == 5)
        #expect(arrived.userInfo[NSURLErrorKey] as? URL == URL(fileURLWithPath: "/notes/a b ä.txt"))
    }

    @Test func `A Cocoa error is still one`() throws {
        let arrived = throughBytes(CocoaError(.userCancelled))
        #expect((arrived as? CocoaError)?.code == .userCancelled)
        #expect(arrived == CocoaError(.userCancelled) as NSError)
        let other: any Error = throughBytes(CocoaError(.fileWriteOutOfSpace))
        #expect((other as? CocoaError)?.code == .fileWriteOutOfSpace)
    }

    @Test func `Underlying errors arrive, as many as are useful`() {
        var error = NSError(domain: NSPOSIXErrorDomain, code: 28)
        for code in 1...20 {
            error = NSError(
                domain: "Layer", code: code,
                userInfo: [NSUnderlyingErrorKey: error, "code": code])
        }
        var next: NSError? = throughBytes(error)
        var codes: [Int] = []
        while let error = next {
            codes.append(error.code)
            next = error.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        #expect(codes == Array((13...20).reversed()))
    }

    @Test func `A Swift error keeps its domain, code and description`() {
        enum Refusal: Error, LocalizedError {
            case busy, tired
            var errorDescription: String? { "The editor is \(self)." }
        }
        let arrived = throughBytes(Refusal.tired)
        #expect(arrived.domain == (Refusal.tired as NSError).domain)
        #expect(arrived.code == (Refusal.tired as NSError).code)
        #expect(arrived.localizedDescription == "The editor is tired.")
    }

    @Test func `A description that only the other process can make arrives as text`() {
        final class Peculiar: NSError, @unchecked Sendable {
            override var localizedDescription: String { "Only I know why." }
        }
        #expect(
            throughBytes(Peculiar(domain: "Mine", code: 1)).localizedDescription
                == "Only I know why.")
    }

    @Test func `Objects that mean nothing elsewhere are left out`() {
        let error = NSError(
            domain: "Notes", code: 1,
            userInfo: ["object": NSObject(), "list": [1, 2], "data": Data([1]), "kept": "yes"])
        #expect(throughBytes(error).userInfo.keys.sorted() == ["kept"])
    }

    @Test(arguments: [1_000, 100_000, 1_000_000])
    func `However large the error is, its bytes are bounded and its code arrives`(size: Int) {
        let long = String(repeating: "\u{1}ä\"", count: size / 4)
        let error = NSError(
            domain: "Large", code: 9,
            userInfo: [
                NSLocalizedDescriptionKey: long, NSURLErrorKey: URL(fileURLWithPath: "/" + long),
                long: "key", "list": long,
                NSUnderlyingErrorKey: NSError(domain: long, code: 1, userInfo: ["a": long]),
            ])
        let bytes = ErrorCoding.encode(error)
        #expect(bytes.count <= ErrorCoding.limit)
        let arrived = ErrorCoding.decode(bytes)
        #expect(arrived.code == 9)
        #expect(arrived.domain == "Large")
        #expect(arrived.localizedDescription.hasPrefix("\u{1}ä\""))
    }

    @Test func `A domain that is itself too long is cut`() {
        let error = NSError(
            domain: String(repeating: "\u{1}", count: 100_000), code: 3, userInfo: [:])
        let arrived = throughBytes(error)
        #expect(arrived.code == 3)
        #expect(arrived.domain.utf8.count < 300)
    }

    @Test func `Garbage is an error, too`() {
        let garbage: [[UInt8]] = [
            [], [0], Array("{}".utf8), Array("{\"errors\":[]}".utf8), Array("null".utf8),
            [UInt8](repeating: UInt8(ascii: "["), count: 30_000),
            [UInt8](repeating: 0xFF, count: ErrorCoding.limit + 1),
        ]
        for bytes in garbage {
            #expect((ErrorCoding.decode(bytes) as? CocoaError)?.code == .coderReadCorrupt)
        }
    }

    @Test func `Damaged bytes never trap`() {
        let whole = ErrorCoding.encode(
            NSError(
                domain: "Notes", code: 1,
                userInfo: [
                    "n": 5, "d": 1.5, "u": URL(fileURLWithPath: "/a"), "b": true,
                    NSUnderlyingErrorKey: CocoaError(.fileNoSuchFile),
                ]))
        for length in whole.indices { _ = ErrorCoding.decode(Array(whole[..<length])) }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var damaged = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                guard let index = damaged.indices.randomElement(using: &generator) else { continue }
                damaged[index] = UInt8.random(in: 0...255, using: &generator)
            }
            #expect(!ErrorCoding.decode(damaged).localizedDescription.isEmpty, "\(damaged)")
        }
    }
}

/// Errors that programs without Foundation send, and errors that they receive.
@Suite struct PresenterRefusalCodingTests {
    @Test func `A refusal of a program without Foundation is an NSError here`() {
        let refusal = PresenterRefusal(
            domain: "Notes", code: 7, description: "The “note”\nis in use.")
        let error = ErrorCoding.decode(refusal.encode())
        #expect(error.domain == "Notes")
        #expect(error.code == 7)
        #expect(error.localizedDescription == "The “note”\nis in use.")
    }

    @Test func `An NSError is a refusal in a program without Foundation`() {
        let error = NSError(
            domain: "Notes", code: -7,
            userInfo: [
                NSLocalizedDescriptionKey: "The note\tis /in use/ – 🗒.", "count": 5, "share": 0.5,
                NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: 28),
            ])
        #expect(
            PresenterRefusal(decoding: ErrorCoding.encode(error))
                == PresenterRefusal(
                    domain: "Notes", code: -7, description: "The note\tis /in use/ – 🗒."))
    }
}
