// SPDX-License-Identifier: Apache-2.0
//
// An object that is made once, by whichever thread comes first. The standard library's
// AtomicLazyReference does the same, but is not inlined, and asks the runtime for its type's
// metadata at each use: a sixth of an access that needs no arbiter.

public import Synchronization

/// A reference that is set at most once.
public struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    @usableFromInline let address = Atomic<UInt>(0)

    /// No object yet.
    @inlinable
    public init() {}

    @inlinable
    deinit {
        if let object = Self.object(at: address.load(ordering: .acquiring)) { object.release() }
    }

    /// The object, if there is one.
    @inlinable
    public func load() -> Object? {
        Self.object(at: address.load(ordering: .acquiring))?.takeUnretainedValue()
    }

    /// The same, and there will be no other: who stores one afterwards comes too late.
    @inlinable
    public func close() -> Object? {
        let (isEmpty, present) = address.compareExchange(
            expected: 0, desired: Self.closed, ordering: .acquiringAndReleasing)
        return isEmpty ? nil : Self.object(at: present)?.takeUnretainedValue()
    }

    /// May be set again after ``close()`` has found nothing; no other thread may use it meanwhile.
    @inlinable
    public func reopen() {
        precondition(load() == nil, "What was stored stays")
        address.store(0, ordering: .relaxed)
    }

    /// Looks at the object, if there is one, without counting a reference: it stays for as long as
    /// this does.
    @inlinable
    public func withLoaded<Result>(_ body: (Object?) -> Result) -> Result {
        guard let object = Self.object(at: address.load(ordering: .acquiring)) else {
            return body(nil)
        }
        return object._withUnsafeGuaranteedRef { body($0) }
    }

    /// The object that is there, which is `fresh` if there was none; nil if there never will be.
    @inlinable
    public func storeUnlessClosed(_ fresh: Object) -> Object? {
        let retained = Unmanaged.passRetained(fresh)
        let (isFirst, present) = address.compareExchange(
            expected: 0, desired: UInt(bitPattern: retained.toOpaque()),
            ordering: .acquiringAndReleasing)
        if isFirst { return fresh }
        retained.release()
        return Self.object(at: present)?.takeUnretainedValue()
    }

    /// The same for one that is never closed.
    @inlinable
    public func storeIfNil(_ fresh: Object) -> Object {
        guard let stored = storeUnlessClosed(fresh) else {
            preconditionFailure("Nothing is stored in what was closed")
        }
        return stored
    }

    @inlinable
    static func object(at address: UInt) -> Unmanaged<Object>? {
        guard address != closed else { return nil }
        return UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
    }

    /// No object's address.
    @inlinable
    static var closed: UInt { 1 }
}
