// SPDX-License-Identifier: Apache-2.0
//
// A value of each thread's own.

public import Glibc

/// A variable that every thread has for itself, nil until the thread sets it.
///
/// May be used from any thread. The value is released when the thread ends.
public final class ThreadSlot<Value>: Sendable {
    @usableFromInline let key: pthread_key_t

    @usableFromInline
    final class Box {
        @usableFromInline let value: Value
        @usableFromInline init(_ value: Value) { self.value = value }
    }

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

    /// The calling thread's value.
    @inlinable
    public var value: Value? {
        get {
            guard let pointer = pthread_getspecific(key) else { return nil }
            return Unmanaged<Box>.fromOpaque(pointer).takeUnretainedValue().value
        }
        set {
            let former = pthread_getspecific(key)
            let box = newValue.map { UnsafeRawPointer(Unmanaged.passRetained(Box($0)).toOpaque()) }
            pthread_setspecific(key, box)
            if let former { Unmanaged<Box>.fromOpaque(former).release() }
        }
    }
}
