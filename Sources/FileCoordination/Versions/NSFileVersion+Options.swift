// SPDX-License-Identifier: Apache-2.0
//
// The options for adding versions and for replacing items by versions, with Apple's raw values.

#if !canImport(Darwin)
extension NSFileVersion {
    /// How a version is added.
    public struct AddingOptions: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Creates options from their bits.
        ///
        /// - Parameter rawValue: the bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Moves the contents instead of copying them, which is much faster on the same file system
        /// (Rule 19.6).
        public static let byMoving = AddingOptions(rawValue: 1 << 0)
    }

    /// How a version replaces an item.
    public struct ReplacingOptions: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Creates options from their bits.
        ///
        /// - Parameter rawValue: the bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Removes the version after its contents are in place (Rule 19.7).
        ///
        /// For making a separate item from a version, not for reverting to one.
        public static let byMoving = ReplacingOptions(rawValue: 1 << 0)
    }
}
#endif
