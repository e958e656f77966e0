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

    /// Looks at the object, if there is one, without counting a reference: it stays for as long as
    /// this does.
    @inlinable
    public func withLoaded<Result>(_ body: (Object?) -> Result) -> Result {
        guard let object = Self.object(at: address.load(ordering: .acquiring)) else {
            return body(nil)
        }
        return object._withUnsafeGuaranteedRef { body($0) }
    }

    /// The object that is there, which is `fresh` if there was none.
    @inlinable
    public func storeIfNil(_ fresh: Object) -> Object {
        let retained = Unmanaged.passRetained(fresh)
        let (isFirst, present) = address.compareExchange(
            expected: 0, desired: UInt(bitPattern: retained.toOpaque()),
            ordering: .acquiringAndReleasing)
        guard !isFirst, let known = Self.object(at: present) else { return fresh }
        retained.release()
        return known.takeUnretainedValue()
    }

    @inlinable
    static func object(at address: UInt) -> Unmanaged<Object>? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
    }
}
