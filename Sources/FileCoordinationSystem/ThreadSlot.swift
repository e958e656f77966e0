// SPDX-License-Identifier: Apache-2.0
//
// An object of each thread's own.

public import Glibc

/// A variable that every thread has for itself, nil until the thread sets it.
///
/// May be used from any thread. The object is released when the thread ends.
public final class ThreadSlot<Value: AnyObject>: Sendable {
    @usableFromInline let key: pthread_key_t

    /// A slot that is empty on every thread.
    public init() {
        var key = pthread_key_t()
        let result = pthread_key_create(&key) { pointer in
            guard let pointer else { return }
            Unmanaged<AnyObject>.fromOpaque(pointer).release()
        }
        precondition(result == 0, "The system has no room for another thread variable")
        self.key = key
    }

    deinit { pthread_key_delete(key) }

    /// Looks at the calling thread's value, which stays the slot's: without counting a reference.
    @inlinable
    public func withValue<Result>(_ body: (Value?) -> Result) -> Result {
        guard let pointer = pthread_getspecific(key) else { return body(nil) }
        return Unmanaged<Value>.fromOpaque(pointer)._withUnsafeGuaranteedRef { body($0) }
    }

    /// The calling thread's value.
    @inlinable
    public var value: Value? {
        get {
            guard let pointer = pthread_getspecific(key) else { return nil }
            return Unmanaged<Value>.fromOpaque(pointer).takeUnretainedValue()
        }
        set {
            let former = pthread_getspecific(key)
            let next = newValue.map { UnsafeRawPointer(Unmanaged.passRetained($0).toOpaque()) }
            pthread_setspecific(key, next)
            if let former { Unmanaged<Value>.fromOpaque(former).release() }
        }
    }
}
