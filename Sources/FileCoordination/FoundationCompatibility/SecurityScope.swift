// SPDX-License-Identifier: Apache-2.0
//
// Sandboxed programs bracket their use of a file that another program handed them. Linux has no
// such scopes: what the permissions allow is allowed, so the brackets always succeed and do
// nothing.

#if !canImport(Darwin)
public import Foundation

extension URL {
    /// Says that access to the item begins: always true.
    ///
    /// There are no security scopes on Linux. Whether the file may be read or written is a matter
    /// of its permissions, and turns out when it is opened.
    @discardableResult
    public func startAccessingSecurityScopedResource() -> Bool { true }

    /// Says that access to the item is over: does nothing.
    ///
    /// As many calls as one likes, balanced or not, are harmless.
    public func stopAccessingSecurityScopedResource() {}
}

extension NSURL {
    /// Says that access to the item begins: always true.
    ///
    /// There are no security scopes on Linux.
    @discardableResult
    public func startAccessingSecurityScopedResource() -> Bool { true }

    /// Says that access to the item is over: does nothing.
    ///
    /// There are no security scopes on Linux.
    public func stopAccessingSecurityScopedResource() {}
}
#endif
