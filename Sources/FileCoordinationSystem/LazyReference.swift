// SPDX-License-Identifier: Apache-2.0
//
// A reference to an object that the first thread creates. The standard library's
// AtomicLazyReference does the same, but it is not inlined and asks the runtime for its type's
// metadata at each use, which would take a sixth of a local access.

public import Synchronization

/// A reference that is set at most once.
public struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    @usableFromInline let address = Atomic<UInt>(0)

    /// Creates an empty reference.
    @inlinable
    public init() {}

    @inlinable
    deinit {
        if let object = unsafe Self.object(at: address.load(ordering: .acquiring)) {
            unsafe object.release()
        }
    }

    /// Returns the object, if there is one.
    @inlinable
    public func load() -> Object? {
        unsafe Self.object(at: address.load(ordering: .acquiring))?.takeUnretainedValue()
    }

    /// Returns the object, if there is one.
    ///
    /// Otherwise closes the reference, so that no object can be stored any more.
    @inlinable
    public func close() -> Object? {
        let (isEmpty, present) = address.compareExchange(
            expected: 0, desired: Self.closed, ordering: .acquiringAndReleasing)
        return unsafe isEmpty ? nil : Self.object(at: present)?.takeUnretainedValue()
    }

    /// Reopens a reference that ``close()`` has found empty.
    ///
    /// No other thread may use it meanwhile.
    @inlinable
    public func reopen() {
        precondition(load() == nil, "What was stored stays")
        address.store(0, ordering: .relaxed)
    }

    /// Calls `body` with the object, or with nil if there is none, without retaining the object.
    ///
    /// The object lives as long as this reference.
    @inlinable
    public func withLoaded<Result>(_ body: (Object?) -> Result) -> Result {
        guard let object = unsafe Self.object(at: address.load(ordering: .acquiring)) else {
            return body(nil)
        }
        return unsafe object._withUnsafeGuaranteedRef { body($0) }
    }

    /// Stores `fresh` if the reference is empty, and returns the stored object; returns nil if the
    /// reference is closed.
    @inlinable
    public func storeUnlessClosed(_ fresh: Object) -> Object? {
        let retained = unsafe Unmanaged.passRetained(fresh)
        let (isFirst, present) = unsafe address.compareExchange(
            expected: 0, desired: UInt(bitPattern: retained.toOpaque()),
            ordering: .acquiringAndReleasing)
        if isFirst { return fresh }
        unsafe retained.release()
        return unsafe Self.object(at: present)?.takeUnretainedValue()
    }

    /// Stores `fresh` in a reference that is never closed if it is empty, and returns the stored
    /// object.
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
        return unsafe UnsafeRawPointer(bitPattern: address).map { unsafe Unmanaged.fromOpaque($0) }
    }

    /// A value that is not an object's address.
    @inlinable
    static var closed: UInt { 1 }
}
