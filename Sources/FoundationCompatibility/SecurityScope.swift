// SPDX-License-Identifier: Apache-2.0
//
// Sandboxed programs on Apple platforms mark their use of a file that another program has passed to
// them. Linux has no security scopes: file permissions alone decide. So these calls always succeed
// and do nothing.

#if !canImport(Darwin)
public import Foundation

extension URL {
    /// Marks the beginning of access to the item; does nothing on Linux.
    ///
    /// There are no security scopes on Linux. File permissions decide when the file is opened.
    ///
    /// ```swift
    /// let isPermitted = url.startAccessingSecurityScopedResource()
    /// defer { if isPermitted { url.stopAccessingSecurityScopedResource() } }
    /// ```
    ///
    /// **Threads and cost.** Any thread; does nothing.
    ///
    /// - Returns: true.
    @discardableResult
    public func startAccessingSecurityScopedResource() -> Bool { true }

    /// Marks the end of access to the item; does nothing on Linux.
    ///
    /// Calls need not be balanced.
    ///
    /// **Threads and cost.** Any thread; does nothing.
    public func stopAccessingSecurityScopedResource() {}
}

extension NSURL {
    /// Marks the beginning of access to the item; does nothing on Linux.
    ///
    /// There are no security scopes on Linux.
    ///
    /// **Threads and cost.** Any thread; does nothing.
    ///
    /// - Returns: true.
    @discardableResult
    public func startAccessingSecurityScopedResource() -> Bool { true }

    /// Marks the end of access to the item; does nothing on Linux.
    ///
    /// There are no security scopes on Linux.
    ///
    /// **Threads and cost.** Any thread; does nothing.
    public func stopAccessingSecurityScopedResource() {}
}
#endif
