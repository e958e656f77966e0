// SPDX-License-Identifier: Apache-2.0

import FileCoordinationSystem
import Testing

/// The stored object.
///
/// The reference itself is in a class, because the macros
/// of tests cannot handle values that cannot be copied.
private final class Item: Sendable {}

private final class Holder: Sendable {
    private let reference = LazyReference<Item>()
    var item: Item? { reference.load() }
    func store(_ item: Item) -> Item? { reference.storeUnlessClosed(item) }
    func close() -> Item? { reference.close() }
    func reopen() { reference.reopen() }
}

@Suite struct LazyReferenceTests {
    private let holder = Holder()

    @Test func `What is stored first stays`() {
        let (first, second) = (Item(), Item())
        #expect(holder.item == nil)
        #expect(holder.store(first) === first)
        #expect(holder.store(second) === first)
        #expect(holder.item === first)
        #expect(holder.close() === first)
        #expect(holder.item === first)
    }

    @Test func `Nothing is stored in what was closed until it is opened again`() {
        let item = Item()
        #expect(holder.close() == nil)
        #expect(holder.store(item) == nil)
        #expect(holder.item == nil)
        holder.reopen()
        #expect(holder.store(item) === item)
    }
}
