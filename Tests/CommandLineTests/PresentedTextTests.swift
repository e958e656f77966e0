// SPDX-License-Identifier: Apache-2.0
//
// What the command line writes out itself, beside what Foundation makes of the same.

import FileCoordination
import FileCoordinationClient
import Foundation
import Testing

@testable import filecoord

@Suite struct PresentedTextTests {
    @Test(arguments: ["/", "/a b", "/ä/日本", "/%41;?#[]", "/a//b/../c", "/~!$&'()*+,-.:=@_"])
    func `The text of a file URL is Foundation's`(path: String) {
        let url = path.withCString {
            URL(fileURLWithFileSystemRepresentation: $0, isDirectory: false, relativeTo: nil)
        }
        #expect(FileURLText.text(NativePath(Array(path.utf8))) == url.absoluteString)
    }

    @Test func `All attributes that a presenter observes by default are observed`() {
        final class Plain: NSObject, NSFilePresenter {
            let presentedItemURL: URL? = nil
            let presentedItemOperationQueue = OperationQueue()
        }
        let names = Plain().observedPresentedItemUbiquityAttributes.map(\.rawValue)
        #expect(UbiquityAttributes.all == Set(names))
    }

    @Test func `A refusal is what other claimants read, and the other way round`() throws {
        let refusal = PresenterRefusal(code: 7, "not \"now\"\n")
        let error = ErrorCoding.decode(refusal.encode())
        #expect(error.domain == "filecoord.present")
        #expect(error.code == 7)
        #expect(error.localizedDescription == refusal.description)
        let theirs = NSError(
            domain: "app", code: -3,
            userInfo: [
                NSLocalizedDescriptionKey: "busy", NSLocalizedRecoverySuggestionErrorKey: "wait",
            ])
        let read = try #require(PresenterRefusal(decoding: ErrorCoding.encode(theirs)))
        #expect([read.domain, read.description, read.advice] == ["app", "busy", "wait"])
        #expect(read.code == -3)
        let answer = try #require(PresenterRefusal(decoding: read.encode()))
        #expect(answer == read)
        #expect(ErrorCoding.decode(answer.encode()).localizedRecoverySuggestion == "wait")
        #expect(ErrorCoding.decode([0xFF]).code == PresenterRefusal.unreadable.code)
        #expect(ErrorCoding.decode([0xFF]).domain == PresenterRefusal.unreadable.domain)
        #expect(
            ErrorCoding.decode([0xFF]).localizedDescription
                == PresenterRefusal.unreadable.description)
    }
}
