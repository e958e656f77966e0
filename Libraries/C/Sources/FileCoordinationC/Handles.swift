// SPDX-License-Identifier: Apache-2.0
//
// Objects as C has them: one counted reference in each pointer, which the caller gives back once.

/// An object that C has a handle of.
///
/// Handles may be used on any thread, so their objects may.
protocol Handled: AnyObject, Sendable {}

extension Handled {
    /// A handle, which keeps the object until it is taken back.
    func makeHandle() -> OpaquePointer {
        unsafe OpaquePointer(Unmanaged.passRetained(self).toOpaque())
    }

    /// The object of a handle; nil for NULL.
    static func object(_ handle: OpaquePointer?) -> Self? {
        unsafe handle.map {
            unsafe Unmanaged<Self>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue()
        }
    }

    /// The same, and the handle is no more.
    @discardableResult
    static func take(_ handle: OpaquePointer?) -> Self? {
        unsafe handle.map {
            unsafe Unmanaged<Self>.fromOpaque(UnsafeRawPointer($0)).takeRetainedValue()
        }
    }
}

/// What a callback is given back; this library never looks at what it points to.
///
/// A number here: the caller has promised that its callbacks may use it on the library's threads.
struct CallerContext: Sendable {
    private let address: UInt

    init(pointer: UnsafeMutableRawPointer?) { address = UInt(bitPattern: pointer) }

    var pointer: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(bitPattern: address) }
}
