// SPDX-License-Identifier: Apache-2.0
//
// How versions are added and put in an item's place, bit for bit as on Apple's.

#if !canImport(Darwin)
extension NSFileVersion {
    /// How a version is added.
    public struct AddingOptions: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// A set of these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Takes the contents away from where they are, which on one file system is much faster
        /// than copying them (Rule 19.6).
        public static let byMoving = AddingOptions(rawValue: 1 << 0)
    }

    /// How a version is put in an item's place.
    public struct ReplacingOptions: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// A set of these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Removes the version when its contents are in place (Rule 19.7).
        ///
        /// For making a separate item of a version, not for going back to one.
        public static let byMoving = ReplacingOptions(rawValue: 1 << 0)
    }
}
#endif
