// SPDX-License-Identifier: Apache-2.0
//
// The options for adding versions and for replacing items by versions, with Apple's raw values.

#if !canImport(Darwin)
extension NSFileVersion {
    /// How a version is added: by a copy of the contents, or by moving them.
    ///
    /// ``temporaryDirectoryURLForNewVersionOfItem(at:)`` has an example.
    public struct AddingOptions: OptionSet, Hashable, Sendable {
        /// The bits, the same as on Apple platforms.
        public let rawValue: UInt

        /// Creates options from their bits; unknown ones have no effect.
        ///
        /// - Parameter rawValue: the bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Moves the contents instead of copying them (Rule 19.6): a rename, if they are in the
        /// directory that ``temporaryDirectoryURLForNewVersionOfItem(at:)`` returns.
        ///
        /// The contents are no longer at their URL afterwards.
        public static let byMoving = AddingOptions(rawValue: 1 << 0)
    }

    /// How a version replaces an item: by a copy of its contents, which leaves the version, or by
    /// moving.
    ///
    /// ``replaceItem(at:options:)`` has an example.
    public struct ReplacingOptions: OptionSet, Hashable, Sendable {
        /// The bits, the same as on Apple platforms.
        public let rawValue: UInt

        /// Creates options from their bits; unknown ones have no effect.
        ///
        /// - Parameter rawValue: the bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Removes the version after its contents are in place (Rule 19.7).
        ///
        /// For making a separate item from a version, not for reverting to one, after which users
        /// may want to go back. Presenters of the item are told that it has lost the version (Rule
        /// 10.1).
        public static let byMoving = ReplacingOptions(rawValue: 1 << 0)
    }
}
#endif
