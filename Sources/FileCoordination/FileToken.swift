// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's API: what a program has seen of an item, as a value (Rule 18.16).

package import FileCoordinationClient

/// What a program has seen of an item: its identity, its size and its times.
///
/// Take a token when you read an item, and give it to the write that builds on what was read. If
/// any program has changed the item in between, also one that does not coordinate, the write is
/// refused, and nothing is overwritten that you have not seen.
///
/// ```swift
/// let coordinator = NSFileCoordinator()
/// var (text, token) = try coordinator.coordinate(readingItemAt: url) {
///     (try String(contentsOf: $0, encoding: .utf8), try coordinator.token(of: $0))
/// }
/// text += "one more line\n"  // a minute later, perhaps
/// do {
///     try coordinator.coordinate(writingItemAt: url, onlyIf: token) {
///         try text.write(to: $0, atomically: true, encoding: .utf8)
///         token = try coordinator.token(of: $0)
///     }
/// } catch FileCoordinationError.stale {
///     print("it has changed: read it again")
/// }
/// let line = token.description  // to store
/// let stored = FileToken(line)
/// ```
///
/// A token needs no server, and stays good when programs and the machine are restarted. Store its
/// ``description``, or encode it. Compare a token with an item
/// by ``NSFileCoordinator/isCurrent(_:of:)``, not with another token: a digest counts more than
/// times.
///
/// Use a coordinator for one access at a time: two calls of one coordinator do not wait for each
/// other (Rule 2.10), so both might find their token current.
///
/// What makes a token stale without a change of contents: other attributes, another name of the
/// file (a hard link) made or removed, a move, a copy put in its place. Read again then. What a
/// program writes into a mapped file may not be seen, unless the token has a digest.
///
/// **Threads and cost.** A value, for any thread.
public struct FileToken: Hashable, Sendable, LosslessStringConvertible, Codable {
    package let core: ItemToken

    package init(_ core: ItemToken) { self.core = core }

    /// There is nothing at the path: what a writer demands that must not replace anything.
    public static let absent = FileToken(.absent)

    /// Creates a token from its text; nil if it is no token, or one of another version.
    ///
    /// - Parameter description: the text; `absent` stands for ``absent``.
    public init?(_ description: String) {
        // The text is another program's, perhaps, or an older one's.
        guard let core = try? ItemToken(text: description) else { return nil }
        self.init(core)
    }

    /// The token as text: at most 200 letters, digits, full stops and hyphens.
    public var description: String { core.text }

    /// Decodes a token from its text.
    ///
    /// - Parameter decoder: the decoder.
    /// - Throws: `DecodingError` if there is no text, or one of no token.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let token = FileToken(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "The text is no token of a file.")
        }
        self = token
    }

    /// Encodes the token as its text.
    ///
    /// - Parameter encoder: the encoder.
    /// - Throws: the encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
