// SPDX-License-Identifier: Apache-2.0
//
// An event that concerns a path, or a directory with all that is directly inside, finds the path's
// delegation.

import FileCoordinationArbiter
import XCTest

final class DelegationIndexTests: XCTestCase {
    private let id = DelegationID(rawValue: 7)

    private func path(_ text: String) throws -> ItemPath { try XCTUnwrap(ItemPath(text)) }

    private func item(
        _ text: String, _ access: Access = .writing(.plain), packageDepths: [Int] = []
    ) throws -> AccessItem {
        AccessItem(path: try path(text), access: access, packageDepths: packageDepths)
    }

    private func place(_ text: String) throws -> DelegationIndex {
        var index = DelegationIndex()
        index.insert(id, at: try path(text))
        return index
    }

    private func directory(_ text: String) throws -> DelegationIndex {
        var index = DelegationIndex()
        index.insert(id, inside: try path(text))
        return index
    }

    /// Rules 2.1 to 2.3.
    func testPlainAccessFindsWhatCoversItsItem() throws {
        let place = try place("/a/d/f")
        let directory = try directory("/a/d")
        for access in [Access.reading([]), .writing(.plain)] {
            let item = try item("/a/d/f", access)
            XCTAssertEqual(place.concerned(by: [item]), [id])
            XCTAssertEqual(directory.concerned(by: [item]), [id])
        }
        for other in ["/a/d", "/a/d/f/g", "/a/f", "/a/dd/f"] {
            XCTAssertEqual(place.concerned(by: [try item(other)]), [], other)
            XCTAssertEqual(directory.concerned(by: [try item(other)]), [], other)
        }
        XCTAssertEqual(directory.concerned(by: [try item("/x"), try item("/a/d/new")]), [id])
    }

    /// Rules 2.5, 2.6: moving or deleting an item concerns the item and all that is inside.
    func testStructuralAccessFindsWhatIsInside() throws {
        let place = try place("/a/d/f")
        let directory = try directory("/a/d")
        for top in ["/a/d/f", "/a/d", "/a"] {
            for mode in [WritingOptions.deleting, .moving, .replacing] {
                let item = try item(top, .writing(mode))
                XCTAssertEqual(place.concerned(by: [item]), [id], "\(top) \(mode)")
                XCTAssertEqual(directory.concerned(by: [item]), [id], "\(top) \(mode)")
            }
        }
        let beside = try item("/a/e", .writing(.deleting))
        XCTAssertEqual(place.concerned(by: [beside]), [])
        XCTAssertEqual(directory.concerned(by: [beside]), [])
    }

    /// Rule 1.12: a package is one item, with all that is inside.
    func testAPackageFindsWhatIsInside() throws {
        for top in [["/a"], ["/a/d"], ["/a/d/f"]].joined() {
            let depth = try path(top).depth
            let deep = try item(top + "/x", packageDepths: [depth])
            XCTAssertEqual(try place("/a/d/f").concerned(by: [deep]), [id], top)
            XCTAssertEqual(try directory("/a/d").concerned(by: [deep]), [id], top)
        }
    }

    /// Rules 6.1, 7.4: presenters of the item, of what contains it, and of what is inside.
    func testAPresenterFindsWhatItHasToDoWith() throws {
        for place in ["/a", "/a/d", "/a/d/f", "/a/d/f/g", "/"] {
            let presented = try path(place)
            XCTAssertEqual(
                try self.place("/a/d/f").concerned(byPresenterAt: presented), [id], place)
            XCTAssertEqual(
                try directory("/a/d").concerned(byPresenterAt: presented), [id], place)
        }
        for place in ["/a/e", "/b"] {
            let presented = try path(place)
            XCTAssertEqual(try self.place("/a/d/f").concerned(byPresenterAt: presented), [])
            XCTAssertEqual(try directory("/a/d").concerned(byPresenterAt: presented), [])
        }
    }

    /// Plain claims at different paths do not conflict, even if one path is inside the other.
    func testOnlyTheSameIsDelegatedTwice() throws {
        let place = try place("/a/d/f")
        XCTAssertEqual(place.overlapping(try path("/a/d/f")), [id])
        XCTAssertEqual(place.overlapping(inside: try path("/a/d")), [id])
        let directory = try directory("/a/d")
        XCTAssertEqual(directory.overlapping(try path("/a/d/f")), [id])
        XCTAssertEqual(directory.overlapping(inside: try path("/a/d")), [id])
        for other in ["/a/d", "/a/d/f/g", "/a", "/a/e"] {
            XCTAssertEqual(place.overlapping(try path(other)), [], other)
            XCTAssertEqual(directory.overlapping(try path(other)), [], other)
        }
        for other in ["/a/d/f", "/a", "/"] {
            XCTAssertEqual(place.overlapping(inside: try path(other)), [], other)
            XCTAssertEqual(directory.overlapping(inside: try path(other)), [], other)
        }
    }

    func testWhatIsRemovedIsFoundNoMore() throws {
        var index = try directory("/a/d")
        index.insert(DelegationID(rawValue: 8), at: try path("/a/d/f"))
        XCTAssertEqual(index.concerned(by: [try item("/a/d/f")]).count, 2)
        index.remove(id)
        XCTAssertEqual(index.concerned(by: [try item("/a/d/f")]), [DelegationID(rawValue: 8)])
        index.remove(DelegationID(rawValue: 8))
        XCTAssertTrue(index.isEmpty)
    }

    // MARK: Contenders

    /// An arbiter with claims 1, 2 and so on, each of another client and purpose.
    private func arbiter(
        _ items: [AccessItem], presenterAt place: String? = nil, enclosing: [ClaimID] = []
    ) throws -> Arbiter {
        var arbiter = Arbiter()
        if let place {
            _ = arbiter.handle(
                .presenterAdded(
                    RegisteredPresenter(
                        id: PresenterID(rawValue: 900), client: ClientID(rawValue: 90),
                        purpose: Purpose("viewer"), path: try path(place), methods: [])))
        }
        for (index, item) in items.enumerated() {
            let number = UInt64(index + 1)
            _ = arbiter.handle(
                .claimFiled(
                    FiledClaim(
                        id: ClaimID(rawValue: number), client: ClientID(rawValue: UInt32(number)),
                        purpose: Purpose("\(number)"), items: [item],
                        enclosing: number > 1 ? enclosing : [])))
        }
        return arbiter
    }

    private func contenders(_ arbiter: Arbiter, at text: String = "/a/d/f") throws -> [UInt64]? {
        arbiter.contenders(at: try path(text)).map { $0.map(\.rawValue).sorted() }
    }

    func testThoseWhoWriteAPlaceContendForIt() throws {
        let file = try item("/a/d/f")
        XCTAssertEqual(try contenders(arbiter([file, file, file])), [1, 2, 3])
        // Claims at other paths do not matter.
        XCTAssertEqual(try contenders(arbiter([file, file, item("/a/d/g"), item("/a")])), [1, 2])
        XCTAssertNil(try contenders(arbiter([item("/a/d/g")])))
    }

    /// Rules 1.12, 2.2, 2.5: a ticket queue is for plain writes of one item; the arbiter must
    /// consider any other claim.
    func testWhereOthersDoOtherThingsNoClaimContends() throws {
        let file = try item("/a/d/f")
        let others = [
            try item("/a/d/f", .reading([])), try item("/a/d/f", .writing(.deleting)),
            try item("/a/d/f/g"), try item("/a/d", .writing(.moving)),
            try item("/a/d/f", packageDepths: [2]),
        ]
        for other in others {
            XCTAssertNil(try contenders(arbiter([file, other])), "\(other)")
            XCTAssertNil(try contenders(arbiter([other, file])), "\(other)")
        }
        XCTAssertNil(
            try contenders(arbiter([file, file], enclosing: [ClaimID(rawValue: 1)])))
    }

    /// Rules 6.1, 7.4: no claim contends where the arbiter must ask or tell a presenter.
    func testBesideAPresenterNoClaimContends() throws {
        let file = try item("/a/d/f")
        for place in ["/a", "/a/d", "/a/d/f", "/a/d/f/g"] {
            XCTAssertNil(try contenders(arbiter([file, file], presenterAt: place)), place)
        }
        XCTAssertEqual(try contenders(arbiter([file, file], presenterAt: "/a/e")), [1, 2])
    }

    func testBeforeAllIsRecoveredNoClientContends() throws {
        var arbiter = Arbiter(recovering: true)
        let claim = FiledClaim(
            id: ClaimID(rawValue: 1), client: ClientID(rawValue: 1), purpose: Purpose("1"),
            items: [try item("/a/d/f")])
        _ = arbiter.handle(.claimRecovered(claim))
        XCTAssertNil(try contenders(arbiter))
        _ = arbiter.handle(.recoveryFinished)
        XCTAssertEqual(try contenders(arbiter), [1])
    }
}
